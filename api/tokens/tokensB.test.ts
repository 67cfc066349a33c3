import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Hex } from '../../shared/chain/block.ts';
import { LANGUAGES } from '../../shared/sentences/language.ts';
import type { SearchHit } from '../search/schema.ts';
import { forbiddenErrorSchema, quotaErrorSchema } from '../server/apiError.ts';
import type { AppPorts } from '../server/app.ts';
import { addressOf, createFakePorts, NOW_MS, verdictOf } from '../testing/fakePorts.ts';
import { createFakeTokenPorts, createFakeTokens } from '../testing/fakeTokens.ts';
import { startApp } from '../testing/startApp.ts';
import type { Jobs } from './jobs.ts';

const setup = async (changes: Partial<AppPorts> = {}) => {
  const { ports, keys } = createFakePorts(changes);
  const app = await startApp(ports);
  return { ...app, keys, ...keys.add('pro') };
};

/** Analyses that end at the second look. */
const endingJobs = (end: { status: 'completed' | 'failed'; error?: string }): Jobs => {
  const record = {
    jobId: `job_${'1'.repeat(26)}`,
    family: 'any',
    chainId: 1,
    token: addressOf(1),
    createdAtMs: NOW_MS,
  };
  return {
    start: async ({ token }) => ({
      record: { ...record, token, status: 'analyzing' },
      isNew: true,
    }),
    find: async () => ({ ...record, ...end }),
  };
};

describe('tokens of style B', () => {
  let app: Awaited<ReturnType<typeof setup>>;
  before(async () => {
    app = await setup();
  });
  after(() => app.close());
  const get = (path: string, headers = {}) => app.call(path, { key: app.key, headers });

  it('shows the verdict of style A in its own terms, with an entity tag', async () => {
    const [a, b] = await Promise.all([
      get(`/tokens/${addressOf(1)}`),
      get(`/api/tokens/${addressOf(1).toUpperCase().replace('0X', '0x')}`),
    ]);
    assert.deepEqual(b.body, {
      data: {
        address: addressOf(1),
        name: 'Moon Pepe',
        symbol: 'MPEPE',
        is_rug: true,
        confidence: a.body.data.confidence / 100,
        risk_score: 94.5,
        risk_level: 'CRITICAL',
        certainty: 'clear',
        advice: 'avoid',
      },
      success: true,
    });
    const etag = b.headers.get('ETag') ?? '';
    // Style A also shows the ring of the creator, which may change without a new verdict.
    assert.equal(a.headers.get('ETag'), etag.replace(/"$/, '."'));
    const again = await get(`/api/tokens/${addressOf(1)}`, { 'If-None-Match': etag });
    assert.equal(again.status, 304);
    assert.equal((await get(`/api/tokens/${addressOf(9)}`)).status, 404);
  });

  it('lists in offset mode by default, and in page mode when asked to', async () => {
    const byOffset = await get('/api/tokens');
    assert.deepEqual(byOffset.body.pagination, {
      total: 3,
      limit: 20,
      offset: 0,
      page: null,
      has_more: false,
      next_cursor: null,
    });
    assert.ok(Array.isArray(byOffset.body.data));
    const byPage = await get('/api/tokens?page=2&limit=2');
    assert.deepEqual(
      [byPage.body.data.length, byPage.body.pagination.page, byPage.body.pagination.offset],
      [1, 2, 2],
    );
    const large = await get('/api/tokens?limit=1000');
    assert.deepEqual([large.body.pagination.limit, large.body.pagination.page], [1000, 1]);
    assert.equal(large.headers.get('X-Total-Count'), '3');
  });

  it('refuses what is ambiguous or out of range, naming it', async () => {
    for (const [query, path] of [
      ['page=1&offset=0', 'offset'],
      ['limit=101&offset=0', 'limit'],
      ['limit=1001', 'limit'],
      ['confidence_min=1.5', 'confidence_min'],
      ['confidence_min=1e-1', 'confidence_min'],
      ['confidence_min=0.9&confidence_max=0.8', 'confidence_min'],
      ['is_rug=yes', 'is_rug'],
      ['risk_level=low', 'risk_level'],
      ['created_after=yesterday', 'created_after'],
      ['sort_by=doc', 'sort_by'],
      ['sort_order=down', 'sort_order'],
      ['cursor=nonsense', 'cursor'],
      ['colour=red', 'colour'],
    ]) {
      const answer = await get(`/api/tokens?${query}`);
      assert.equal(answer.status, 400, query);
      assert.equal(answer.body.details[0].path, path, query);
    }
  });

  it('filters by every field and follows cursors through every sort', async () => {
    const created = Math.floor(NOW_MS / 1000) - 3_600;
    const isoOf = (s: number) => new Date(s * 1000).toISOString();
    for (const [query, addresses] of [
      ['is_rug=false', [2]],
      ['risk_level=HIGH', [3]],
      ['risk_level=MEDIUM&is_rug=true', []],
      ['confidence_min=0.95', [1]],
      ['confidence_max=0.6', [3, 2]],
      ['confidence_min=0.6&confidence_max=0.6&is_rug=true', [3]],
      [`created_after=${isoOf(created)}`, [3, 2, 1]],
      [`created_after=${isoOf(created + 1)}`, []],
      [`created_before=${isoOf(created - 1)}`, []],
    ] as const) {
      const { body, text } = await get(`/api/tokens?${query}`);
      assert.deepEqual(
        body.data.map((token: { address: string }) => token.address),
        addresses.map((byte) => addressOf(byte)),
        `${query}: ${text}`,
      );
      assert.equal(body.pagination.total, addresses.length, query);
    }
    for (const sort of ['created_at', 'confidence', 'risk_score', 'analyzed_at', 'symbol']) {
      const whole = await get(`/api/tokens?sort_by=${sort}`);
      const pages: unknown[] = [];
      let cursor = '';
      do {
        const page = await get(`/api/tokens?sort_by=${sort}&limit=1${cursor}`);
        pages.push(...page.body.data);
        cursor = page.body.pagination.next_cursor && `&cursor=${page.body.pagination.next_cursor}`;
      } while (cursor);
      assert.deepEqual(pages, whole.body.data, sort);
    }
  });

  it('shows the history with what changed, and 404 without any', async () => {
    const { body, status } = await get(`/api/tokens/${addressOf(1)}/history`);
    assert.equal(status, 200);
    assert.deepEqual(body.data[0].changed, []);
    assert.equal(body.pagination.total, 1);
    assert.equal((await get(`/api/tokens/${addressOf(9)}/history`)).status, 404);
    const forged = Buffer.from(JSON.stringify(['history', 1.5, 'a'.repeat(64)])).toString(
      'base64url',
    );
    const refused = await get(`/api/tokens/${addressOf(1)}/history?cursor=${forged}`);
    assert.equal(refused.status, 400);
  });
});

describe('predictions', () => {
  const post = async (changes: Partial<AppPorts>, body?: unknown) => {
    const app = await setup(changes);
    try {
      const options = body === undefined ? {} : { body };
      return await app.call(`/api/predict/${addressOf(1)}`, {
        key: app.key,
        method: 'POST',
        ...options,
      });
    } finally {
      await app.close();
    }
  };

  it('need no body, wait for the verdict and explain it in each language', async () => {
    const plain = await post({ jobs: endingJobs({ status: 'completed' }) });
    assert.equal(plain.status, 200, plain.text);
    assert.deepEqual(
      [plain.body.data.status, plain.body.data.is_rug, plain.body.data.cached],
      ['completed', true, false],
    );
    const { contributions } = plain.body.data.explanation;
    assert.deepEqual(
      contributions.map(({ feature }: { feature: string }) => feature),
      ['ageS', 'holder_count'],
    );
    const texts = await Promise.all(
      LANGUAGES.map(async (language) => {
        const { body } = await post({ jobs: endingJobs({ status: 'completed' }) }, { language });
        return body.data.explanation.contributions[0].text;
      }),
    );
    assert.equal(new Set(texts).size, LANGUAGES.length);
  });

  it('report a fresh verdict as cached, a running job to poll and a failure in the message', async () => {
    assert.equal((await post({})).body.data.cached, true);
    const running = await post({ tokens: createFakeTokens([]) }, { wait: 0 });
    assert.equal(running.body.data.status, 'analyzing');
    assert.match(running.body.data.job_id, /^job_/);
    assert.equal(running.headers.get('Retry-After'), '1');
    const failed = await post({ jobs: endingJobs({ status: 'failed', error: 'not_a_token: x' }) });
    assert.deepEqual(
      [failed.status, failed.body.data.status, failed.body.message],
      [200, 'failed', 'not_a_token: x'],
    );
  });

  it('refuse a wait and a language that do not exist', async () => {
    for (const body of [{ wait: 26 }, { wait: '1' }, { language: 'de' }, { forced: true }]) {
      assert.equal((await post({}, body)).status, 400, JSON.stringify(body));
    }
  });
});

describe('batches', () => {
  let app: Awaited<ReturnType<typeof setup>>;
  before(async () => {
    app = await setup();
  });
  after(() => app.close());
  const post = (key: string, body: unknown) =>
    app.call('/api/tokens/batch', { key, method: 'POST', body });

  it('answer each address by itself, in the order sent, and cost one unit each', async () => {
    const { key, family } = app.keys.add('pro');
    const addresses = ['nope', addressOf(2), addressOf(1), addressOf(2), addressOf(9)];
    const { body, headers } = await post(key, { addresses, mode: 'cached' });
    assert.deepEqual(
      body.data.results.map(({ address, status, code }: Record<string, unknown>) => [
        address,
        status,
        code,
      ]),
      [
        ['nope', 'failed', 'REQ_001'],
        [addressOf(2), 'completed', undefined],
        [addressOf(1), 'completed', undefined],
        [addressOf(9), 'failed', 'RES_001'],
      ],
    );
    const { total, completed, analyzing, failed, quota_cost: cost } = body.data;
    assert.deepEqual([total, completed, analyzing, failed, cost], [4, 2, 0, 2, 3]);
    assert.equal(app.keys.used(family), 3);
    assert.equal(headers.get('X-RateLimit-Remaining'), String(100_000 - 3));
  });

  it('begin what is missing', async () => {
    const { body } = await post(app.key, { addresses: [addressOf(8)] });
    assert.equal(body.data.analyzing, 1);
    assert.match(body.data.results[0].job_id, /^job_/);
  });

  it('take nothing where the quota does not hold all', async () => {
    const { key, family } = app.keys.add('pro');
    app.keys.use(family, 99_999);
    const refused = await post(key, { addresses: [addressOf(1), addressOf(2)] });
    assert.equal(refused.status, 429);
    assert.equal(quotaErrorSchema.parse(refused.body).policy, 'day');
    assert.equal(app.keys.used(family), 99_999);
    assert.equal((await post(key, { addresses: [addressOf(1)] })).status, 200);
  });

  it('are bounded by the tier and checked', async () => {
    const many = Array.from({ length: 101 }, (_, index) => addressOf(index + 1));
    assert.equal((await post(app.key, { addresses: many })).status, 400);
    const { key } = app.keys.add('enterprise');
    assert.equal((await post(key, { addresses: many, mode: 'cached' })).status, 200);
    assert.equal((await post(app.key, { addresses: [] })).body.code, 'REQ_001');
    assert.equal((await post(app.key, { addresses: [7] })).body.code, 'REQ_001');
    assert.equal((await post(app.key, {})).body.code, 'REQ_002');
    const starter = await post(app.keys.add('starter').key, { addresses: [addressOf(1)] });
    assert.equal(starter.status, 403);
    assert.equal(forbiddenErrorSchema.parse(starter.body).required_tier, 'pro');
  });
});

describe('search', () => {
  let app: Awaited<ReturnType<typeof setup>>;
  before(async () => {
    app = await setup({
      tokens: createFakeTokens([verdictOf(addressOf(1))]),
    });
  });
  after(() => app.close());
  const search = async (q: string, more = '') =>
    (await app.call(`/api/search?q=${encodeURIComponent(q)}${more}`, { key: app.key })).body.data;
  const advanced = (body: unknown) =>
    app.call('/api/search/advanced', { key: app.key, method: 'POST', body });

  it('finds by symbol, name, address and letters that look alike', async () => {
    for (const [q, match] of [
      ['mpepe', 'symbol'],
      ['МРЕРЕ', 'symbol'],
      ['ＭＰＥＰＥ', 'symbol'],
      ['moon p', 'name'],
      ['pepe', 'symbol'],
      [addressOf(1), 'address'],
      [addressOf(1).slice(0, 8), 'address'],
    ] as const) {
      const { results } = await search(q);
      assert.deepEqual([results[0]?.address, results[0]?.match], [addressOf(1), match], q);
    }
    assert.equal((await search(addressOf(1))).results[0].relevance, 1);
    assert.ok(
      (await search('mpepe')).results[0].relevance > (await search('mpep')).results[0].relevance,
    );
  });

  it('finds the tokens of a pool that have a verdict, after the token or wallet that the address is', async () => {
    const verdicts = [verdictOf(addressOf(1)), verdictOf(addressOf(2))];
    const { ports, keys } = createFakePorts({ tokens: createFakeTokens(verdicts) });
    const { search: found } = createFakeTokenPorts(verdicts, NOW_MS);
    const asked: Hex[] = [];
    const poolTokens = async (pool: Hex): Promise<Hex[]> => {
      asked.push(pool);
      return [addressOf(1), addressOf(2), addressOf(3)];
    };
    const pools = await startApp({ ...ports, search: { ...found, poolTokens } });
    const { key } = keys.add('free');
    const find = async (query: string) =>
      (await pools.call(`/api/search?q=${query}`, { key })).body.data;
    const id = `0x${'ab'.repeat(32)}`;
    for (const pool of [addressOf(0xf0), id]) {
      const { results, total } = await find(pool.toUpperCase().replace('X', 'x'));
      assert.deepEqual(
        results.map(({ type, address, match, relevance }: SearchHit) => [
          type,
          address,
          match,
          relevance,
        ]),
        [1, 2].map((number) => ['token', addressOf(number), 'pool', 1]),
      );
      assert.equal(total, 2);
    }
    assert.deepEqual(asked, [addressOf(0xf0), id]);
    const { results } = await find(addressOf(1));
    assert.deepEqual(
      results.map(({ address, match }: SearchHit) => [address, match]),
      [
        [addressOf(1), 'address'],
        [addressOf(2), 'pool'],
      ],
    );
    for (const query of [`${addressOf(0xf0)}&type=wallet`, 'mpepe', '0x1234']) await find(query);
    assert.equal(asked.length, 3, 'only addresses and ids');
    await pools.close();
  });

  it('takes the text as a value, never as a pattern', async () => {
    for (const q of ['%%', '__', 'm%e', String.raw`\\`])
      assert.equal((await search(q)).total, 0, q);
  });

  it('finds wallets and rings where asked for', async () => {
    const { results } = await search(addressOf(0xcc));
    assert.equal(results[0]?.type, 'wallet');
    assert.equal((await search(addressOf(0xcc), '&type=token')).total, 0);
  });

  it('refuses a missing, short and long text', async () => {
    const refused = async (query: string) =>
      (await app.call(`/api/search${query}`, { key: app.key })).body.code;
    assert.equal(await refused(''), 'REQ_002');
    assert.equal(await refused('?q=x'), 'REQ_001');
    assert.equal(await refused(`?q=${'x'.repeat(129)}`), 'REQ_001');
  });

  it('filters by verdict, features and failed checks', async () => {
    for (const [filters, total] of [
      [{}, 1],
      [{ is_rug: false }, 0],
      [{ risk_score: { min: 90 }, confidence: { min: 0.9 } }, 1],
      [{ features: { holder_count: { max: 211 } } }, 0],
      [{ features: { holder_count: { min: 212, max: 212 } } }, 1],
      [{ features: { largestGapS: { min: -1 } } }, 0],
      [{ checks: { none: ['sell_simulation'] } }, 1],
      [{ checks: { any: ['sell_simulation'] } }, 0],
      [{ creator: addressOf(0xcc) }, 1],
      [{ creator: addressOf(0xcd) }, 0],
    ] as const) {
      const { body, text } = await advanced({ filters });
      assert.equal(body.data?.total, total, `${JSON.stringify(filters)}: ${text}`);
    }
    assert.equal((await advanced({ query: 'mооn' })).body.data.total, 1);
  });

  it('refuses unknown filters, wrong sorts and empty ranges by name', async () => {
    for (const [body, path] of [
      [{ filters: { colour: 1 } }, 'filters.colour'],
      [{ filters: { size: { min: 3 } } }, 'filters.size'],
      [{ filters: { confidence: { min: 0.9, max: 0.1 } } }, 'filters.confidence.min'],
      [{ filters: { created: { after: '0000-01-01' } } }, 'filters.created.after'],
      [{ filters: { created: { before: '9999-12-31' } } }, 'filters.created.before'],
      [{ filters: { features: { 'a b': {} } } }, 'filters.features.a b'],
      [{ filters: { features: { holder_cuont: { min: 1 } } } }, 'filters.features.holder_cuont'],
      [{ sort_by: 'size' }, 'sort_by'],
      [{ entity: 'cluster', sort_by: 'created_at' }, 'sort_by'],
      [{ limit: 1001 }, 'limit'],
    ] as const) {
      const answer = await advanced(body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.equal(answer.body.details[0].path, path);
    }
    const misspelt = await advanced({ filters: { features: { holder_cuont: { min: 1 } } } });
    assert.match(misspelt.body.details[0].message, /must be one of holder_count, /);
    const free = app.keys.add('free').key;
    const refused = await app.call('/api/search/advanced', { key: free, method: 'POST', body: {} });
    assert.equal(forbiddenErrorSchema.parse(refused.body).required_tier, 'pro');
  });
});

describe('feedback and usage', () => {
  let app: Awaited<ReturnType<typeof setup>>;
  before(async () => {
    app = await setup();
  });
  after(() => app.close());

  it('keeps a dispute for its own family, without the contact', async () => {
    const body = {
      address: addressOf(1),
      kind: 'false_positive',
      details: 'Sells work since block 17',
      contact: 'a@example.org',
    };
    const added = await app.call('/api/feedback', { key: app.key, method: 'POST', body });
    assert.equal(added.status, 201, added.text);
    assert.ok(!added.text.includes('example.org'));
    const path = `/api/feedback/${added.body.data.id}`;
    assert.deepEqual((await app.call(path, { key: app.key })).body.data, added.body.data);
    assert.equal((await app.call(path, { key: app.keys.add().key })).status, 404);
    for (const wrong of [{ ...body, details: 'short' }, { ...body, contact: 'x' }, { kind: 'x' }]) {
      const answer = await app.call('/api/feedback', { key: app.key, method: 'POST', body: wrong });
      assert.equal(answer.status, 400);
    }
  });

  it('reports quota and requests by hour, and costs nothing', async () => {
    const { key, family } = app.keys.add('starter');
    await app.call('/stats', { key });
    await app.call('/nowhere', { key });
    const { body } = await app.call('/api/usage', { key });
    assert.deepEqual(body.data, {
      tier: 'starter',
      day: { limit: 10_000, used: 2, remaining: 9_998, resets_at: '2026-11-22T00:00:00Z' },
      minute: { limit: 100, remaining: 100 },
      last_24h: [{ hour: '2026-11-21T05:00:00Z', requests: 2, errors: 1 }],
    });
    assert.equal(app.keys.used(family), 2);
  });
});
