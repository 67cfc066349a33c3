import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPublicClient, createTestClient, http } from 'viem';
import {
  type LiveStack,
  startLiveStack,
  TEST_PEPPER,
} from '../../pipeline/testing/chaos/liveStack.ts';
import type { Role } from '../../shared/testing/pipelineProcess.ts';
import { type Service, startAnvil } from '../../shared/testing/services.ts';
import { createKeyStore } from '../accounts/keyStore.ts';
import { WIDE_PLANS } from '../testing/sampleAccount.ts';
import { eventually } from '../testing/startApi.ts';
import { type Answer, request } from '../testing/startApp.ts';

const PIPELINE = ['watcher', 'scorer', 'alerts', 'clusters', 'push'] as const;
/** A role is late after three intervals of silence. */
const ENVIRONMENT = { HEARTBEAT_MS: '1000', RATE_PLANS: WIDE_PLANS };
/** With the same first block, a node that lost its latest blocks is the same chain, slightly shorter. */
const GENESIS = ['--timestamp', '1700000000'];

type Body = Answer['body'];

const openChain = (url: string) => {
  const client = createTestClient({ mode: 'anvil', transport: http(url) });
  const reader = createPublicClient({ transport: http(url) });
  return {
    mine: (blocks: number) => client.mine({ blocks }),
    head: async () => Number(await reader.getBlockNumber({ cacheTime: 0 })),
  };
};

describe('health of a pipeline whose parts die', () => {
  let anvil: Service;
  let chain: ReturnType<typeof openChain>;
  let stack: LiveStack;
  let key: string;

  before(async () => {
    anvil = await startAnvil({ args: GENESIS });
    chain = openChain(anvil.url);
    await chain.mine(3);
    stack = await startLiveStack(anvil.url);
    await stack.startRoles([...PIPELINE, 'api'], ENVIRONMENT);
    const { redis } = stack;
    const keys = createKeyStore({ redis, pepper: TEST_PEPPER, now: () => Date.now() });
    ({ key } = await keys.create({ name: 'test', tier: 'enterprise' }));
  });
  after(async () => {
    await stack?.stop();
    await anvil?.stop();
  });

  const ask = (path: string): Promise<Answer> =>
    request(stack.roles.get('api')?.url ?? '', path, { key });
  const health = (): Promise<Body> =>
    ask('/api/health').then(
      ({ body }) => body,
      () => undefined,
    );
  const lateParts = (body: Body): string[] =>
    (body?.data?.late ?? []).map(({ part }: { part: string }) => part);
  const untilHealthy = (block: number): Promise<Body> =>
    eventually(
      health,
      (body) =>
        body?.status === 'healthy' && body.data.block_lag === 0 && body.data.scored.block === block,
    );
  const untilLate = (parts: readonly string[]): Promise<Body> =>
    eventually(health, (body) => lateParts(body).join() === parts.join());
  const kill = async (role: Role) => stack.roles.get(role)?.stop();

  it('is healthy while everything works, on a chain without new blocks', async () => {
    const { data } = await untilHealthy(3);
    assert.deepEqual(data.late, []);
    assert.ok(data.index_lag < 10, `the index is ${data.index_lag} s behind`);
    assert.deepEqual([data.node.head, data.scored.block, data.checks.node], [3, 3, 'up']);
    assert.deepEqual(
      data.consumers.map(({ role }: { role: string }) => role),
      PIPELINE,
    );
  });

  it('names a scorer that was killed, and how far behind it is', async () => {
    await kill('scorer');
    await chain.mine(2);
    assert.equal((await untilLate(['scorer'])).status, 'degraded');
    const { data } = await eventually(health, (body) => body?.data.block_lag === 2);
    const scorer = data.consumers.find(({ role }: { role: string }) => role === 'scorer');
    assert.deepEqual([scorer.lag_blocks, scorer.waiting_messages > 0], [2, true]);
    assert.equal(data.late[0].chain_id, 31_337);
    assert.ok(Date.parse(data.late[0].since) <= Date.parse(data.timestamp));
  });

  it('names a watcher that died too, and reports no lag that is unknown', async () => {
    await kill('watcher');
    const { status, data } = await untilLate(['watcher', 'scorer']);
    assert.deepEqual([status, data.block_lag, data.checks.node], ['degraded', -1, undefined]);
    await stack.startRoles(['watcher', 'scorer'], ENVIRONMENT);
    await untilHealthy(5);
  });

  it('names a node that was killed', async () => {
    await anvil.kill();
    const { status, data } = await untilLate(['node']);
    assert.deepEqual([status, data.block_lag, data.checks.node], ['degraded', -1, 'down']);
    // A watcher that starts meanwhile waits for it, and reports that.
    await stack.roles.get('watcher')?.kill();
    await eventually(
      health,
      (body) => lateParts(body).join() === 'node' && body.data.node === null,
    );
    await anvil.restart();
    await chain.mine(7);
    await untilHealthy(await chain.head());
  });

  it('names streams that are away, while it is ready and reads go on', async () => {
    await stack.servers.nats.kill();
    const { status } = await untilLate(['streams']);
    assert.equal(status, 'degraded');
    for (const path of ['/readyz', '/tokens', '/stats', '/api/health']) {
      assert.equal((await ask(path)).status, 200, path);
    }
    await stack.servers.nats.restart();
    await untilHealthy(await chain.head());
  });
});
