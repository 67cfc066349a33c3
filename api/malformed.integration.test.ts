import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { projectRoot } from '../shared/platform/projectRoot.ts';
import { createRandom, type Random } from '../shared/testing/random.ts';
import { errorSchema, forbiddenErrorSchema, quotaErrorSchema } from './server/apiError.ts';
import type { Endpoint } from './server/endpoint.ts';
import { createEndpoints } from './server/endpoints.ts';
import { createFakePorts } from './testing/fakePorts.ts';
import {
  BODIES,
  CONTENT_TYPES,
  createRawClient,
  HEADERS,
  METHODS,
  NUMBERS,
  PATH_PIECES,
  type RawAnswer,
  type RawRequest,
  TEXTS,
} from './testing/malformedValues.ts';
import {
  CLOSED_TARGET,
  createSampleAccount,
  KNOWN,
  SAMPLE_CALLS,
  type SampleAccount,
  startFilledApi,
} from './testing/sampleAccount.ts';
import { eventually } from './testing/startApi.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A request before it is serialised. */
interface Draft {
  method: string;
  path: string;
  /** Encoded pairs. */
  query: string[];
  headers: (readonly [string, string])[];
  body: Json | Buffer | undefined;
}

const nested = (depth: number): Json => {
  let value: Json = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

const oddValue = (random: Random): Json => {
  const kinds: readonly (() => Json)[] = [
    () => random.pick(TEXTS),
    () => random.pick(NUMBERS),
    () => random.oneIn(2),
    () => null,
    () => nested(1 + random.below(40)),
    () => Array.from({ length: random.below(700) }, () => random.pick(TEXTS)),
    () => ({ [random.pick(TEXTS)]: random.pick(TEXTS), min: random.pick(NUMBERS) }),
  ];
  return random.pick(kinds)();
};

/** Encodes most of a text; sometimes it stays unencoded, as far as a request line can contain it. */
const encoded = (random: Random, text: string): string =>
  random.oneIn(8) ? text.replace(/[^\u0021-\u00ff]|[#?]/g, '') : encodeURIComponent(text);

const queryNames = (endpoint: Endpoint): string[] => {
  let schema: { _def: { schema?: unknown; shape?: () => object } } = endpoint.query as never;
  while (schema._def.schema) schema = schema._def.schema as typeof schema;
  return Object.keys(schema._def.shape?.() ?? {});
};

const spoilPath = (draft: Draft, random: Random): void => {
  const segments = draft.path.split('/');
  const place = 1 + random.below(segments.length - 1);
  const piece = random.oneIn(3) ? encoded(random, random.pick(TEXTS)) : random.pick(PATH_PIECES);
  const ways: readonly (() => void)[] = [
    () => segments.splice(place, 1, piece),
    () => segments.splice(place, 0, piece),
    () => segments.push(piece),
    () => segments.splice(place, 1, `${segments[place]}${piece}`),
    () => segments.splice(place, 1, (segments[place] ?? '').toUpperCase()),
    () => segments.splice(place, 1),
  ];
  random.pick(ways)();
  draft.path = segments.join('/') || '/';
  if (random.oneIn(40)) draft.path = `http://evil.test${draft.path}`;
};

const spoilQuery = (draft: Draft, random: Random, endpoint: Endpoint): void => {
  const names = [...queryNames(endpoint), 'limit', 'cursor', 'page', 'api_key', 'unknown'];
  const name = random.pick(names);
  const value = encoded(random, random.pick(TEXTS));
  const ways: readonly (() => void)[] = [
    () => draft.query.push(`${name}=${value}`),
    () => draft.query.push(`${name}=${value}`),
    () => draft.query.push(`${name}=1`, `${name}=${value}`),
    () => draft.query.push(`${name}[${value}]=1`),
    () => draft.query.push(`${name}[]=${value}`),
    () => draft.query.push(`${name}.a=${value}`),
    () => draft.query.push(value),
    () => draft.query.push('&&&===&?'),
    () => draft.query.push(`__proto__=${value}`, `constructor[prototype]=${value}`),
    () => draft.query.push(`${name}=%ff%zz%`),
    () => draft.query.push(...Array.from({ length: 500 }, (_, index) => `p${index}=1`)),
  ];
  random.pick(ways)();
};

/** Changes one value somewhere inside. */
const spoilValue = (value: Json, random: Random): Json => {
  if (typeof value !== 'object' || value === null || random.oneIn(4)) return oddValue(random);
  if (Array.isArray(value)) {
    if (value.length === 0) return [oddValue(random)];
    const place = random.below(value.length);
    return value.map((item, index) => (index === place ? spoilValue(item, random) : item));
  }
  const names = Object.keys(value);
  if (names.length === 0 || random.oneIn(5)) {
    return { ...value, [random.pick(TEXTS)]: oddValue(random) };
  }
  const name = random.pick(names);
  if (random.oneIn(6)) {
    const { [name]: _, ...rest } = value;
    return rest;
  }
  return { ...value, [name]: spoilValue(value[name] ?? null, random) };
};

/** Optional fields that no sample has, so that wrong values reach their rules too. */
const fieldNames = (endpoint: Endpoint): string[] => {
  const schema = endpoint.body as { _def: { schema?: unknown; shape?: () => object } } | undefined;
  const inner = (schema?._def.schema ?? schema) as typeof schema;
  return Object.keys(inner?._def.shape?.() ?? {});
};

const spoilBody = (draft: Draft, random: Random, endpoint: Endpoint): void => {
  if (draft.body === undefined || Buffer.isBuffer(draft.body) || random.oneIn(4)) {
    const body = random.pick(BODIES);
    draft.body = Buffer.isBuffer(body) ? body : Buffer.from(body);
    return;
  }
  const names = fieldNames(endpoint);
  const fields = draft.body;
  const hasFields = typeof fields === 'object' && fields !== null && !Array.isArray(fields);
  if (hasFields && names.length > 0 && random.oneIn(2)) {
    const name = random.pick(names);
    draft.body = { ...fields, [name]: spoilValue(fields[name] ?? {}, random) };
    return;
  }
  draft.body = spoilValue(draft.body, random);
};

const spoilHeaders = (draft: Draft, random: Random): void => {
  const ways: readonly (() => void)[] = [
    () => draft.headers.push(random.pick(HEADERS)),
    () => draft.headers.push(random.pick(HEADERS), random.pick(HEADERS)),
    () => draft.headers.push(['Content-Type', random.pick(CONTENT_TYPES)]),
    () => {
      draft.method = random.pick(METHODS);
    },
    () => {
      for (let index = 0; index < 150; index += 1) draft.headers.push([`X-${index}`, '1']);
    },
    () => draft.headers.unshift(['Host', '']),
  ];
  random.pick(ways)();
};

/** Headers with another length than that of the body. */
const WRONG_LENGTH = new Set(['content-length', 'transfer-encoding']);
const ONCE_IN_A_CONNECTION = 50;

const written = (draft: Draft, random: Random): RawRequest => {
  const { body } = draft;
  const bytes =
    body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const names = draft.headers.map(([name]) => name.toLowerCase());
  const hasType = names.includes('content-type');
  const length = bytes && !names.includes('content-length') ? String(bytes.length) : undefined;
  return {
    method: draft.method,
    target: draft.query.length > 0 ? `${draft.path}?${draft.query.join('&')}` : draft.path,
    headers: [
      ...(names.includes('host') ? [] : ([['Host', 'api.test']] as const)),
      ...(bytes && !hasType ? ([['Content-Type', 'application/json']] as const) : []),
      ...draft.headers,
      ...(length === undefined ? [] : ([['Content-Length', length]] as const)),
    ],
    body: bytes,
    isLast: random.oneIn(ONCE_IN_A_CONNECTION),
    isCut: names.some((name) => WRONG_LENGTH.has(name)),
  };
};

/**
 * A request derived from a valid one with one to three errors. The same seed gives the same request. Most carry a
 * valid key, because the code behind authentication is what could break.
 */
const malformedRequest = (seed: number, endpoint: Endpoint, account: SampleAccount): RawRequest => {
  const random = createRandom(seed);
  const sample = SAMPLE_CALLS[endpoint.id]?.(account);
  if (!sample) throw new Error(`${endpoint.id} has no entry in SAMPLE_CALLS`);
  const [path = '', query] = sample.path.split('?');
  const draft: Draft = {
    method: endpoint.method.toUpperCase(),
    path,
    query: query ? query.split('&') : [],
    headers: random.oneIn(30) ? [] : [['X-API-Key', account.key]],
    body: sample.body as Json | undefined,
  };
  const ways = [
    () => spoilPath(draft, random),
    () => spoilQuery(draft, random, endpoint),
    () => spoilQuery(draft, random, endpoint),
    () => spoilHeaders(draft, random),
    ...(endpoint.body || random.oneIn(10)
      ? Array.from({ length: 4 }, () => () => spoilBody(draft, random, endpoint))
      : []),
  ];
  for (let count = 1 + random.below(3); count > 0; count -= 1) random.pick(ways)();
  return written(draft, random);
};

const SEED = Number(process.env['SEED'] ?? 1);
/** `make malformed REQUESTS=10000` sends more than usual. */
const REQUESTS = Number(process.env['REQUESTS'] ?? 4_000);
const CONNECTIONS = 8;
const BODY_SHOWN_MAX = 500;

const ENDPOINTS = createEndpoints(createFakePorts().ports);
const ERROR_BODIES = [errorSchema, quotaErrorSchema, forbiddenErrorSchema].map((schema) =>
  schema.strict(),
);

/** Internals that must not leak: stacks, SQL, paths, servers, table names with an underscore. */
const MIGRATIONS = join(projectRoot(), 'migrations');
const TABLES = readdirSync(MIGRATIONS)
  .filter((name) => name.endsWith('.sql'))
  .map((name) => readFileSync(join(MIGRATIONS, name), 'utf8'))
  .flatMap((sql) => [...sql.matchAll(/^CREATE .* IF NOT EXISTS (\w+_\w+)/gm)])
  .map(([, name]) => name);
const INTERNAL = new RegExp(
  [
    '\\\\n *at |\\([^()]*:\\d+:\\d+\\)',
    '\\.(?:ts|js|mjs)\\b',
    'node_modules',
    'node:',
    projectRoot(),
    'SELECT|INSERT INTO|FROM \\w',
    'DB::|Code: \\d+|ClickHouse|JetStream|Redis|NATS|ioredis|koa|zod',
    'ECONN|ENOENT|127\\.0\\.0\\.1',
    'Cannot read|is not a function|is not iterable|Unexpected token',
    ...TABLES,
  ].join('|'),
);

const shown = ({ method, target, headers, body }: RawRequest): string =>
  JSON.stringify({ method, target, headers, body: body?.toString('latin1') }).slice(0, 2_000);

const api = await startFilledApi();
const account = await createSampleAccount(api, 'enterprise');
after(() => api.close());

describe('malformed requests', () => {
  const assertRefusal = ({ status, headers, body }: RawAnswer): void => {
    const text = body.toString('utf8');
    assert.match(headers['content-type'] ?? '', /^application\/json; charset=utf-8$/);
    const parsed = JSON.parse(text) as { request_id: string };
    const schemas = ERROR_BODIES.filter((schema) => schema.safeParse(parsed).success);
    assert.ok(schemas.length > 0, `not the error body: ${text.slice(0, BODY_SHOWN_MAX)}`);
    // The letters of an id may form any word.
    const found = INTERNAL.exec(text.replace(parsed.request_id, ''));
    assert.equal(found, null, `shows ${found?.[0]}: ${text.slice(0, BODY_SHOWN_MAX)}`);
    if ('x-request-id' in headers) assert.equal(parsed.request_id, headers['x-request-id']);
    if (status === 401) assert.equal(headers['www-authenticate'], 'Bearer');
    if (status === 405) assert.ok(headers.allow);
  };

  it(`never break the API and always get the error body (SEED=${SEED})`, async () => {
    const statuses = new Map<number | 'none', number>();
    const check = async (client: ReturnType<typeof createRawClient>, index: number) => {
      const endpoint = ENDPOINTS[index % ENDPOINTS.length];
      assert.ok(endpoint);
      const request = malformedRequest(SEED + index, endpoint, account);
      let status: number | 'none' = 'none';
      try {
        const answer = await client.send(request).catch((error: NodeJS.ErrnoException) => {
          // A client that disconnects in the middle of a body gets no response.
          if (request.isCut && error.code === 'ECONNRESET') return undefined;
          throw error;
        });
        status = answer?.status ?? 'none';
        assert.ok(
          answer === undefined || answer.status < 500,
          `status ${status}: ${String(answer?.body)}`,
        );
        if (answer && answer.status >= 400 && request.method !== 'HEAD') assertRefusal(answer);
      } catch (error) {
        const hint = `SEED=${SEED + index} for ${endpoint.id}: ${shown(request)}`;
        const lines = api.log().split('\n');
        const failures = lines.filter((line) => /"level":[456]0/.test(line)).slice(-3);
        throw new Error(`${String(error)}\n${hint}\n${failures.join('\n')}`, { cause: error });
      }
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };
    let next = 0;
    const work = async (): Promise<void> => {
      const client = createRawClient(api.port);
      while (next < REQUESTS) {
        next += 1;
        await check(client, next - 1);
      }
      client.close();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    const refused = [...statuses].filter(([status]) => Number(status) >= 400);
    const share = refused.reduce((sum, [, count]) => sum + count, 0) / REQUESTS;
    assert.ok(share > 0.6, `only ${share} of the requests were malformed`);
    assert.equal((await api.call('/healthz')).status, 200);
    assert.equal((await api.call('/stats', { key: account.key })).status, 200);
  });

  it('and misplaced keys leave no key and no webhook secret in any line of the log', async () => {
    const { key } = await api.newKey('enterprise');
    const encoded = (text: string) =>
      text.replace(/./g, (each) => `%${each.charCodeAt(0).toString(16)}`);
    const { token } = KNOWN;
    await Promise.all([
      api.call('/stats', { key }),
      api.call('/stats', { headers: { Authorization: `Bearer ${key}` } }),
      api.call(`/stats?api_key=${key}`),
      api.call(`/stats?api_key=${encoded(key)}&limit=${key}`),
      api.call(`/stats?${key}=${key}`, { key }),
      api.call(`/tokens/${key}`, { key }),
      api.call(`/tokens/${encoded(key)}`, { key }),
      api.call(`/tokens/${encoded(encoded(key))}`, { key }),
      api.call(`/${key}/${encoded(key)}/%zz`),
      api.call(`/${'x'.repeat(180)}${key}`, { key }),
      api.call(`/api/ws?api_key=${key}`),
      api.call('/api/ws', { headers: { 'Sec-WebSocket-Protocol': `tsd.v1, key.${key}` } }),
      api.call(`/api/events?api_key=${key}`),
      api.call('/stats', { key: `${key}x`, headers: { Authorization: `Basic ${key}` } }),
      api.call('/stats', { key, headers: { 'X-Request-Id': key, Cookie: `key=${key}` } }),
      api.call('/stats', { key, headers: { Referer: `http://x/?k=${key}`, 'User-Agent': key } }),
      api.post('/tokens/analyze', key, { address: key, [key]: key }),
      api.post('/tokens/analyze', key, `{"address":"${key}`),
      api.post('/tokens/analyze', key, { address: token }, { 'Idempotency-Key': key }),
      api.post('/api/feedback', key, { address: token, kind: 'false_positive', details: key }),
    ]);
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const hook = { url: `${CLOSED_TARGET}?k=${key}`, events: ['webhook.test'], secret };
    const created = await api.post('/api/webhooks', key, hook, { 'Idempotency-Key': 'hook' });
    assert.equal(created.status, 201, created.text);
    const path = `/api/webhooks/${created.body.data.id}`;
    await api.post(`${path}/test`, key);
    const rotated = await api.post(`${path}/rotate-secret`, key);
    const bot_token = `123456789:${Buffer.alloc(30, 8).toString('base64url')}`;
    const chat = { kind: 'telegram', bot_token, chat_id: '-1001', events: ['webhook.test'] };
    assert.equal((await api.post('/api/webhooks', key, chat)).status, 201);
    await api.post('/api/webhooks', key, { ...chat, url: bot_token });
    await api.post('/api/webhooks', key, { ...chat, bot_token: `${bot_token}!` });
    await api.call(`${path}?secret=${secret}`, { key });
    await api.call(`/api/webhooks/${encodeURIComponent(secret)}`, { key });
    const raw = createRawClient(api.port);
    const headers = [['X-API-Key', `${key}\u0000`]] as const;
    await raw.send({ method: 'GET', target: '/stats', headers, isLast: true });
    // Unavailable servers cause errors with texts of their own.
    await api.stores.servers.clickhouse.kill();
    await api.call(`/tokens/${token}?api_key=${key}`);
    await api.post('/api/webhooks', key, hook);
    await api.stores.servers.redis.kill();
    await api.call(`/tokens/${token}?api_key=${key}`);

    // A response may arrive before a log line that was written first.
    const log = await eventually(
      async () => api.log(),
      (text) => text.includes('dependency away'),
    );
    const secrets = [key, account.key, secret, rotated.body.data.secret as string, bot_token];
    for (const text of secrets) {
      const random = text.replace(/^(tsd_live_|whsec_|123456789:)/, '');
      for (let start = 0; start + 8 <= random.length; start += 1) {
        const part = random.slice(start, start + 8);
        const place = log.indexOf(part);
        assert.ok(place < 0, `${text} in the log: ${log.slice(place - 300, place + 100)}`);
      }
    }
  });
});
