import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ClusterDetail } from './clusters/queries.ts';
import { createDocumentChecker } from './testing/contract.ts';
import { createFakeClusters } from './testing/fakeNetwork.ts';
import { addressOf, createFakePorts } from './testing/fakePorts.ts';
import { type Answer, type RequestOptions, startApp } from './testing/startApp.ts';

type Json = any;

const CREATOR = addressOf(0xcc);
const TOKEN = addressOf(1);
const NOBODY = addressOf(0x99);
const URL_PUBLIC = 'https://hooks.test/tsd';

const RING: ClusterDetail = {
  id: 'cl_1',
  name: 'Ring 1',
  size: 3,
  riskScore: 93.4,
  tokensCreated: 4,
  scams: 3,
  stolenUsd: 1_000,
  victims: 20,
  version: 7,
  wallets: [{ address: CREATOR, role: 'master', walletRole: 'master', riskScore: 93.4 }],
  tokens: [{ address: TOKEN, name: 'Moon', prediction: 'SCAM', confidence: 0.945 }],
  evidence: [{ rule: 'common_funder', wallets: [CREATOR, NOBODY], txHash: null, confidence: 0.9 }],
};

describe('wallets, clusters, graphs, watchlist and alerts of style B, webhooks', () => {
  let app: Awaited<ReturnType<typeof startApp>>;
  let document: Json;
  const { ports, keys } = createFakePorts({
    clusters: createFakeClusters([RING], { cl_0: 'cl_1' }),
  });
  const { key } = keys.add('enterprise');
  let assertDocumented: ReturnType<typeof createDocumentChecker>;
  before(async () => {
    app = await startApp(ports);
    document = (await app.call('/openapi.json')).body;
    assertDocumented = createDocumentChecker(document);
  });
  after(() => app.close());

  /** Calls an operation and checks the answer against what the document promises. */
  const ask = async (
    operation: string,
    options: RequestOptions & { url?: string } = {},
  ): Promise<Answer> => {
    const [method = '', path = ''] = operation.split(' ');
    const { url = path, ...rest } = options;
    const answer = await app.call(url, { key, method: method.toUpperCase(), ...rest });
    assertDocumented(path, method, answer);
    return answer;
  };
  const assertRefused = (answer: Answer, status: number, code?: string, path?: string): void => {
    assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
    if (path !== undefined) assert.equal(answer.body.details[0].path, path);
  };

  it('shows a wallet in both styles, with a version', async () => {
    const a = await ask('get /wallets/{address}', {
      url: `/wallets/${CREATOR.toUpperCase().replace('X', 'x')}`,
    });
    assert.deepEqual(
      [a.body.data.address, a.body.data.risk_score, a.body.data.cluster_id],
      [CREATOR, 60, null],
    );
    const etag = a.headers.get('ETag') ?? '';
    const same = await app.call(`/wallets/${CREATOR}`, { key, headers: { 'If-None-Match': etag } });
    assert.equal(same.status, 304);
    const b = await ask('get /api/wallets/{address}', { url: `/api/wallets/${CREATOR}` });
    const { reputation, scam_history: scams, risk_level: level } = b.body.data;
    assert.equal(level, 'HIGH');
    assert.equal(scams.length, 2);
    const sum = reputation.factors.reduce(
      (total: number, each: Json) => total + each.contribution,
      50,
    );
    assert.equal(sum, reputation.reputation_score);
    const analysis = await ask('get /api/wallet/{address}', { url: `/api/wallet/${CREATOR}` });
    assert.equal(analysis.body.data.analysis.funding_source, null);
  });

  it('shows the reputation under both paths, and which of them is canonical', async () => {
    const plural = await ask('get /api/wallets/{address}/reputation', {
      url: `/api/wallets/${CREATOR}/reputation?limit=2&from=2020-01-01&to=2030-01-01T00:00:00Z`,
    });
    const singular = await ask('get /api/wallet/{address}/reputation', {
      url: `/api/wallet/${CREATOR}/reputation?limit=2`,
    });
    assert.deepEqual(singular.body, plural.body);
    assert.equal(plural.body.data.history.length, 2);
    assert.equal(
      singular.headers.get('Link'),
      `<http://api.test/api/wallets/${CREATOR}/reputation>; rel="canonical"`,
    );
    const wrong = await ask('get /api/wallet/{address}/reputation', {
      url: `/api/wallet/${CREATOR}/reputation?from=yesterday`,
    });
    assertRefused(wrong, 400, 'REQ_001', 'from');
  });

  it('lists the tokens of a wallet in both styles and pages them', async () => {
    const a = await ask('get /wallets/{address}/tokens', {
      url: `/wallets/${CREATOR}/tokens?limit=2`,
    });
    assert.deepEqual([a.body.data.total, a.body.data.tokens.length, a.body.data.limit], [3, 2, 2]);
    assert.match(a.headers.get('Link') ?? '', /offset=2/);
    const seen: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 5; pages += 1) {
      const page = await ask('get /api/wallet/{address}/tokens', {
        url: `/api/wallet/${CREATOR}/tokens?limit=1${cursor}`,
      });
      seen.push(...page.body.data.map(({ address }: Json) => address));
      const next = page.body.pagination.next_cursor;
      assert.equal(page.body.pagination.has_more, next !== null);
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    assert.deepEqual(seen, [addressOf(3), addressOf(2), addressOf(1)]);
    const pages = await ask('get /api/wallet/{address}/tokens', {
      url: `/api/wallet/${CREATOR}/tokens?page=2&limit=2`,
    });
    assert.deepEqual(
      [pages.body.pagination.page, pages.body.pagination.offset, pages.body.data.length],
      [2, 2, 1],
    );
    const url = `/api/wallet/${CREATOR}/tokens`;
    for (const [query, path] of [
      ['page=1&offset=0', 'offset'],
      ['limit=101&offset=0', 'limit'],
      ['limit=1001', 'limit'],
      ['cursor=xyz', 'cursor'],
      ['page=1&cursor=xyz', 'cursor'],
    ]) {
      const refused = await ask('get /api/wallet/{address}/tokens', { url: `${url}?${query}` });
      assertRefused(refused, 400, 'REQ_001', path);
    }
  });

  it('does not know unseen addresses', async () => {
    for (const path of [
      '/wallets/{address}',
      '/wallets/{address}/tokens',
      '/api/wallets/{address}',
      '/api/wallets/{address}/reputation',
      '/api/wallet/{address}',
      '/api/wallet/{address}/tokens',
      '/api/wallet/{address}/reputation',
      '/tokens/{address}/network',
      '/api/graph/token/{address}',
      '/api/graph/wallet/{address}',
      '/api/graph/{address}',
    ]) {
      assertRefused(
        await ask(`get ${path}`, { url: path.replace('{address}', NOBODY) }),
        404,
        'RES_001',
      );
      const wrong = await ask(`get ${path}`, { url: path.replace('{address}', '0x12') });
      assertRefused(wrong, 400, 'REQ_001', 'address');
    }
  });

  it('lists clusters, shows one in full, and where a merged one went', async () => {
    const list = await ask('get /clusters');
    assert.deepEqual(list.body.data.clusters, [
      {
        id: 'cl_1',
        name: 'Ring 1',
        risk_score: 93,
        size: 3,
        tokens_created: 4,
        scam_rate: 0.75,
        total_stolen: 1_000,
        victims: 20,
      },
    ]);
    assert.equal((await ask('get /clusters', { url: '/clusters?min_size=4' })).body.data.total, 0);
    assertRefused(
      await ask('get /clusters', { url: '/clusters?min_size=0' }),
      400,
      'REQ_001',
      'min_size',
    );
    const detail = await ask('get /clusters/{id}', { url: '/clusters/cl_1' });
    assert.equal(detail.body.data.tokens[0].confidence, 95);
    assert.ok(detail.headers.get('ETag'));
    const merged = await ask('get /clusters/{id}', { url: '/clusters/cl_0' });
    assertRefused(merged, 404, 'RES_001');
    assert.equal(merged.body.message, 'merged into cl_1');
    assertRefused(await ask('get /clusters/{id}', { url: '/clusters/cl_9' }), 404, 'RES_001');
  });

  it('draws graphs in both styles', async () => {
    const a = await ask('get /tokens/{address}/network', { url: `/tokens/${TOKEN}/network` });
    const [token, wallet] = a.body.data.nodes;
    assert.deepEqual(token, {
      id: `token_${TOKEN}`,
      type: 'token',
      label: 'MPEPE',
      prediction: 'SCAM',
      confidence: 95,
      is_center: true,
    });
    assert.deepEqual([wallet.type, wallet.risk_score], ['wallet', 60]);
    assert.deepEqual(a.body.data.edges, [
      {
        source: `wallet_${CREATOR}`,
        target: `token_${TOKEN}`,
        type: 'created',
        weight: 1,
        tx_count: 1,
      },
    ]);
    for (const path of [`/api/graph/token/${TOKEN}`, `/api/graph/${TOKEN}`]) {
      const operation = path.includes('/token/')
        ? '/api/graph/token/{address}'
        : '/api/graph/{address}';
      const { data } = (await ask(`get ${operation}`, { url: `${path}?limit=10` })).body;
      assert.deepEqual([data.center, data.kind, data.depth], [`token_${TOKEN}`, 'token', 2]);
      assert.deepEqual([data.nodes[0].is_rug, data.limits.max_nodes], [true, 10]);
    }
    const mine = await ask('get /api/graph/wallet/{address}', {
      url: `/api/graph/wallet/${CREATOR}`,
    });
    assert.equal(mine.body.data.center, `wallet_${CREATOR}`);
    const mistaken = await ask('get /api/graph/wallet/{address}', {
      url: `/api/graph/wallet/${TOKEN}`,
    });
    assertRefused(mistaken, 404, 'RES_001');
    for (const query of ['depth=4', 'limit=501', 'types=likes', 'min_weight=2', 'direction=up']) {
      const refused = await ask('get /api/graph/{address}', {
        url: `/api/graph/${TOKEN}?${query}`,
      });
      assertRefused(refused, 400, 'REQ_001');
    }
    assertRefused(
      await ask('get /tokens/{address}/network', { url: `/tokens/${TOKEN}/network?depth=4` }),
      400,
      'REQ_001',
      'depth',
    );
  });

  it('finds ways between addresses, from tier starter on', async () => {
    const url = `/api/graph/path?from=${CREATOR}&to=${TOKEN}`;
    const found = await ask('get /api/graph/path', { url });
    assert.deepEqual(found.body.data.paths[0].nodes, [`wallet_${CREATOR}`, `token_${TOKEN}`]);
    const none = await ask('get /api/graph/path', {
      url: `/api/graph/path?from=${NOBODY}&to=${TOKEN}`,
    });
    assert.deepEqual([none.body.data.found, none.body.data.paths], [false, []]);
    const same = await ask('get /api/graph/path', {
      url: `/api/graph/path?from=${TOKEN}&to=${TOKEN}`,
    });
    assertRefused(same, 400, 'REQ_001', 'to');
    const missing = await ask('get /api/graph/path', { url: `/api/graph/path?from=${TOKEN}` });
    assertRefused(missing, 400, 'REQ_002', 'to');
    const free = keys.add('free');
    const refused = await ask('get /api/graph/path', { url, key: free.key });
    assert.deepEqual([refused.status, refused.body.required_tier], [403, 'starter']);
  });

  it('keeps one watchlist behind both styles', async () => {
    const mine = keys.add('pro').key;
    const other = keys.add('pro').key;
    const post = (body: object, key = mine) => ask('post /api/watchlist', { key, body });
    const added = await post({ address: CREATOR });
    assert.deepEqual(
      [added.status, added.body.data.type, added.body.data.alerts],
      [201, 'wallet', ['new_token', 'rug_pull']],
    );
    assertRefused(await post({ address: CREATOR }), 409, 'RES_002');
    assertRefused(await post({ address: CREATOR, kind: 'wallet' }), 400, 'REQ_001', 'kind');
    assert.equal((await post({ address: CREATOR, type: 'token' })).status, 201);
    const list = async (query: string, key = mine) =>
      (await ask('get /api/watchlist', { key, url: `/api/watchlist${query}` })).body;
    assert.equal((await list('')).pagination.total, 1);
    assert.equal((await list('?type=all')).pagination.total, 2);
    assert.equal((await list('?type=all', other)).pagination.total, 0);
    const first = await list('?type=all&limit=1');
    const second = await list(`?type=all&limit=1&cursor=${first.pagination.next_cursor}`);
    assert.deepEqual([first.data[0].type, second.data[0].type], ['token', 'wallet']);
    assert.equal(second.pagination.next_cursor, null);
    const remove = (query: string, key = mine) =>
      ask('delete /api/watchlist/{address}', { key, url: `/api/watchlist/${CREATOR}${query}` });
    assertRefused(await remove('?type=all', other), 404, 'RES_001');
    assert.equal((await remove('')).status, 200);
    assertRefused(await remove(''), 404, 'RES_001');
    assert.equal((await remove('?type=all')).status, 200);
  });

  it('lists the history of alerts', async () => {
    const all = await ask('get /api/alerts');
    assert.deepEqual([all.body.data[0].id, all.body.pagination.total], [9001, 1]);
    const read = await ask('get /api/alerts', { url: '/api/alerts?read=true&type=rug_pull' });
    assert.equal(read.body.pagination.total, 0);
    for (const query of ['read=yes', 'type=x', 'severity=x', 'created_after=1', 'unread=true']) {
      assertRefused(await ask('get /api/alerts', { url: `/api/alerts?${query}` }), 400, 'REQ_001');
    }
  });

  it('merges changes of the alert settings and uses their defaults for new watches', async () => {
    const mine = keys.add('pro').key;
    const change = (body: unknown, key = mine) => ask('post /api/alerts/configure', { key, body });
    const read = async () => (await ask('get /api/alerts/configure', { key: mine })).body.data;
    const before = await read();
    assert.deepEqual(
      [before.thresholds.price_drop, before.channels.webhook, before.quiet_hours],
      [0.4, true, null],
    );
    await change({ default_sensitivity: 'high', thresholds: { liquidity_drop: 0.9 } });
    await change({ muted: [CREATOR.toUpperCase().replace('X', 'x'), 'mint'] });
    await change({ default_alerts: { wallet: ['mint', 'mint'] } });
    await change({ quiet_hours: { from: '22:00', to: '06:30', timezone: 'Europe/Berlin' } });
    const after = await read();
    assert.deepEqual(after.thresholds, {
      price_drop: 0.2,
      liquidity_drop: 0.9,
      creator_sell_usd: 5_000,
      min_confidence: 0.7,
    });
    assert.deepEqual(after.muted, [CREATOR, 'mint']);
    assert.deepEqual(after.default_alerts, { token: ['rug_pull', 'price_drop'], wallet: ['mint'] });
    assert.equal(after.quiet_hours.except_critical, true);
    const watch = await ask('post /api/watchlist', { key: mine, body: { address: NOBODY } });
    assert.deepEqual([watch.body.data.alerts, watch.body.data.sensitivity], [['mint'], 'high']);
    assert.equal((await change({ quiet_hours: null })).body.data.quiet_hours, null);
    assertRefused(await change({}), 400, 'REQ_002');
    assertRefused(
      await change({ quiet_hours: { from: '22:00' } }),
      400,
      'REQ_002',
      'quiet_hours.to',
    );
    assertRefused(
      await change({ quiet_hours: { from: '24:00' } }),
      400,
      'REQ_001',
      'quiet_hours.from',
    );
    const endless = await change({ quiet_hours: { timezone: 'UTC' } });
    assertRefused(endless, 400, 'REQ_002');
    assert.equal(
      endless.body.message,
      'quiet_hours.from: is required; quiet_hours.to: is required',
    );
    assertRefused(await change({ quiet_hours: { timezone: 'Mars' } }), 400, 'REQ_001');
    assertRefused(await change({ thresholds: { price_drop: 2 } }), 400, 'REQ_001');
    assertRefused(await change({ thresholds: { drop: 1 } }), 400, 'REQ_001', 'thresholds.drop');
    assertRefused(await change({ muted: ['x'] }), 400, 'REQ_001');
    const free = keys.add('free').key;
    const refused = await change({ channels: { webhook: true } }, free);
    assert.deepEqual([refused.status, refused.body.required_tier], [403, 'starter']);
    const theirs = await change({ min_severity: 'critical' }, free);
    assert.deepEqual([theirs.body.data.channels.webhook, theirs.body.data.muted], [false, []]);
  });

  it('registers, shows, changes, tests and removes webhooks', async () => {
    const mine = keys.add('starter').key;
    const at = (path: string, id: string, rest: RequestOptions = {}) => {
      const [method = '', template = ''] = path.split(' ');
      return ask(path, {
        key: mine,
        ...rest,
        method: method.toUpperCase(),
        url: template.replace('{id}', id),
      });
    };
    const body = { url: URL_PUBLIC, events: ['watchlist.alert', 'watchlist.alert'] };
    const created = await ask('post /api/webhooks', { key: mine, body });
    assert.equal(created.status, 201, created.text);
    const { id, secret, events } = created.body.data;
    assert.match(secret, /^whsec_/);
    assert.deepEqual(events, ['watchlist.alert']);
    assert.equal(created.headers.get('Location'), `http://api.test/api/webhooks/${id}`);
    const shown = await at('get /api/webhooks/{id}', id);
    assert.equal('secret' in shown.body.data, false);
    const changed = await at('patch /api/webhooks/{id}', id, {
      body: { status: 'paused', filters: { min_severity: 'warning' }, description: 'x' },
    });
    assert.deepEqual(
      [changed.body.data.status, changed.body.data.filters, changed.body.data.url],
      ['paused', { min_severity: 'warning' }, URL_PUBLIC],
    );
    const rotated = await at('post /api/webhooks/{id}/rotate-secret', id);
    assert.notEqual(rotated.body.data.secret, secret);
    const tested = await at('post /api/webhooks/{id}/test', id);
    assert.deepEqual(
      [tested.body.data.type, tested.body.data.status],
      ['webhook.test', 'delivered'],
    );
    const operation = 'post /api/webhooks/{id}/deliveries/{delivery_id}/redeliver';
    const again = await ask(operation, {
      key: mine,
      url: `/api/webhooks/${id}/deliveries/${tested.body.data.id}/redeliver`,
    });
    assert.equal(again.body.data.event_id, tested.body.data.event_id);
    const log = await ask('get /api/webhooks/{id}/deliveries', {
      key: mine,
      url: `/api/webhooks/${id}/deliveries?limit=1`,
    });
    assert.deepEqual([log.body.pagination.total, log.body.data[0].id], [2, again.body.data.id]);
    const rest = await ask('get /api/webhooks/{id}/deliveries', {
      key: mine,
      url: `/api/webhooks/${id}/deliveries?cursor=${log.body.pagination.next_cursor}`,
    });
    assert.deepEqual(
      rest.body.data.map(({ id }: Json) => id),
      [tested.body.data.id],
    );
    assert.equal((await ask('get /api/webhooks', { key: mine })).body.data.length, 1);

    const other = keys.add('starter').key;
    assert.deepEqual((await ask('get /api/webhooks', { key: other })).body.data, []);
    for (const path of [
      'get /api/webhooks/{id}',
      'patch /api/webhooks/{id}',
      'delete /api/webhooks/{id}',
      'post /api/webhooks/{id}/test',
      'post /api/webhooks/{id}/rotate-secret',
      'get /api/webhooks/{id}/deliveries',
    ]) {
      const options = path.startsWith('patch') ? { key: other, body: {} } : { key: other };
      assertRefused(await at(path, id, options), 404, 'RES_001');
    }
    assertRefused(
      await ask(operation, {
        key: other,
        url: `/api/webhooks/${id}/deliveries/${tested.body.data.id}/redeliver`,
      }),
      404,
      'RES_001',
    );
    assert.equal((await at('delete /api/webhooks/{id}', id)).status, 200);
    assertRefused(await at('get /api/webhooks/{id}', id), 404, 'RES_001');
  });

  it('refuses webhooks that lead inside, wrong bodies, and more than the tier has', async () => {
    const starter = keys.add('starter').key;
    const post = (body: object, caller = starter) =>
      ask('post /api/webhooks', { key: caller, body });
    const events = ['watchlist.alert'];
    for (const url of [
      'http://hooks.test/',
      'https://inside.test/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://[::ffff:10.0.0.1]/',
      'https://user:pass@hooks.test/',
      'https://hooks.test:22/',
      'ftp://hooks.test/',
      'nonsense',
    ]) {
      assertRefused(await post({ url, events }), 400, 'REQ_001', 'url');
    }
    assertRefused(await post({ url: URL_PUBLIC }), 400, 'REQ_002', 'events');
    assertRefused(await post({ url: URL_PUBLIC, events: [] }), 400, 'REQ_001', 'events');
    assertRefused(await post({ url: URL_PUBLIC, events: ['x'] }), 400, 'REQ_001');
    assertRefused(
      await post({ url: URL_PUBLIC, events, secret: 'short' }),
      400,
      'REQ_001',
      'secret',
    );
    for (let count = 0; count < 3; count += 1) {
      assert.equal((await post({ url: URL_PUBLIC, events })).status, 201);
    }
    const full = await post({ url: URL_PUBLIC, events });
    assert.deepEqual([full.status, full.body.required_tier], [403, 'pro']);
    const free = await ask('get /api/webhooks', { key: keys.add('free').key });
    assert.deepEqual([free.status, free.body.required_tier], [403, 'starter']);
    const own = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const pro = keys.add('pro').key;
    assert.equal((await post({ url: URL_PUBLIC, events, secret: own }, pro)).body.data.secret, own);
  });

  it('registers chats and mailboxes, shows nothing secret of them, and names what does not fit', async () => {
    const caller = keys.add('pro').key;
    const events = ['watchlist.alert'];
    const post = (body: object) =>
      ask('post /api/webhooks', { key: caller, body: { events, ...body } });
    const hook = '/services/T00000000/B00000000/abcdefgh';
    const slack = await post({ kind: 'slack', url: `https://hooks.slack.com${hook}` });
    const token = `123456789:${'A'.repeat(35)}`;
    const hours = { from: '22:00', to: '07:00' };
    const telegram = await post({
      kind: 'telegram',
      bot_token: token,
      chat_id: '-1001',
      language: 'ru',
      digest: 'daily',
      quiet_hours: hours,
    });
    const email = await post({ kind: 'email', email: 'Me@Example.org' });
    assert.deepEqual(
      [slack, telegram, email].map(({ status, body: { data } }) => [
        status,
        data.url,
        data.chat_id,
        data.email,
        data.secret,
      ]),
      [
        [201, 'https://hooks.slack.com/services/T00000000/B00000000/***', null, null, undefined],
        [201, 'https://api.telegram.org/bot123456789:***', '-1001', null, undefined],
        [201, 'mailto:me@example.org', null, 'me@example.org', undefined],
      ],
    );
    assert.deepEqual(telegram.body.data.quiet_hours, {
      ...hours,
      timezone: 'UTC',
      except_critical: true,
    });
    assert.deepEqual([telegram.body.data.language, telegram.body.data.digest], ['ru', 'daily']);
    assert.ok(!JSON.stringify([slack.body, telegram.body]).includes('abcdefgh'), 'of Slack');
    assert.ok(!JSON.stringify(telegram.body).includes('AAAA'), 'of Telegram');
    const change = (id: string, body: object) =>
      ask('patch /api/webhooks/{id}', {
        key: caller,
        url: `/api/webhooks/${id}`,
        body,
      });
    const { id } = telegram.body.data;
    const moved = await change(id, { chat_id: '@channel', digest: 'none', quiet_hours: null });
    assert.deepEqual(
      [moved.body.data.chat_id, moved.body.data.url, moved.body.data.quiet_hours],
      ['@channel', telegram.body.data.url, null],
    );
    assertRefused(await change(id, { url: URL_PUBLIC }), 400, 'REQ_001', 'url');
    const postAll = (body: object) => ask('post /api/webhooks', { key: caller, body });
    for (const [body, code, message] of [
      [{}, 'REQ_002', 'url: is required; events: is required'],
      [
        { kind: 'telegram' },
        'REQ_002',
        'bot_token: is required; chat_id: is required; events: is required',
      ],
      [
        { kind: 'email', events: [] },
        'REQ_001',
        'email: is required; events: must have at least 1 item',
      ],
      [[], 'REQ_001', 'body: must be an object, not an array'],
    ] as const) {
      const answer = await postAll(body);
      assertRefused(answer, 400, code);
      assert.equal(answer.body.message, message);
    }
    for (const [body, code, field] of [
      [{}, 'REQ_002', 'url'],
      [{ kind: 'telegram', bot_token: token }, 'REQ_002', 'chat_id'],
      [{ kind: 'telegram', bot_token: 'x', chat_id: '1' }, 'REQ_001', 'bot_token'],
      [{ kind: 'telegram', bot_token: token, chat_id: 'a b' }, 'REQ_001', 'chat_id'],
      [{ kind: 'slack', url: 'https://hooks.slack.com.evil.test/' }, 'REQ_001', 'url'],
      [{ kind: 'discord', url: `https://hooks.slack.com${hook}` }, 'REQ_001', 'url'],
      [{ kind: 'email', email: 'a@b.example, c@d.example' }, 'REQ_001', 'email'],
      [{ kind: 'email', email: 'a@b.example\r\nBcc: c@d.example' }, 'REQ_001', 'email'],
      [{ url: URL_PUBLIC, digest: 'daily' }, 'REQ_001', 'digest'],
      [{ url: URL_PUBLIC, quiet_hours: hours }, 'REQ_001', 'quiet_hours'],
      [{ url: URL_PUBLIC, chat_id: '1' }, 'REQ_001', 'chat_id'],
      [{ kind: 'fax' }, 'REQ_001', 'kind'],
    ] as const) {
      assertRefused(await post(body), 400, code, field);
    }
  });
});
