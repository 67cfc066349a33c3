import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../shared/platform/clock.ts';
import { createRpc, type Rpc } from '../shared/platform/rpc/createRpc.ts';
import { createDevnet, type Devnet } from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_PRICING } from '../shared/testing/devnet/devnetAddresses.ts';
import { type Role, type TestProcess, until } from '../shared/testing/pipelineProcess.ts';
import { createRandom } from '../shared/testing/random.ts';
import { type Service, startAnvil } from '../shared/testing/services.ts';
import { poolEventLines, readLogs, transferLines } from './testing/chaos/chainTruth.ts';
import { createDevnetDriver, type DevnetDriver } from './testing/chaos/crashStage.ts';
import { isAllRead, storedPoolEvents, storedTransfers } from './testing/chaos/storedState.ts';
import { assertOneLine, leaderOf } from './testing/leaders.ts';
import { type PipelineStack, startPipelineStack } from './testing/pipelineStack.ts';

const CHAIN_ID = 31_337;
const ROLES = ['watcher', 'scorer', 'clusters'] as const satisfies readonly Role[];
type LedRole = (typeof ROLES)[number];
const WAIT_MS_MAX = 180_000;
const ACTIONS = 6;

describe('two processes of every role on one chain', () => {
  const random = createRandom(7);
  let stack: PipelineStack;
  let anvil: Service;
  let devnet: Devnet;
  let driver: DevnetDriver;
  let rpc: Rpc;
  const processes: Record<LedRole, TestProcess[]> = { watcher: [], scorer: [], clusters: [] };

  const start = (role: LedRole): void => {
    const environment = {
      RPC_URL: anvil.url,
      CHAIN_ID: String(CHAIN_ID),
      ...DEVNET_PRICING,
    };
    processes[role].push(stack.start(role, environment));
  };
  const everything = (): TestProcess[] =>
    Object.values(processes).flatMap((all) => all.filter((one) => !one.hasEnded()));
  const leader = (role: LedRole): Promise<TestProcess> =>
    until(
      `a leading ${role}`,
      async () => {
        const found = await leaderOf(stack.nats, `${role}.${CHAIN_ID}`, processes[role]);
        return found?.hasEnded() ? undefined : found;
      },
      WAIT_MS_MAX,
      everything(),
    );
  const act = async (): Promise<void> => {
    for (let i = 0; i < ACTIONS; i += 1) await driver.act(3);
  };
  const converged = () => isAllRead(stack, rpc, CHAIN_ID);
  const untilConverged = (): Promise<true> =>
    until('everything is read', converged, WAIT_MS_MAX, everything());

  before(async () => {
    [stack, anvil] = await Promise.all([startPipelineStack(), startAnvil()]);
    rpc = createRpc([anvil.url], systemClock);
    devnet = await createDevnet({ url: anvil.url });
    driver = createDevnetDriver(devnet, random);
    await driver.prepare();
    for (const role of [...ROLES, ...ROLES]) start(role);
    await untilConverged();
  });
  after(async () => {
    rpc?.close();
    await stack?.stop();
    await anvil?.stop();
  });

  for (const role of ROLES) {
    test(`another ${role} takes over from one that is killed`, async (context) => {
      const first = await leader(role);
      await act();
      await first.stop('SIGKILL');
      const startMs = performance.now();
      const second = await leader(role);
      context.diagnostic(`lease taken after ${Math.round(performance.now() - startMs)} ms`);
      assert.notEqual(second.pid, first.pid);
      await act();
      await untilConverged();
      context.diagnostic(`all read after ${Math.round(performance.now() - startMs)} ms`);
      start(role);
    });
  }

  test('a watcher that stood still for longer than its lease publishes no more', async () => {
    const first = await leader('watcher');
    await act();
    process.kill(first.pid, 'SIGSTOP');
    try {
      await until(
        'the other watcher leads',
        async () => (await leader('watcher')).pid !== first.pid || undefined,
        WAIT_MS_MAX,
      );
      await act();
    } finally {
      process.kill(first.pid, 'SIGCONT');
    }
    await act();
    await untilConverged();
    assert.notEqual((await leader('watcher')).pid, first.pid);
    assert.equal(first.hasEnded(), false, 'it waits for its turn');
  });

  test('nothing is lost and nothing doubled', async () => {
    await untilConverged();
    const logs = await readLogs(devnet.publicClient);
    assert.deepEqual(await storedTransfers(stack.clickhouse), transferLines(logs));
    assert.deepEqual(await storedPoolEvents(stack.clickhouse), poolEventLines(logs));
  });

  test('the stream is one line of blocks: no watcher wrote beside another', async () => {
    await assertOneLine(stack.nats, CHAIN_ID, (await rpc.source.follow(0, 0)).head.hash);
  });
});
