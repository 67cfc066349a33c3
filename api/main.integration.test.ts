import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Msg, Subscription } from 'nats';
import type { Tier } from '../shared/families/tier.ts';
import type { Alert } from '../shared/messages/alertMessage.ts';
import { analyzeJobSchema, JOB_KEPT_S, jobKey } from '../shared/messages/jobMessage.ts';
import { analyzeSubject } from '../shared/messages/subjects.ts';
import { programArgs } from '../shared/testing/pipelineProcess.ts';
import { sampleAlert } from '../shared/testing/samples.ts';
import { isWellFormedKey } from './accounts/keyFormat.ts';
import { addressOf, verdictOf } from './testing/fakePorts.ts';
import { insertAlert, insertVerdict } from './testing/rows.ts';

import { API_CHAIN_ID, eventually, startApi } from './testing/startApi.ts';
import type { Answer, RequestOptions } from './testing/startApp.ts';

const execute = promisify(execFile);

/** All messages of a subscription that ends by itself. */
const collect = async (subscription: Subscription): Promise<Msg[]> => {
  const messages: Msg[] = [];
  for await (const message of subscription) messages.push(message);
  return messages;
};

/** No response with a time limit takes this long, on any machine. */
const HANG_MS_MIN = 60_000;

describe('API process on real servers', () => {
  let server: Awaited<ReturnType<typeof startApi>>;
  before(async () => {
    server = await startApi();
  });
  after(() => server.close());

  const call = (path: string, options?: RequestOptions) => server.call(path, options);
  const post = (path: string, key: string, body?: unknown, headers = {}) =>
    server.post(path, key, body, headers);
  const newKey = (tier?: Tier) => server.newKey(tier);
  const createKey = (args: string[], variables: NodeJS.ProcessEnv = {}) =>
    execute(process.execPath, [...programArgs('api/accounts/createKey.ts'), ...args], {
      env: { ...server.environment, ...variables },
    });

  it('accepts keys made on the command line, printed alone on the last line', async () => {
    const byArguments = await createKey(['--tier', 'starter', '--name', 'My key']);
    const byVariables = await createKey([], { TIER: 'pro', NAME: 'other' });
    for (const [{ stdout, stderr }, limit] of [
      [byArguments, '10000'],
      [byVariables, '100000'],
    ] as const) {
      const key = stdout.trimEnd().split('\n').at(-1) ?? '';
      assert.ok(isWellFormedKey(key));
      assert.ok(!stderr.includes(key));
      // Not a list, because its first page would be cached for a second, into the list test.
      const answer = await call('/watchlist', { key });
      assert.deepEqual([answer.status, answer.headers.get('X-RateLimit-Limit')], [200, limit]);
    }
    await assert.rejects(createKey(['--tier', 'gold']), /TIER: must be one of free, starter/);
    await assert.rejects(createKey(['--nonsense']), /usage/);
    await assert.rejects(createKey([], { KEY_PEPPER: 'short' }), /KEY_PEPPER: must have at least/);
  });

  it('runs an analysis from request through the stream to the polled verdict', async () => {
    const [mine, other] = [await newKey(), await newKey()];
    const token = addressOf(0xa1);
    const jobs = server.connection.subscribe(analyzeSubject(API_CHAIN_ID), { max: 1 });
    const started = await post('/tokens/analyze', mine.key, { address: token });
    assert.equal(started.status, 201, started.text);
    const { job_id: jobId } = started.body.data;
    const joined = await post('/tokens/analyze', other.key, { address: token, force: true });
    assert.deepEqual([joined.status, joined.body.data.job_id], [200, jobId]);
    const stranger = await newKey();
    assert.equal((await call(`/tokens/analyze/${jobId}`, { key: stranger.key })).status, 404);
    const [message] = await collect(jobs);
    const job = analyzeJobSchema.parse(message?.json());
    assert.deepEqual([job.jobId, job.token, job.chainId], [jobId, token, API_CHAIN_ID]);

    const running = await call(`/tokens/analyze/${jobId}?wait=1`, { key: mine.key });
    assert.equal(running.body.data.status, 'analyzing');
    assert.equal(running.headers.get('Retry-After'), '1');
    const waiting = call(`/tokens/analyze/${jobId}?wait=20`, { key: other.key });
    await insertVerdict(
      server.database,
      API_CHAIN_ID,
      verdictOf(token, { analyzedAtMs: Date.now() }),
    );
    const record = JSON.parse((await server.cache.get(jobKey(jobId))) ?? '{}');
    const ended = { ...record, status: 'completed', endedAtMs: Date.now() };
    await server.cache.set(jobKey(jobId), JSON.stringify(ended), 'EX', JOB_KEPT_S);
    const done = await waiting;
    assert.deepEqual(
      [done.status, done.body.data.status, done.body.data.token.address],
      [200, 'completed', token],
    );
    const fresh = await post('/tokens/analyze', mine.key, { address: token });
    assert.deepEqual([fresh.status, fresh.body.data.status], [200, 'completed']);
    const polled = await call(`/tokens/analyze/${fresh.body.data.job_id}`, { key: mine.key });
    assert.equal(polled.body.data.token.address, token);
  });

  it('has a watched token analysed, and lists it by its name', async () => {
    const { key } = await newKey();
    const token = addressOf(0xb1);
    const queued = server.connection.subscribe(analyzeSubject(API_CHAIN_ID), { max: 1 });
    const body = { type: 'token', address: token, alerts: ['rug_pull', 'rug_pull'] };
    const added = await post('/watchlist', key, body);
    assert.equal(added.status, 201, added.text);
    const { id, alerts } = added.body.data;
    assert.deepEqual(alerts, ['rug_pull']);
    const [job] = await collect(queued);
    assert.equal(analyzeJobSchema.parse(job?.json()).token, token);
    assert.equal((await post('/watchlist', key, body)).body.details[0].id, id);
    await insertVerdict(server.database, API_CHAIN_ID, verdictOf(token, { name: 'Watched' }));
    const listed = await call('/watchlist?type=token', { key });
    assert.equal(listed.body.data.items[0].name, 'Watched');
  });

  it('answers a repeated Idempotency-Key once, also when both arrive together', async () => {
    const { key } = await newKey();
    const body = { type: 'wallet', address: addressOf(0xb2) };
    const headers = { 'Idempotency-Key': 'same-1' };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => post('/watchlist', key, body, headers)),
    );
    const statuses = answers.map(({ status }) => status);
    assert.ok(statuses.includes(201));
    assert.ok(statuses.every((status) => status === 201 || status === 409));
    for (const answer of answers.filter(({ status }) => status === 409)) {
      assert.equal(answer.headers.get('Retry-After'), '5');
    }
    const late = await post('/watchlist', key, body, headers);
    assert.deepEqual([late.status, late.headers.get('Idempotency-Replayed')], [201, 'true']);
    assert.equal((await call('/watchlist', { key })).body.data.total, 1);
  });

  it('lists, filters and marks alerts of the own family, also after withdrawals', async () => {
    const [mine, other] = [await newKey(), await newKey()];
    const alert = (id: number, changes: Partial<Alert> = {}): Alert =>
      sampleAlert({
        chainId: API_CHAIN_ID,
        family: mine.info.family,
        id,
        details: { liquidity_change: -0.97, creator_sold_usd: 14_800, note: null },
        ...changes,
      });
    const stamp = Date.now() - 50_000;
    const big = 9_007_199_254_740_000;
    const alerts = [
      alert(700, { createdAtMs: stamp }),
      alert(big, { createdAtMs: stamp + 1 }),
      alert(300, { createdAtMs: stamp + 1, severity: 'info' }),
      alert(900, { createdAtMs: stamp + 2 }),
    ];
    for (const each of alerts) await insertAlert(server.database, each);
    await insertAlert(server.database, alert(555, { family: other.info.family }));
    const list = async (query = '', key = mine.key) =>
      (await call(`/alerts${query}`, { key })).body.data;
    const ids = (data: { alerts: { id: number }[] }) => data.alerts.map(({ id }) => id);
    assert.deepEqual(ids(await list()), [900, big, 300, 700]);
    assert.deepEqual(ids(await list('', other.key)), [555]);
    assert.deepEqual(ids(await list('?severity=info')), [300]);
    assert.deepEqual((await list()).alerts[1].details, alerts[1]?.details);
    assert.deepEqual(ids(await list('?since_id=0&limit=2')), [700, 300]);
    assert.deepEqual(ids(await list('?since_id=300')), [big, 900]);

    assert.equal((await post(`/alerts/${big}/read`, mine.key)).status, 200);
    assert.equal((await post(`/alerts/${big}/read`, mine.key)).status, 200);
    assert.equal((await post('/alerts/555/read', mine.key)).status, 404);
    const unread = await list('?unread=true');
    assert.deepEqual([ids(unread), unread.total, unread.unread], [[900, 300, 700], 3, 3]);
    assert.deepEqual((await list()).alerts[1].read, true);

    await insertAlert(server.database, alert(300, { createdAtMs: stamp + 1 }), {
      isWithdrawn: true,
    });
    assert.deepEqual(ids(await list()), [900, big, 700]);
    assert.deepEqual(ids(await list('?since_id=300')), [big, 900]);
    assert.equal((await post('/alerts/300/read', mine.key)).status, 404);
    assert.equal((await call('/alerts?since_id=555', { key: mine.key })).status, 400);
  });

  it('refuses webhooks that lead inside, and stores secrets only sealed', async () => {
    const { key } = await newKey();
    const inside = { url: 'https://127.0.0.1/', events: ['watchlist.alert'] };
    assert.equal((await post('/api/webhooks', key, inside)).status, 400);
    const outside = { ...inside, url: 'https://93.184.216.34/' };
    const headers = { 'Idempotency-Key': 'hook-1' };
    const created = await post('/api/webhooks', key, outside, headers);
    assert.equal(created.status, 201, created.text);
    const { secret } = created.body.data;
    const replayed = await post('/api/webhooks', key, outside, headers);
    assert.deepEqual([replayed.status, replayed.body], [201, created.body]);
    const kept = await server.cache.keys('replay:*');
    const texts = await Promise.all(kept.map((name) => server.cache.get(name)));
    assert.ok(texts.length > 0 && texts.every((text) => !text?.includes(secret)));
    const [hash = ''] = await server.cache.keys('webhooks:*');
    const rows = Object.values(await server.cache.hgetall(hash)).map((text) => JSON.parse(text));
    assert.equal(rows.length, 1);
    assert.ok(rows.every((row) => row.secret.startsWith('v1.') && !row.secret.includes(secret)));
  });

  it('answers 503 without hanging while a dependency is away, and recovers by itself', async () => {
    const { key } = await newKey();
    const token = addressOf(0xd1);
    const within = async (work: Promise<Answer>): Promise<Answer> => {
      const startMs = Date.now();
      const answer = await work;
      assert.ok(Date.now() - startMs < HANG_MS_MIN, 'it hangs');
      return answer;
    };
    const assertAway = (answer: Answer): void => {
      assert.deepEqual([answer.status, answer.body.code], [503, 'SYS_002'], answer.text);
      assert.ok(answer.headers.get('Retry-After'));
      assert.ok(!answer.text.includes('127.0.0.1'));
    };
    await server.stores.servers.clickhouse.kill();
    assertAway(await within(call(`/tokens/${addressOf(0x99)}`, { key })));
    // Lists are read from the index of the process.
    assert.equal((await within(call('/tokens', { key }))).status, 200);
    assertAway(await within(call('/alerts', { key })));
    // Checks of dependencies are cached for a moment.
    const ill = await eventually(
      () => within(call('/api/health', { key })),
      ({ status }) => status === 503,
    );
    assert.equal(ill.body.data.checks.clickhouse, 'down');
    await eventually(
      () => within(call('/readyz')),
      ({ status }) => status === 503,
    );
    assert.equal((await call('/healthz')).status, 200);
    await server.stores.servers.clickhouse.restart();
    await eventually(
      () => call('/alerts', { key }),
      ({ status }) => status === 200,
    );

    await server.stores.servers.nats.kill();
    assertAway(await within(post('/tokens/analyze', key, { address: token })));
    // The item is stored although its first analysis cannot be queued.
    const watch = await within(post('/watchlist', key, { type: 'token', address: token }));
    assert.equal(watch.status, 201, watch.text);
    assert.equal((await call('/tokens', { key })).status, 200);
    const degraded = await eventually(
      () => within(call('/api/health', { key })),
      ({ body }) => body.data.checks.nats === 'down',
    );
    assert.deepEqual([degraded.status, degraded.body.status], [200, 'degraded'], degraded.text);
    assert.deepEqual(
      degraded.body.data.late.map(({ part }: { part: string }) => part),
      ['streams'],
    );
    assert.equal((await within(call('/readyz'))).status, 200);
    await server.stores.servers.nats.restart();
    await eventually(
      () => post('/tokens/analyze', key, { address: token }),
      ({ status }) => status === 201,
    );

    await server.stores.servers.redis.kill();
    assertAway(await within(call('/tokens', { key })));
    await eventually(
      () => within(call('/readyz')),
      ({ status }) => status === 503,
    );
    await server.stores.servers.redis.restart();
    await eventually(
      () => call('/tokens', { key }),
      ({ status }) => status === 200,
    );
    // The test's own connection, which the next tests use, is restored with it.
    await eventually(
      async () => server.cache.status,
      (status) => status === 'ready',
    );
  });

  it('logs requests without keys and ends in peace', async () => {
    const { key } = await newKey();
    await call(`/stats?api_key=${key}`);
    await call(`/tokens/${key}`, { key });
    const hold = await post('/tokens/analyze', key, { address: addressOf(0xe1) });
    const waiting = call(`/tokens/analyze/${hold.body.data.job_id}?wait=2`, { key });
    await eventually(
      async () => server.log(),
      (text) => text.includes(hold.body.request_id ?? '/tokens'),
    );
    const code = await server.process.stop();
    assert.equal((await waiting).status, 200);
    assert.equal(code, 0, server.log().slice(-2_000));
    assert.ok(server.log().includes('/stats'));
    assert.doesNotMatch(server.log(), /tsd_live_[0-9A-Za-z]{5}/);
  });

  it('names what is wrong with its configuration', async () => {
    const start = (variables: NodeJS.ProcessEnv) =>
      execute(process.execPath, programArgs('api/main.ts'), {
        env: { ...server.environment, ...variables },
      });
    const says = (pattern: RegExp) => (failure: { stdout: string }) => pattern.test(failure.stdout);
    await assert.rejects(start({ KEY_PEPPER: '' }), says(/KEY_PEPPER: must be set/));
    await assert.rejects(start({ PORT: '70000' }), says(/PORT: /));
    await assert.rejects(start({ RATE_PLANS: '{' }), says(/RATE_PLANS: must be a JSON object/));
  });
});
