import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { pino } from 'pino';
import { RetryableError } from '../../shared/platform/errors.ts';
import { ALERT_TYPES } from '../../shared/rules/artifacts/alertTypes.ts';
import { WALLET_ROLES } from '../../shared/rules/walletRoles.ts';
import { EDGE_TYPES } from '../graph/graph.ts';
import {
  addressOf,
  createFakeHealth,
  createFakePorts,
  NOW_MS,
  verdictOf,
} from '../testing/fakePorts.ts';
import { type Answer, startApp } from '../testing/startApp.ts';
import { errorSchema, quotaErrorSchema } from './apiError.ts';
import type { AppPorts } from './app.ts';

/** An application with some ports replaced, and a key for it. */
const setup = async (
  changes: Partial<AppPorts> = {},
  replaced: (ports: AppPorts) => Partial<AppPorts> = () => ({}),
) => {
  const { ports, keys } = createFakePorts(changes);
  const app = await startApp({ ...ports, ...replaced(ports) });
  return { ...app, keys, ...keys.add('pro') };
};

/** For tests that change nothing visible to others. */
const app = await setup();
after(() => app.close());

const assertError = (answer: Answer, status: number, code: string): void => {
  assert.equal(answer.status, status, answer.text);
  const body = errorSchema.strict().parse(answer.body);
  assert.equal(body.code, code);
  assert.equal(body.request_id, answer.headers.get('X-Request-Id'));
};

/** Work that continues when it is released. */
const hold = () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let entered = (): void => undefined;
  const inside = new Promise<void>((resolve) => (entered = resolve));
  const wait = async (): Promise<void> => {
    entered();
    await held;
  };
  return { wait, inside, release: () => release() };
};

/** An application with these limits, and a request for its statistics that is held. */
const setupHeld = async (concurrencyLimits: NonNullable<AppPorts['concurrencyLimits']>) => {
  const { wait, inside, release } = hold();
  const app = await setup({ concurrencyLimits }, ({ stats }) => ({
    stats: { read: () => wait().then(() => stats.read()) },
  }));
  const first = app.call('/stats', { key: app.key });
  await inside;
  /** Lets the held request be answered. */
  const end = async (): Promise<void> => {
    release();
    assert.equal((await first).status, 200);
  };
  return { ...app, end };
};

describe('quota', () => {
  it('is sent with every answer, as in the specification and as in the draft', async () => {
    const { key } = app.keys.add('free');
    for (const path of ['/stats', '/nowhere', '/tokens?limit=0']) {
      const { headers } = await app.call(path, { key });
      assert.equal(headers.get('X-RateLimit-Limit'), '200');
      assert.match(headers.get('X-RateLimit-Remaining') ?? '', /^19\d$/);
      assert.equal(Number(headers.get('X-RateLimit-Reset')), NOW_MS / 1000 + 66_600);
      assert.equal(headers.get('RateLimit-Policy'), '"day";q=200;w=86400, "minute";q=10;w=60');
      assert.match(headers.get('RateLimit') ?? '', /^"day";r=19\d;t=66600, "minute";r=\d+;t=0$/);
    }
  });

  it('answers 429 with the quota envelope when it is used up', async () => {
    const { key, family } = app.keys.add('free');
    app.keys.use(family, 200);
    const answer = await app.call('/stats', { key });
    assert.equal(answer.status, 429);
    const body = quotaErrorSchema.strict().parse(answer.body);
    assert.deepEqual(
      [body.tier, body.limit, body.policy, body.upgrade],
      ['free', 200, 'day', 'http://api.test/dashboard/plans'],
    );
    assert.equal(answer.headers.get('Retry-After'), String(body.retry_after));
    assert.equal(answer.headers.get('X-RateLimit-Remaining'), '0');
  });

  it('shows unlimited as the largest 32-bit integer, undiminished', async () => {
    const { key } = app.keys.add('enterprise');
    const { headers } = await app.call('/stats', { key });
    assert.equal(headers.get('X-RateLimit-Limit'), '2147483647');
    assert.equal(headers.get('X-RateLimit-Remaining'), '2147483647');
  });
});

describe('validation', () => {
  /** In addition to what `conformance.integration.test.ts` tests for every parameter. */
  const queries = [
    ['limit=%20', 'limit'],
    ['limit=0x10', 'limit'],
    ['cursor=%00', 'cursor'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
    [`cursor=${'a'.repeat(513)}`, 'cursor'],
  ] as const;
  for (const [query, name] of queries) {
    it(`names the wrong parameter: ${query.slice(0, 30)}`, async () => {
      const answer = await app.call(`/tokens?${query}`, { key: app.key });
      assertError(answer, 400, 'REQ_001');
      assert.deepEqual([answer.body.details[0].in, answer.body.details[0].path], ['query', name]);
      assert.ok(answer.body.message.startsWith(`${name}: `));
    });
  }

  const sentences = [
    ['/tokens?limit=-1', undefined, 'limit: must be a whole number from 1 to 100'],
    ['/tokens?offset=x', undefined, 'offset: must be a whole number from 0 to 10000'],
    ['/tokens?limit=1&limit=2', undefined, 'limit: must be given once'],
    ['/tokens?order=asc&order=desc', undefined, 'order: must be given once'],
    [
      `/api/graph/${addressOf(1)}?types=funded,x`,
      undefined,
      `types: must be one of ${EDGE_TYPES.join(', ')}`,
    ],
    ['/tokens/analyze', { address: [] }, 'address: must be a string, not an array'],
    ['/api/search?q=x', undefined, 'q: must contain at least 2 characters'],
    [
      '/api/search/advanced',
      { filters: { risk_level: [] } },
      'filters.risk_level: must contain at least 1 element',
    ],
    [
      '/api/search/advanced',
      { filters: { features: { holders: { min: 1 } } } },
      'filters.features.holders: is not a feature, as holder_count is one; GET /openapi.json names all of them in searchAdvanced',
    ],
    [
      '/api/search/advanced',
      { filters: { checks: { any: ['can_sell'] } } },
      'filters.checks.any.0: is not a check, as liquidity_drained is one; GET /openapi.json names all of them in searchAdvanced',
    ],
    [
      '/api/search/advanced',
      { entity: 'wallet', filters: { role: ['scammer'] } },
      `filters.role.0: must be one of ${WALLET_ROLES.join(', ')}`,
    ],
    [
      '/api/feedback',
      { address: addressOf(1), kind: 'false_positive', details: ' '.repeat(10) },
      'details: must contain at least 10 characters',
    ],
    [
      '/api/alerts/configure',
      { muted: ['x'] },
      `muted.0: must be an address: 0x and 40 hexadecimal digits, or one of ${ALERT_TYPES.join(', ')}`,
    ],
    [
      '/api/alerts/configure',
      { muted: Array.from({ length: 2_000 }, () => 'x') },
      'body: must have at most 2000 values in all',
    ],
    [
      '/api/alerts/configure',
      { dedupe_window_seconds: 86_401, thresholds: { creator_sell_usd: -1 } },
      'thresholds.creator_sell_usd: must be >= 0; dedupe_window_seconds: must be <= 86400',
    ],
  ] as const;
  for (const [path, body, message] of sentences) {
    it(`says what is allowed: ${message}`, async () => {
      const method = body ? 'POST' : 'GET';
      const answer = await app.call(path, { key: app.key, method, body });
      assertError(answer, 400, 'REQ_001');
      assert.equal(answer.body.message, message);
    });
  }

  it('is not changed for others by a query that is named like a part of every object', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
      const answer = await app.call(`/tokens?${name}`, { key: app.key });
      assertError(answer, 400, 'REQ_001');
      assert.equal(answer.body.details[0].path, name);
      assert.equal((await app.call('/stats', { key: app.key })).status, 200);
    }
    assert.deepEqual(Object.keys(Object.prototype), []);
  });

  const bodies: [string, unknown, number, string, string?][] = [
    ['no body', undefined, 400, 'REQ_002'],
    ['empty object', {}, 400, 'REQ_002', 'address'],
    ['array', [], 400, 'REQ_001'],
    ['null', 'null', 400, 'REQ_001'],
    ['text', '"x"', 400, 'REQ_001'],
    ['malformed', '{"address":', 400, 'REQ_001'],
    ['two values', '{} {}', 400, 'REQ_001'],
    ['wrong type', { address: 7 }, 400, 'REQ_001', 'address'],
    ['bad address', { address: '0x12' }, 400, 'REQ_001', 'address'],
    ['boolean as text', { address: addressOf(1), force: 'true' }, 400, 'REQ_001', 'force'],
    ['unknown field', { address: addressOf(1), chain: 1 }, 400, 'REQ_001', 'chain'],
    ['prototype', `{"address":"${addressOf(1)}","__proto__":{}}`, 400, 'REQ_001', '__proto__'],
    ['too deep', '['.repeat(21) + ']'.repeat(21), 400, 'REQ_001'],
    ['far too deep', '['.repeat(100_000) + ']'.repeat(100_000), 400, 'REQ_001'],
    ['too large', { address: 'a'.repeat(256 * 1024) }, 413, 'REQ_001'],
  ];
  for (const [name, body, status, code, path] of bodies) {
    it(`refuses a body: ${name}`, async () => {
      const answer = await app.call('/tokens/analyze', {
        key: app.key,
        method: 'POST',
        body,
      });
      assertError(answer, status, code);
      if (path) assert.equal(answer.body.details[0].path, path);
    });
  }

  it('refuses a number that JSON can write but no number holds', async () => {
    const body = '{"thresholds":{"creator_sell_usd":1e999}}';
    const options = { key: app.key, method: 'POST', body };
    const answer = await app.call('/api/alerts/configure', options);
    assertError(answer, 400, 'REQ_001');
    assert.match(answer.body.message, /^thresholds\.creator_sell_usd: must be <= 1\.79/);
  });

  it('lists the names that are known where one is not', async () => {
    const told = async (path: string, body?: unknown): Promise<string> => {
      const method = body === undefined ? 'GET' : 'POST';
      return (await app.call(path, { key: app.key, method, body })).body.message;
    };
    const address = addressOf(1);
    assert.equal(
      await told('/tokens/analyze', { address, chain: 1 }),
      'chain: is not a known field; known here: address, force',
    );
    assert.match(
      await told('/tokens?colour=red'),
      /^colour: is not a known parameter; known here: limit, /,
    );
    assert.equal(
      await told('/stats?colour=red'),
      'colour: is not a known parameter: there are none here',
    );
    const nested = { channels: { fax: true } };
    assert.match(
      await told('/api/alerts/configure', nested),
      /^channels\.fax: is not a known field; known here: .*webhook/,
    );
  });

  it('refuses a large body of unknown length while it arrives', async () => {
    const chunk = new Uint8Array(64 * 1024).fill(0x20);
    let sent = 0;
    const stream = new ReadableStream({
      pull: (controller) => {
        sent += 1;
        if (sent > 20) controller.close();
        else controller.enqueue(chunk);
      },
    });
    const response = await fetch(`${app.baseUrl}/tokens/analyze`, {
      method: 'POST',
      headers: { 'X-API-Key': app.key, 'Content-Type': 'application/json' },
      body: stream,
      duplex: 'half',
    } as RequestInit);
    assert.equal(response.status, 413);
    await response.text();
  });

  it('refuses other content types, charsets and encodings', async () => {
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
    ];
    for (const type of [...types, 'multipart/form-data; boundary=x', 'nonsense']) {
      const headers = { 'Content-Type': type };
      const answer = await app.call('/tokens/analyze', {
        key: app.key,
        method: 'POST',
        headers,
        body: '{}',
      });
      assertError(answer, 415, 'REQ_001');
    }
    const headers = { 'Content-Encoding': 'gzip' };
    const options = { key: app.key, method: 'POST', headers, body: '{}' };
    assertError(await app.call('/tokens/analyze', options), 415, 'REQ_001');
  });

  it('answers 404 for unknown paths and 405 with Allow for other methods', async () => {
    const { key } = app;
    for (const path of ['/nope', '/', '/tokens/a/b', '/TOKENS', '/__proto__', '/docs/nope']) {
      assertError(await app.call(path, { key }), 404, 'RES_001');
    }
    const cases = [
      ['PUT', '/tokens', 'GET, HEAD'],
      ['GET', '/tokens/analyze', 'POST'],
      ['PATCH', '/watchlist', 'GET, POST, HEAD'],
      ['GET', '/watchlist/1', 'DELETE'],
    ] as const;
    for (const [method, path, allow] of cases) {
      const answer = await app.call(path, { key, method });
      assertError(answer, 405, 'REQ_001');
      assert.equal(answer.headers.get('Allow'), allow);
    }
  });

  it('accepts addresses in any letter case and answers in lower case', async () => {
    const upper = addressOf(1).toUpperCase();
    for (const written of [upper, upper.replace('X', 'x'), addressOf(1).replace('x', 'X')]) {
      const { body, text } = await app.call(`/tokens/${written}`, { key: app.key });
      assert.equal(body.data?.address, addressOf(1), text);
    }
    for (const path of ['/tokens/0x12', '/tokens/%00', '/tokens/%E0%A4%A', '/tokens/0X1']) {
      assertError(await app.call(path, { key: app.key }), 400, 'REQ_001');
    }
  });
});

describe('tokens', () => {
  it('carry an ETag of their version and an age when old', async () => {
    const old = verdictOf(addressOf(9), { analyzedAtMs: NOW_MS - 25 * 3_600_000 });
    const { key, ...aged } = await setup({}, ({ tokens }) => ({
      tokens: { ...tokens, findRecent: async () => old },
    }));
    const first = await aged.call(`/tokens/${addressOf(9)}`, { key });
    assert.equal(first.headers.get('X-Verdict-Age'), '90000');
    const etag = first.headers.get('ETag') ?? '';
    assert.match(etag, /^W\/"0x(09){20}-17\.\d+\."$/);
    for (const match of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const options = { key, headers: { 'If-None-Match': match } };
      const again = await aged.call(`/tokens/${addressOf(9)}`, options);
      assert.deepEqual([again.status, again.text], [304, '']);
    }
    await aged.close();
  });

  it('never analysed are not found', async () => {
    const answer = await app.call(`/tokens/${addressOf(0xee)}`, { key: app.key });
    assertError(answer, 404, 'RES_001');
    assert.equal(answer.body.message, 'not analysed yet: POST /tokens/analyze');
  });
});

describe('failures', () => {
  it('of dependencies are 503 with Retry-After and cost nothing', async () => {
    const findRecent = async () => {
      throw new RetryableError('ClickHouse: connect ECONNREFUSED 10.0.0.7:8123');
    };
    const { key, family, keys, ...app } = await setup({}, ({ tokens }) => ({
      tokens: { ...tokens, findRecent },
    }));
    const answer = await app.call(`/tokens/${addressOf(1)}`, { key });
    assertError(answer, 503, 'SYS_002');
    assert.equal(answer.headers.get('Retry-After'), '5');
    assert.ok(!answer.text.includes('10.0.0.7'));
    assert.equal(keys.used(family), 0);
    await app.close();
  });

  it('of the key store refuse every request', async () => {
    const admit = async () => {
      throw new RetryableError('Redis: connection is closed');
    };
    const app = await setup({}, ({ gatekeeper }) => ({ gatekeeper: { ...gatekeeper, admit } }));
    const answer = await app.call('/stats', { key: app.key });
    assertError(answer, 503, 'SYS_002');
    assert.equal(answer.headers.get('X-RateLimit-Limit'), '0');
    await app.close();
  });

  it('that are bugs are 500 without internals, logged with the request id and without keys', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
    const read = async () => {
      throw new TypeError('secret detail of the code');
    };
    const { key, ...app } = await setup({ logger, stats: { read } });
    const answer = await app.call(`/stats?api_key=${key}`);
    assertError(answer, 500, 'SYS_001');
    assert.ok(!answer.text.includes('secret detail'));
    await app.call(`/tokens/${key}`, { key });
    await app.close();
    const log = lines.join('');
    assert.ok(log.includes('secret detail') && log.includes(answer.body.request_id));
    assert.ok(!log.includes(key));
    assert.ok(!log.includes('api_key'));
  });

  it('of a body against its own schema are 500, not a wrong answer', async () => {
    const app = await setup({}, ({ stats }) => ({
      stats: { read: async () => ({ ...(await stats.read()), scam_rate: 7 }) },
    }));
    assertError(await app.call('/stats', { key: app.key }), 500, 'SYS_001');
    await app.close();
  });

  it('to answer in time are 503', async () => {
    const read = () => new Promise<never>(() => undefined);
    const app = await setup({ requestMsMax: 50, stats: { read } });
    assertError(await app.call('/stats', { key: app.key }), 503, 'SYS_002');
    await app.close();
  });

  it('by too many requests at once are 503 for those above the limit, never for probes', async () => {
    const { key, end, ...app } = await setupHeld({ apiMax: 1 });
    const second = await app.call('/stats', { key });
    assertError(second, 503, 'SYS_002');
    assert.equal(second.headers.get('Retry-After'), '1');
    assert.equal((await app.call('/healthz')).status, 200);
    await end();
    await app.close();
  });

  it('by too many requests at once of one key are 429 for it, free, and others are answered', async () => {
    const { key, family, keys, end, ...app } = await setupHeld({ familyMax: 1 });
    const second = await app.call('/tokens', { key });
    assertError(second, 429, 'AUTH_003');
    assert.match(second.body.message, /^More than 1 requests at once with your key$/);
    assert.equal(second.headers.get('Retry-After'), '1');
    assert.equal((await app.call('/tokens', { key: keys.add().key })).status, 200);
    await end();
    assert.equal(keys.used(family), 1);
    await app.close();
  });

  it('by too many requests at once of one address are 429 before anything is looked up', async () => {
    const { key, family, keys, end, ...app } = await setupHeld({ addressMax: 1 });
    const second = await app.call('/stats', { key });
    assertError(second, 429, 'AUTH_003');
    assert.equal(second.headers.get('Retry-After'), '1');
    assert.equal((await app.call('/healthz')).status, 200);
    await end();
    assert.equal((await app.call('/stats', { key })).status, 200, 'the permit is given back');
    assert.equal(keys.used(family), 2);
    await app.close();
  });

  it('by too many costly requests at once are 503, while others are answered', async () => {
    const concurrencyLimits = { sharingRunningMax: 1, heavyWaitingMax: 0 };
    const { wait, inside, release } = hold();
    const found = { paths: [], nodes: [], nodesVisited: 0, isTruncated: false };
    const paths = () => wait().then(() => found);
    const tokens = async () => ({ total: 0, hits: [] });
    const { key, ...app } = await setup({ concurrencyLimits }, ({ search, graphs }) => ({
      search: { ...search, tokens },
      graphs: { ...graphs, paths },
    }));
    const path = `/api/graph/path?from=${addressOf(1)}&to=${addressOf(2)}`;
    const first = app.call(path, { key });
    await inside;
    const second = await app.call(path, { key });
    assertError(second, 503, 'SYS_002');
    assert.equal(second.headers.get('Retry-After'), '1');
    assert.equal((await app.call('/stats', { key })).status, 200);
    assert.equal((await app.call('/api/search?q=usdt', { key })).status, 200);
    release();
    assert.equal((await first).status, 200);
    await app.close();
  });

  it('of clients that leave in the middle of a body are no bugs', async () => {
    const lines: { level: number; status?: number }[] = [];
    const write = (line: string) => void lines.push(JSON.parse(line));
    const { key, ...app } = await setup({ logger: pino({ level: 'info' }, { write }) });
    const head = `POST /tokens/analyze HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n`;
    const socket = connect(app.port, '127.0.0.1', () => {
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a`);
      setImmediate(() => socket.end());
    });
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    await app.call('/stats', { key });
    await app.close();
    assert.ok(lines.every(({ level }) => level <= 30));
  });
});

describe('conventions', () => {
  it('echo a harmless request id and replace a hostile one', async () => {
    const ask = (id: string) =>
      app.call('/stats', { key: app.key, headers: { 'X-Request-Id': id } });
    assert.equal((await ask('my-id_1.2.3')).headers.get('X-Request-Id'), 'my-id_1.2.3');
    for (const id of ['short', 'x'.repeat(65), 'has space in it', '<script>alert(1)</script>']) {
      assert.match((await ask(id)).headers.get('X-Request-Id') ?? '', /^[0-9A-HJKMNP-TV-Z]{26}$/);
    }
  });

  it('answer a preflight without a key and let scripts read the headers', async () => {
    const preflight = await app.call('/watchlist/1', { method: 'OPTIONS' });
    assert.equal(preflight.status, 204);
    assert.match(preflight.headers.get('Access-Control-Allow-Methods') ?? '', /DELETE/);
    assert.match(preflight.headers.get('Access-Control-Allow-Headers') ?? '', /X-API-Key/);
    const { headers } = await app.call('/stats');
    assert.equal(headers.get('Access-Control-Allow-Origin'), '*');
    assert.equal(headers.get('Access-Control-Allow-Credentials'), null);
    assert.match(headers.get('Access-Control-Expose-Headers') ?? '', /X-RateLimit-Remaining/);
    assert.equal(headers.get('API-Version'), '1');
  });

  it('compress what is worth it and answer HEAD without a body', async () => {
    const response = await fetch(`${app.baseUrl}/tokens/${addressOf(1)}`, {
      headers: { 'X-API-Key': app.key, 'Accept-Encoding': 'br' },
    });
    assert.equal(response.headers.get('Content-Encoding'), 'br');
    const body = (await response.json()) as { data: { address: string } };
    assert.equal(body.data.address, addressOf(1));
    const small = await app.call('/stats', { key: app.key, headers: { 'Accept-Encoding': 'br' } });
    assert.equal(small.headers.get('Content-Encoding'), null);
    const head = await app.call('/stats', { key: app.key, method: 'HEAD' });
    assert.deepEqual([head.status, head.text], [200, '']);
  });

  it('are not ready while the index is built, and say so', async () => {
    const checks = { redis: 'up', clickhouse: 'up', index: 'down', nats: 'up' } as const;
    const app = await setup({ health: createFakeHealth({ checks }) });
    assert.equal((await app.call('/readyz')).status, 503);
    const { status, body } = await app.call('/api/health', { key: app.key });
    assert.deepEqual([status, body.status], [200, 'degraded']);
    assert.deepEqual(
      body.data.late.map(({ part }: { part: string }) => part),
      ['index'],
    );
    await app.close();
  });

  it('answer on while they drain, as no longer ready and on connections that end', async () => {
    const draining = new AbortController();
    const { key, ...leaving } = await setup({ draining: draining.signal });
    const asked = await leaving.call('/tokens', { key });
    assert.deepEqual([asked.status, asked.headers.get('Connection')], [200, 'keep-alive']);
    draining.abort();
    const probe = await leaving.call('/readyz');
    assert.deepEqual([probe.status, probe.body], [503, { status: 'draining' }]);
    assert.equal((await leaving.call('/healthz')).status, 200);
    for (const [path, status] of [
      ['/tokens', 200],
      ['/nowhere', 404],
    ] as const) {
      const answer = await leaving.call(path, { key });
      assert.deepEqual([answer.status, answer.headers.get('Connection')], [status, 'close']);
    }
    await leaving.close();
  });
});
