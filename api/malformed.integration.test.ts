import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { projectRoot } from '../shared/platform/projectRoot.ts';
import { errorSchema, forbiddenErrorSchema, quotaErrorSchema } from './server/apiError.ts';
import { createEndpoints } from './server/endpoints.ts';
import { createFakePorts } from './testing/fakePorts.ts';
import { malformedRequest } from './testing/malformedRequest.ts';
import { createRawClient, type RawAnswer, type RawRequest } from './testing/malformedValues.ts';
import {
  CLOSED_TARGET,
  createSampleAccount,
  fillTables,
  KNOWN,
  type SampleAccount,
  WIDE_PLANS,
} from './testing/sampleAccount.ts';
import { eventually, startApi } from './testing/startApi.ts';

const SEED = Number(process.env['SEED'] ?? 1);
/** `make malformed REQUESTS=10000` sends more than usual. */
const REQUESTS = Number(process.env['REQUESTS'] ?? 4_000);
const CONNECTIONS = 8;
const BODY_SHOWN_MAX = 500;

const ENDPOINTS = createEndpoints(createFakePorts().ports);
const ERROR_BODIES = [errorSchema, quotaErrorSchema, forbiddenErrorSchema].map((schema) =>
  schema.strict(),
);

/** What only the inside of the service knows: stacks, SQL, paths, servers, tables with an underscore. */
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

describe('malformed requests', () => {
  let api: Awaited<ReturnType<typeof startApi>>;
  let account: SampleAccount;
  before(async () => {
    api = await startApi({ WEBHOOK_ALLOW_PRIVATE: '1', RATE_PLANS: WIDE_PLANS });
    await fillTables(api.database);
    account = await createSampleAccount(api, 'enterprise');
  });
  after(() => api.close());

  const assertRefusal = ({ status, headers, body }: RawAnswer): void => {
    const text = body.toString('utf8');
    assert.match(headers.get('content-type') ?? '', /^application\/json; charset=utf-8$/);
    const parsed = JSON.parse(text) as { request_id: string };
    const schemas = ERROR_BODIES.filter((schema) => schema.safeParse(parsed).success);
    assert.ok(schemas.length > 0, `not the error body: ${text.slice(0, BODY_SHOWN_MAX)}`);
    // The letters of an id may spell anything.
    const found = INTERNAL.exec(text.replace(parsed.request_id, ''));
    assert.equal(found, null, `shows ${found?.[0]}: ${text.slice(0, BODY_SHOWN_MAX)}`);
    if (headers.has('x-request-id')) assert.equal(parsed.request_id, headers.get('x-request-id'));
    if (status === 401) assert.equal(headers.get('www-authenticate'), 'Bearer');
    if (status === 405) assert.ok(headers.get('allow'));
  };

  it(`never break the API and always get the error body (SEED=${SEED})`, async () => {
    const statuses = new Map<number | 'none', number>();
    const check = async (client: ReturnType<typeof createRawClient>, index: number) => {
      const endpoint = ENDPOINTS[index % ENDPOINTS.length];
      assert.ok(endpoint);
      const request = malformedRequest(SEED + index, endpoint, account);
      let status: number | 'none' = 'none';
      try {
        const answer = await client.send(request).catch((error: Error) => {
          // Whoever leaves in the middle of a body gets no answer.
          if (request.isCut && error.message === 'closed after 0 bytes') return undefined;
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
    // Servers that are away are errors with texts of their own.
    await api.stores.servers.clickhouse.kill();
    await api.call(`/tokens/${token}?api_key=${key}`);
    await api.post('/api/webhooks', key, hook);
    await api.stores.servers.redis.kill();
    await api.call(`/tokens/${token}?api_key=${key}`);

    // An answer may be here before the line of the log that was written first.
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
