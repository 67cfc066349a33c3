import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Hex } from '../shared/chain/block.ts';
import type { Tier } from '../shared/families/tier.ts';
import { analyzeJobSchema, JOB_KEPT_S, jobKey } from '../shared/messages/jobMessage.ts';
import { analyzeSubject } from '../shared/messages/subjects.ts';
import { LANGUAGES } from '../shared/sentences/language.ts';
import { forbiddenErrorSchema, quotaErrorSchema } from './server/apiError.ts';
import { createDocumentChecker } from './testing/contract.ts';
import { addressOf, NOW_MS, verdictOf } from './testing/fakePorts.ts';
import { insertCluster, insertToken, insertVerdict } from './testing/rows.ts';
import { CLOSED_TARGET, KNOWN, startFilledApi } from './testing/sampleAccount.ts';
import { API_CHAIN_ID, eventually } from './testing/startApi.ts';
import type { Answer, RequestOptions } from './testing/startApp.ts';

type Json = any;

const { token: TOKEN, otherToken: OTHER, creator: CREATOR, stranger: NOBODY, cluster } = KNOWN;
/** A third token of the creator, with medium risk. */
const MIDDLING = addressOf(0x13);
const PER_DAY = 100_000;
/** So small that a batch uses it up. */
const PRO_PER_DAY = 6;
const PLANS = JSON.stringify(
  Object.fromEntries(
    (['free', 'starter', 'pro', 'enterprise'] satisfies Tier[]).map((tier) => [
      tier,
      { perDay: tier === 'pro' ? PRO_PER_DAY : PER_DAY, perMinute: PER_DAY },
    ]),
  ),
);

const api = await startFilledApi({ RATE_PLANS: PLANS });
after(() => api.close());

describe('what operations answer, beyond what their schemas say', () => {
  let assertDocumented: ReturnType<typeof createDocumentChecker>;
  let key: string;
  before(async () => {
    const changes = { confidence: 0.6, riskScore: 60, symbol: 'MIDDLE' };
    const third = verdictOf(MIDDLING, { ...changes, analyzedAtMs: Date.now() });
    await insertVerdict(api.database, API_CHAIN_ID, third);
    const { createdAtS } = third;
    await insertToken(api.database, API_CHAIN_ID, {
      token: MIDDLING,
      creator: CREATOR,
      createdAtS,
    });
    await insertVerdict(api.database, API_CHAIN_ID + 1, verdictOf(NOBODY));
    const merged = { id: 'cl_0', size: 3, riskScore: 50, mergedInto: cluster };
    await insertCluster(api.database, API_CHAIN_ID, merged);
    assertDocumented = createDocumentChecker((await api.call('/openapi.json')).body);
    key = await newKey('enterprise');
    await eventually(
      () => ask('get /api/tokens'),
      ({ body }) => body.pagination.total === 3,
    );
  });

  const newKey = async (tier: Tier): Promise<string> => (await api.newKey(tier)).key;
  /** Calls an operation and validates the response against the document. */
  const ask = async (
    operation: string,
    options: RequestOptions & { url?: string } = {},
  ): Promise<Answer> => {
    const [method = '', path = ''] = operation.split(' ');
    const { url = path, ...rest } = options;
    const answer = await api.call(url, { key, method: method.toUpperCase(), ...rest });
    assertDocumented(path, method, answer);
    return answer;
  };
  const assertRefused = (answer: Answer, status: number, code?: string, path?: string): void => {
    assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
    if (path !== undefined) assert.equal(answer.body.details[0].path, path);
  };
  const addressesOf = (entries: { address: string }[]) => entries.map(({ address }) => address);
  /** The entries of all pages. */
  const allPages = async (operation: string, url: string): Promise<Json[]> => {
    const seen: Json[] = [];
    let cursor = '';
    do {
      const { body } = await ask(operation, { url: `${url}limit=1${cursor}` });
      seen.push(...body.data);
      const next = body.pagination.next_cursor;
      assert.equal(body.pagination.has_more, next !== null);
      cursor = next === null ? '' : `&cursor=${next}`;
    } while (cursor);
    return seen;
  };
  /** Ends the next analysis in the way of the scorer. */
  const endNextJob = async (end: { status: 'completed' | 'failed'; error?: string }) => {
    for await (const message of api.connection.subscribe(analyzeSubject(API_CHAIN_ID), {
      max: 1,
    })) {
      const { jobId } = analyzeJobSchema.parse(message.json());
      const record = JSON.parse((await api.cache.get(jobKey(jobId))) ?? '{}');
      const ended = JSON.stringify({ ...record, ...end, endedAtMs: Date.now() });
      await api.cache.set(jobKey(jobId), ended, 'EX', JOB_KEPT_S);
    }
  };

  describe('tokens', () => {
    it('are shown in the terms of either style, with an entity tag', async () => {
      const a = await ask('get /tokens/{address}', { url: `/tokens/${TOKEN}` });
      const b = await ask('get /api/tokens/{address}', {
        url: `/api/tokens/${TOKEN.toUpperCase().replace('0X', '0x')}`,
      });
      assert.deepEqual(b.body.data, {
        address: TOKEN,
        name: 'Moon Pepe',
        symbol: 'MPEPE',
        is_rug: true,
        confidence: a.body.data.confidence / 100,
        risk_score: 94.5,
        risk_level: 'CRITICAL',
        certainty: 'clear',
        advice: 'avoid',
      });
      // Style A also shows the ring of the creator, which may change without a new verdict.
      const etag = b.headers.get('ETag') ?? '';
      assert.ok(a.headers.get('ETag')?.startsWith(etag.replace(/"$/, '.')));
    });

    it('are listed by offset or by page, filtered by every field, and paged in every order', async () => {
      const list = async (query: string) =>
        (await ask('get /api/tokens', { url: `/api/tokens?${query}` })).body;
      assert.deepEqual((await list('')).pagination, {
        total: 3,
        limit: 20,
        offset: 0,
        page: null,
        has_more: false,
        next_cursor: null,
      });
      const { data, pagination } = await list('page=2&limit=2');
      assert.deepEqual([data.length, pagination.page, pagination.offset], [1, 2, 2]);
      const large = (await list('limit=1000')).pagination;
      assert.deepEqual([large.limit, large.page], [1000, 1]);
      const createdS = Math.floor(NOW_MS / 1000) - 3_600;
      const isoOf = (s: number) => new Date(s * 1000).toISOString();
      for (const [query, addresses] of [
        ['is_rug=false', [OTHER]],
        ['risk_level=HIGH', [MIDDLING]],
        ['risk_level=MEDIUM&is_rug=true', []],
        ['confidence_min=0.95', [TOKEN]],
        ['confidence_max=0.6', [MIDDLING, OTHER]],
        ['confidence_min=0.6&confidence_max=0.6&is_rug=true', [MIDDLING]],
        [`created_after=${isoOf(createdS)}`, [MIDDLING, OTHER, TOKEN]],
        [`created_after=${isoOf(createdS + 1)}`, []],
        [`created_before=${isoOf(createdS - 1)}`, []],
      ] as const) {
        const body = await list(query);
        assert.deepEqual(addressesOf(body.data), addresses, query);
        assert.equal(body.pagination.total, addresses.length, query);
      }
      for (const sort of ['created_at', 'confidence', 'risk_score', 'analyzed_at', 'symbol']) {
        const pages = await allPages('get /api/tokens', `/api/tokens?sort_by=${sort}&`);
        assert.deepEqual(pages, (await list(`sort_by=${sort}`)).data, sort);
      }
      const listA = async (query: string) =>
        (await ask('get /tokens', { url: `/tokens?${query}` })).body.data;
      for (const [sort, order] of [
        ['created_at', 'asc'],
        ['confidence', 'desc'],
        ['risk_score', 'asc'],
      ]) {
        const query = `sort=${sort}&order=${order}`;
        const { tokens } = await listA(query);
        const first = await listA(`${query}&limit=2`);
        const rest = await listA(`${query}&limit=2&cursor=${first.next_cursor}`);
        assert.deepEqual([...first.tokens, ...rest.tokens], tokens, query);
        assert.equal(rest.next_cursor, null);
        assert.deepEqual((await listA(`${query}&offset=1`)).tokens, tokens.slice(1), query);
      }
      // Confidences are compared as shown: 94.5 % counts as 95 %.
      assert.deepEqual(addressesOf((await listA('min_confidence=95')).tokens), [TOKEN]);
      assert.equal((await listA('prediction=LEGIT')).total, 1);
    });

    it('are predicted in each language, and what becomes of an analysis is waited for', async () => {
      const predict = (address: Hex, body?: unknown) =>
        ask('post /api/predict/{address}', {
          url: `/api/predict/${address}`,
          ...(body ? { body } : {}),
        });
      const cached = (await predict(TOKEN)).body.data;
      assert.deepEqual([cached.status, cached.is_rug, cached.cached], ['completed', true, true]);
      assert.deepEqual(
        cached.explanation.contributions.map(({ feature }: Json) => feature),
        ['ageS', 'holder_count'],
      );
      const texts = new Set<string>();
      for (const language of LANGUAGES) {
        const { data } = (await predict(TOKEN, { language })).body;
        texts.add(data.explanation.contributions[0].text);
      }
      assert.equal(texts.size, LANGUAGES.length);
      const completed = endNextJob({ status: 'completed' });
      const forced = (await predict(TOKEN, { force: true, wait: 25 })).body.data;
      assert.deepEqual([forced.status, forced.is_rug, forced.cached], ['completed', true, false]);
      await completed;
      const running = await predict(addressOf(0xa1), { wait: 0 });
      assert.deepEqual([running.status, running.body.data.status], [200, 'analyzing']);
      assert.equal(running.headers.get('Retry-After'), '1');
      const failing = endNextJob({ status: 'failed', error: 'not_a_token: x' });
      const { status, body } = await predict(addressOf(0xa2), { wait: 25 });
      assert.deepEqual([status, body.data.status, body.message], [200, 'failed', 'not_a_token: x']);
      await failing;
    });

    it('are answered for in batches, each address by itself, for one unit each or not at all', async () => {
      const pro = await newKey('pro');
      const post = (body: object, caller = pro) =>
        ask('post /api/tokens/batch', { key: caller, body });
      const addresses = ['nope', OTHER, TOKEN, OTHER, NOBODY];
      const { body, headers } = await post({ addresses, mode: 'cached' });
      assert.deepEqual(
        body.data.results.map(({ address, status, code }: Json) => [address, status, code]),
        [
          ['nope', 'failed', 'REQ_001'],
          [OTHER, 'completed', undefined],
          [TOKEN, 'completed', undefined],
          [NOBODY, 'failed', 'RES_001'],
        ],
      );
      const { total, completed, analyzing, failed, quota_cost: cost } = body.data;
      assert.deepEqual([total, completed, analyzing, failed, cost], [4, 2, 0, 2, 3]);
      assert.equal(headers.get('X-RateLimit-Remaining'), String(PRO_PER_DAY - cost));
      const refused = await post({ addresses: [1, 2, 3, 4].map(addressOf) });
      assert.deepEqual([refused.status, quotaErrorSchema.parse(refused.body).policy], [429, 'day']);
      const rest = await post({ addresses: [TOKEN, OTHER, addressOf(0xa3)] });
      assert.deepEqual([rest.status, rest.body.data.analyzing], [200, 1]);
      assert.match(rest.body.data.results[2].job_id, /^job_/);
      const many = Array.from({ length: 101 }, (_, index) => addressOf(index + 1));
      assertRefused(
        await post({ addresses: many }, await newKey('pro')),
        400,
        'REQ_001',
        'addresses',
      );
      assert.equal((await post({ addresses: many, mode: 'cached' }, key)).status, 200);
    });
  });

  describe('searches', () => {
    it('find wallets, and tokens by verdict, features and failed checks', async () => {
      const found = await ask('get /api/search', { url: `/api/search?q=${CREATOR}` });
      assert.equal(found.body.data.results[0].type, 'wallet');
      const none = await ask('get /api/search', { url: `/api/search?q=${CREATOR}&type=token` });
      assert.equal(none.body.data.total, 0);
      for (const [filters, total] of [
        [{}, 3],
        [{ is_rug: false }, 1],
        [{ risk_score: { min: 90 }, confidence: { min: 0.9 } }, 1],
        [{ features: { holder_count: { max: 211 } } }, 0],
        [{ features: { holder_count: { min: 212, max: 212 } } }, 3],
        [{ features: { largestGapS: { min: -1 } } }, 0],
        [{ checks: { none: ['sell_simulation'] } }, 3],
        [{ checks: { any: ['sell_simulation'] } }, 0],
        [{ creator: CREATOR }, 3],
        [{ creator: NOBODY }, 0],
      ] as const) {
        const { body, text } = await ask('post /api/search/advanced', { body: { filters } });
        assert.equal(body.data?.total, total, `${JSON.stringify(filters)}: ${text}`);
      }
    });

    it('read a text as people do: look-alikes, marks of direction and blanks', async () => {
      const search = (text: string) =>
        ask('get /api/search', { url: `/api/search?q=${encodeURIComponent(text)}` });
      for (const text of ['МРЕРЕ', 'ＭＰＥＰＥ', '\u202eMPEPE\u202c', 'moon p']) {
        assert.equal((await search(text)).body.data.results[0]?.address, TOKEN, text);
      }
      const blank = await search(' \u202e ');
      assertRefused(blank, 400, 'REQ_001', 'q');
      assert.equal(blank.body.message, 'q: must contain at least 2 characters');
    });

    it('name the filter that does not exist or fit', async () => {
      for (const [body, path] of [
        [{ filters: { colour: 1 } }, 'filters.colour'],
        [{ filters: { size: { min: 3 } } }, 'filters.size'],
        [{ filters: { created: { after: '0000-01-01' } } }, 'filters.created.after'],
        [{ filters: { created: { before: '9999-12-31' } } }, 'filters.created.before'],
        [{ filters: { features: { 'a b': {} } } }, 'filters.features.a b'],
        [{ filters: { features: { holder_cuont: { min: 1 } } } }, 'filters.features.holder_cuont'],
        [{ entity: 'cluster', sort_by: 'created_at' }, 'sort_by'],
      ] as const) {
        assertRefused(await ask('post /api/search/advanced', { body }), 400, 'REQ_001', path);
      }
    });
  });

  describe('wallets, rings and graphs', () => {
    it('show the reputation of a wallet under both paths, and which of them is canonical', async () => {
      const [plural, singular] = [`/api/wallets/${CREATOR}`, `/api/wallet/${CREATOR}`];
      const canonical = await ask('get /api/wallets/{address}/reputation', {
        url: `${plural}/reputation?limit=1&from=2020-01-01&to=2030-01-01T00:00:00Z`,
      });
      const alias = await ask('get /api/wallet/{address}/reputation', {
        url: `${singular}/reputation?limit=1`,
      });
      assert.deepEqual(alias.body, canonical.body);
      assert.equal(canonical.body.data.history.length, 1);
      const link = alias.headers.get('Link') ?? '';
      assert.ok(link.endsWith(`${plural}/reputation>; rel="canonical"`), link);
      const { reputation, risk_level: level } = (
        await ask('get /api/wallets/{address}', { url: plural })
      ).body.data;
      assert.deepEqual([level, reputation.reputation_score], ['CRITICAL', 9]);
      const { analysis } = (await ask('get /api/wallet/{address}', { url: singular })).body.data;
      assert.equal(analysis.funding_source, null);
    });

    it('list the tokens of a wallet without gaps or repetitions', async () => {
      const path = `/api/wallet/${CREATOR}/tokens`;
      const pages = await allPages('get /api/wallet/{address}/tokens', `${path}?`);
      assert.deepEqual(addressesOf(pages), [MIDDLING, OTHER, TOKEN]);
      const a = await ask('get /wallets/{address}/tokens', {
        url: `/wallets/${CREATOR}/tokens?limit=2`,
      });
      assert.deepEqual([a.body.data.total, a.body.data.tokens.length], [3, 2]);
    });

    it('do not know what was never seen', async () => {
      for (const path of [
        '/tokens/{address}',
        '/api/tokens/{address}',
        '/api/tokens/{address}/history',
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
        const answer = await ask(`get ${path}`, { url: path.replace('{address}', NOBODY) });
        assertRefused(answer, 404, 'RES_001');
      }
      const mistaken = await ask('get /api/graph/wallet/{address}', {
        url: `/api/graph/wallet/${TOKEN}`,
      });
      assertRefused(mistaken, 404, 'RES_001');
    });

    it('say of a ring what it did, and where a merged one went', async () => {
      const { clusters } = (await ask('get /clusters')).body.data;
      assert.deepEqual(clusters, [
        {
          id: cluster,
          name: 'Ring 7f3a',
          risk_score: 93,
          size: 3,
          tokens_created: 2,
          scam_rate: 0.5,
          total_stolen: 0,
          victims: 0,
        },
      ]);
      assert.equal(
        (await ask('get /clusters', { url: '/clusters?min_size=4' })).body.data.total,
        0,
      );
      const merged = await ask('get /clusters/{id}', { url: '/clusters/cl_0' });
      assertRefused(merged, 404, 'RES_001');
      assert.equal(merged.body.message, `merged into ${cluster}`);
      assertRefused(await ask('get /clusters/{id}', { url: '/clusters/cl_9' }), 404, 'RES_001');
    });

    it('draw a graph with its centre first', async () => {
      const { nodes, edges } = (
        await ask('get /tokens/{address}/network', { url: `/tokens/${TOKEN}/network?depth=1` })
      ).body.data;
      assert.deepEqual(nodes[0], {
        id: `token_${TOKEN}`,
        type: 'token',
        label: 'SAMPLE',
        prediction: 'SCAM',
        confidence: 95,
        is_center: true,
      });
      const [edge] = edges;
      assert.deepEqual(
        [edge.source, edge.target, edge.type],
        [`wallet_${CREATOR}`, `token_${TOKEN}`, 'created'],
      );
      const b = (await ask('get /api/graph/{address}', { url: `/api/graph/${TOKEN}?limit=10` }))
        .body;
      assert.deepEqual([b.data.center, b.data.kind, b.data.depth], [`token_${TOKEN}`, 'token', 2]);
      assert.deepEqual([b.data.nodes[0].is_rug, b.data.limits.max_nodes], [true, 10]);
      const path = await ask('get /api/graph/path', {
        url: `/api/graph/path?from=${CREATOR}&to=${TOKEN}`,
      });
      assert.deepEqual(path.body.data.paths[0].nodes, [`wallet_${CREATOR}`, `token_${TOKEN}`]);
      const none = await ask('get /api/graph/path', {
        url: `/api/graph/path?from=${NOBODY}&to=${TOKEN}`,
      });
      assert.deepEqual([none.body.data.found, none.body.data.paths], [false, []]);
    });
  });

  describe('what belongs to an account', () => {
    it('is one watchlist behind both styles, with defaults, as long as the tier has it', async () => {
      const mine = await newKey('enterprise');
      const post = (body: object) => ask('post /api/watchlist', { key: mine, body });
      const added = await post({ address: CREATOR });
      const { type, alerts, sensitivity } = added.body.data;
      assert.deepEqual([added.status, type, sensitivity], [201, 'wallet', 'medium']);
      assert.deepEqual(alerts, ['new_token', 'rug_pull']);
      assertRefused(await post({ address: CREATOR }), 409, 'RES_002');
      assert.equal((await post({ address: CREATOR, type: 'token' })).status, 201);
      const list = async (query: string) =>
        (await ask('get /api/watchlist', { key: mine, url: `/api/watchlist${query}` })).body;
      assert.equal((await list('')).pagination.total, 1);
      const first = await list('?type=all&limit=1');
      const second = await list(`?type=all&limit=1&cursor=${first.pagination.next_cursor}`);
      assert.deepEqual([first.data[0].type, second.data[0].type], ['token', 'wallet']);
      assert.deepEqual([first.pagination.total, second.pagination.next_cursor], [2, null]);
      assert.equal((await ask('get /watchlist', { key: mine })).body.data.total, 2);
      const remove = (query: string) =>
        ask('delete /api/watchlist/{address}', {
          key: mine,
          url: `/api/watchlist/${CREATOR}${query}`,
        });
      assert.equal((await remove('')).status, 200);
      assertRefused(await remove(''), 404, 'RES_001');
      assert.equal((await remove('?type=all')).status, 200);

      const free = await newKey('free');
      const watch = (byte: number) =>
        ask('post /watchlist', { key: free, body: { type: 'wallet', address: addressOf(byte) } });
      for (let byte = 1; byte <= 10; byte += 1) assert.equal((await watch(byte)).status, 201);
      const { error, tier, required_tier } = forbiddenErrorSchema.parse((await watch(11)).body);
      assert.deepEqual([error, tier, required_tier], ['insufficient_tier', 'free', 'starter']);
    });

    it('is answered by the first answer where the Idempotency-Key and the body are the same', async () => {
      const headers = { 'Idempotency-Key': 'once-1' };
      const post = (body: unknown, caller = key) =>
        ask('post /watchlist', { key: caller, body, headers });
      const body = { type: 'wallet', address: addressOf(7) };
      assert.equal((await post(body)).status, 201);
      assertRefused(await post({ ...body, sensitivity: 'low' }), 422, 'REQ_001');
      const other = await post(body, await newKey('enterprise'));
      assert.deepEqual([other.status, other.headers.get('Idempotency-Replayed')], [201, null]);
    });

    it('are settings of alerts, which changes are merged into, and which new watches begin with', async () => {
      const mine = await newKey('enterprise');
      const change = (body: unknown, caller = mine) =>
        ask('post /api/alerts/configure', { key: caller, body });
      const read = async () => (await ask('get /api/alerts/configure', { key: mine })).body.data;
      const fresh = await read();
      assert.deepEqual(
        [fresh.thresholds.price_drop, fresh.channels.webhook, fresh.quiet_hours],
        [0.4, true, null],
      );
      await change({ default_sensitivity: 'high', thresholds: { liquidity_drop: 0.9 } });
      await change({ muted: [CREATOR.toUpperCase().replace('X', 'x'), 'mint'] });
      await change({ default_alerts: { wallet: ['mint', 'mint'] } });
      await change({ quiet_hours: { from: '22:00', to: '06:30', timezone: 'Europe/Berlin' } });
      const { thresholds, muted, default_alerts: defaults, quiet_hours: quiet } = await read();
      assert.deepEqual(thresholds, {
        price_drop: 0.2,
        liquidity_drop: 0.9,
        creator_sell_usd: 5_000,
        min_confidence: 0.7,
      });
      assert.deepEqual(muted, [CREATOR, 'mint']);
      assert.deepEqual(defaults, { token: ['rug_pull', 'price_drop'], wallet: ['mint'] });
      assert.equal(quiet.except_critical, true);
      const watch = await ask('post /api/watchlist', { key: mine, body: { address: NOBODY } });
      assert.deepEqual([watch.body.data.alerts, watch.body.data.sensitivity], [['mint'], 'high']);
      assert.equal((await change({ quiet_hours: null })).body.data.quiet_hours, null);
      for (const [body, code, path] of [
        [{}, 'REQ_002', undefined],
        [{ quiet_hours: { from: '22:00' } }, 'REQ_002', 'quiet_hours.to'],
        [{ quiet_hours: { from: '24:00' } }, 'REQ_001', 'quiet_hours.from'],
        [{ thresholds: { drop: 1 } }, 'REQ_001', 'thresholds.drop'],
        [{ thresholds: { price_drop: 2 } }, 'REQ_001', 'thresholds.price_drop'],
      ] as const) {
        assertRefused(await change(body), 400, code, path);
      }
      const endless = await change({ quiet_hours: { timezone: 'UTC' } });
      assert.equal(
        endless.body.message,
        'quiet_hours.from: is required; quiet_hours.to: is required',
      );
      const free = await newKey('free');
      const refused = await change({ channels: { webhook: true } }, free);
      assert.deepEqual([refused.status, refused.body.required_tier], [403, 'starter']);
      const theirs = await change({ min_severity: 'critical' }, free);
      assert.deepEqual([theirs.body.data.channels.webhook, theirs.body.data.muted], [false, []]);
    });

    it('are webhooks, whose secret is shown once, and whose deliveries are paged', async () => {
      const mine = await newKey('starter');
      const at = (operation: string, id: string, rest: RequestOptions & { more?: string } = {}) => {
        const { more = '', ...options } = rest;
        const url = `${(operation.split(' ')[1] ?? '').replace('{id}', id)}${more}`;
        return ask(operation, { key: mine, ...options, url });
      };
      const events = ['watchlist.alert', 'watchlist.alert'];
      const post = (body: object) =>
        ask('post /api/webhooks', { key: mine, body: { url: CLOSED_TARGET, events, ...body } });
      const created = await post({});
      const { id, secret } = created.body.data;
      assert.match(secret, /^whsec_/);
      assert.deepEqual(created.body.data.events, ['watchlist.alert']);
      assert.ok(created.headers.get('Location')?.endsWith(`/api/webhooks/${id}`));
      assert.equal('secret' in (await at('get /api/webhooks/{id}', id)).body.data, false);
      const changed = await at('patch /api/webhooks/{id}', id, {
        body: { status: 'paused', filters: { min_severity: 'warning' }, description: 'x' },
      });
      const { status, filters, url } = changed.body.data;
      assert.deepEqual(
        [status, filters, url],
        ['paused', { min_severity: 'warning' }, CLOSED_TARGET],
      );
      const rotated = await at('post /api/webhooks/{id}/rotate-secret', id);
      assert.notEqual(rotated.body.data.secret, secret);
      const tested = (await at('post /api/webhooks/{id}/test', id)).body.data;
      assert.equal(tested.type, 'webhook.test');
      const again = await ask('post /api/webhooks/{id}/deliveries/{delivery_id}/redeliver', {
        key: mine,
        url: `/api/webhooks/${id}/deliveries/${tested.id}/redeliver`,
      });
      assert.equal(again.body.data.event_id, tested.event_id);
      const page = async (query: string) =>
        (await at('get /api/webhooks/{id}/deliveries', id, { more: `?${query}` })).body;
      const log = await page('limit=1');
      assert.deepEqual([log.pagination.total, log.data[0].id], [2, again.body.data.id]);
      const rest = await page(`cursor=${log.pagination.next_cursor}`);
      assert.deepEqual(
        rest.data.map((delivery: Json) => delivery.id),
        [tested.id],
      );
      assert.equal((await at('delete /api/webhooks/{id}', id)).status, 200);
      assertRefused(await at('get /api/webhooks/{id}', id), 404, 'RES_001');

      const own = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
      assert.equal((await post({ secret: own })).body.data.secret, own);
      for (let count = 0; count < 2; count += 1) assert.equal((await post({})).status, 201);
      const full = await post({});
      assert.deepEqual([full.status, full.body.required_tier], [403, 'pro']);
    });

    it('are chats and mailboxes, of which nothing secret is shown', async () => {
      const events = ['watchlist.alert'];
      const post = (body: object) => ask('post /api/webhooks', { body: { events, ...body } });
      const hook = '/services/T00000000/B00000000/abcdefgh';
      const token = `123456789:${'A'.repeat(35)}`;
      const hours = { from: '22:00', to: '07:00' };
      const chat = { kind: 'telegram', bot_token: token, chat_id: '-1001' };
      const said = { language: 'ru', digest: 'daily', quiet_hours: hours };
      const slack = await post({ kind: 'slack', url: `https://hooks.slack.com${hook}` });
      const telegram = await post({ ...chat, ...said });
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
      const { id, language, digest, quiet_hours: quiet, url } = telegram.body.data;
      assert.deepEqual([language, digest], ['ru', 'daily']);
      assert.deepEqual(quiet, { ...hours, timezone: 'UTC', except_critical: true });
      assert.ok(!JSON.stringify([slack.body, telegram.body]).match(/abcdefgh|AAAA/));
      const change = (body: object) =>
        ask('patch /api/webhooks/{id}', { url: `/api/webhooks/${id}`, body });
      const moved = await change({ chat_id: '@channel', digest: 'none', quiet_hours: null });
      assert.deepEqual(
        [moved.body.data.chat_id, moved.body.data.url, moved.body.data.quiet_hours],
        ['@channel', url, null],
      );
      assertRefused(await change({ url: CLOSED_TARGET }), 400, 'REQ_001', 'url');
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
        const answer = await ask('post /api/webhooks', { body });
        assertRefused(answer, 400, code);
        assert.equal(answer.body.message, message);
      }
      for (const [body, code, field] of [
        [{ kind: 'telegram', bot_token: token }, 'REQ_002', 'chat_id'],
        [{ kind: 'telegram', bot_token: 'x', chat_id: '1' }, 'REQ_001', 'bot_token'],
        [{ kind: 'telegram', bot_token: token, chat_id: 'a b' }, 'REQ_001', 'chat_id'],
        [{ kind: 'slack', url: 'https://hooks.slack.com.evil.test/' }, 'REQ_001', 'url'],
        [{ kind: 'discord', url: `https://hooks.slack.com${hook}` }, 'REQ_001', 'url'],
        [{ kind: 'email', email: 'a@b.example, c@d.example' }, 'REQ_001', 'email'],
        [{ kind: 'email', email: 'a@b.example\r\nBcc: c@d.example' }, 'REQ_001', 'email'],
        [{ url: CLOSED_TARGET, digest: 'daily' }, 'REQ_001', 'digest'],
        [{ url: CLOSED_TARGET, quiet_hours: hours }, 'REQ_001', 'quiet_hours'],
        [{ url: CLOSED_TARGET, chat_id: '1' }, 'REQ_001', 'chat_id'],
      ] as const) {
        assertRefused(await post(body), 400, code, field);
      }
    });

    it('are reports, written once for a verdict and language, and read in three forms', async () => {
      const generate = (address: Hex, body?: unknown) =>
        ask('post /api/reports/generate/{address}', {
          url: `/api/reports/generate/${address}`,
          ...(body === undefined ? {} : { body }),
        });
      const first = await generate(TOKEN);
      assert.equal(first.status, 201, first.text);
      const again = await generate(TOKEN, { language: 'en' });
      assert.deepEqual([again.status, again.body], [200, first.body]);
      const { self, html } = first.body.data.urls;
      assert.deepEqual((await api.call(self, { key })).body, first.body);
      const markdown = await api.call(`${self}?format=markdown`, { key });
      assert.match(markdown.headers.get('Content-Type') ?? '', /^text\/markdown/);
      assert.equal(markdown.text, first.body.data.markdown);
      const page = await api.call(html, { key });
      assert.match(page.headers.get('Content-Type') ?? '', /^text\/html/);
      assert.match(page.headers.get('Content-Security-Policy') ?? '', /^default-src 'none'/);
      const { sections } = (await generate(TOKEN, { sections: ['method', 'verdict', 'method'] }))
        .body.data;
      assert.deepEqual(
        sections.map(({ id }: Json) => id),
        ['verdict', 'method'],
      );
      // It is known as a wallet, but may still be a token.
      const analysed = endNextJob({ status: 'failed', error: 'not_a_contract' });
      const { subject, verdict } = (await generate(KNOWN.puppet)).body.data;
      assert.deepEqual([subject, verdict.is_rug], ['wallet', null]);
      await analysed;
    });

    it('are reports that wait for an analysis, and say when to come back when it takes longer', async () => {
      const late = await ask('post /api/reports/generate/{address}', {
        url: `/api/reports/generate/${NOBODY}`,
      });
      assertRefused(late, 503, 'SYS_002');
      assert.equal(late.headers.get('Retry-After'), '5');
    });

    it('are disputes, which are shown without whom to write to', async () => {
      const body = {
        address: TOKEN,
        kind: 'false_positive',
        details: 'Sells work since block 17',
        contact: 'a@example.org',
      };
      const added = await ask('post /api/feedback', { body });
      assert.equal(added.status, 201, added.text);
      assert.ok(!added.text.includes('example.org'));
      const path = `/api/feedback/${added.body.data.id}`;
      assert.deepEqual((await api.call(path, { key })).body.data, added.body.data);
      const wrong = await ask('post /api/feedback', { body: { ...body, contact: 'x' } });
      assertRefused(wrong, 400, 'REQ_001', 'contact');
    });

    it('is a quota, which polling, health and unchanged objects do not count for, but refusals do', async () => {
      const mine = await newKey('starter');
      const used = async () =>
        (await ask('get /api/usage', { key: mine })).body.data.day.used as number;
      const token = { key: mine, url: `/tokens/${TOKEN}` };
      const body = { address: addressOf(0xa4) };
      const started = await ask('post /tokens/analyze', { key: mine, body });
      const job = `/tokens/analyze/${started.body.data.job_id}`;
      await ask('get /tokens/analyze/{job_id}', { key: mine, url: job });
      await api.call('/api/health', { key: mine });
      assert.equal(await used(), 1);
      const first = await ask('get /tokens/{address}', token);
      assert.equal(await used(), 2);
      const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
      const same = await api.call(token.url, { key: mine, headers });
      assert.equal(same.status, 304);
      assert.equal(await used(), 2);
      await ask('get /tokens', { key: mine, url: '/tokens?limit=x' });
      assert.equal(await used(), 3);
      await eventually(
        () => ask('get /api/usage', { key: mine }),
        ({ body: { data } }) => data.last_24h.some(({ errors }: Json) => errors === 1),
      );
    });
  });
});
