import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startRole, type TestProcess, until } from '../shared/testing/pipelineProcess.ts';

import { freePort } from '../shared/testing/services.ts';
import { addressOf, verdictOf } from './testing/fakePorts.ts';
import { insertVerdict } from './testing/rows.ts';
import { API_CHAIN_ID, startApi } from './testing/startApi.ts';
import { request } from './testing/startApp.ts';
import { type Balancer, startBalancer } from './testing/startBalancer.ts';
import { underLoad } from './testing/underLoad.ts';

const TIMEOUT_MS = 120_000;
/** Requests that every process must answer before the next step. */
const REQUESTS_PER_STEP = 15;
const RATE_PLANS = JSON.stringify({ enterprise: { perMinute: 1_000_000 } });
const VARIABLES = { RATE_PLANS, LOG_LEVEL: 'warn', DRAIN_DELAY_MS: '2000' };

describe('API processes restarted in turn', () => {
  let server: Awaited<ReturnType<typeof startApi>>;
  let balancer: Balancer;
  let key = '';
  const processes = new Map<number, TestProcess>();

  const isUp = (port: number) => async (): Promise<true | undefined> => {
    const answer = await request(`http://127.0.0.1:${port}`, '/readyz').catch(() => undefined);
    return answer?.status === 200 || undefined;
  };
  const start = async (port: number): Promise<void> => {
    const started = startRole('api', { ...server.environment, PORT: String(port) });
    processes.set(port, started);
    await until(`ready on ${port}`, isUp(port), TIMEOUT_MS, [started]);
  };

  before(async () => {
    server = await startApi(VARIABLES);
    processes.set(server.port, server.process);
    await start(await freePort());
    key = (await server.newKey('enterprise')).key;
    for (let i = 0; i < 5; i += 1) {
      await insertVerdict(server.database, API_CHAIN_ID, verdictOf(addressOf(i + 1)));
    }
    balancer = await startBalancer([...processes.keys()]);
  });
  after(async () => {
    balancer?.close();
    for (const started of processes.values()) await started.stop('SIGKILL');
    await server?.close();
  });

  it('lose no request, read or written, and answer none twice', async (context) => {
    const untilServed = async (port: number): Promise<void> => {
      const before = balancer.answered()[port] ?? 0;
      const isServed = () =>
        (balancer.answered()[port] ?? 0) >= before + REQUESTS_PER_STEP || undefined;
      await until(`${port} serves`, isServed, TIMEOUT_MS);
    };
    const { requests, writes, created, failures } = await underLoad(
      { url: balancer.url, key },
      async () => {
        for (const port of processes.keys()) {
          await untilServed(port);
          assert.equal(await processes.get(port)?.stop(), 0);
          await start(port);
          await untilServed(port);
        }
      },
    );
    assert.deepEqual(failures, []);
    assert.equal(created.size, writes);
    context.diagnostic(`${requests} requests, ${writes} of them writes`);
  });
});
