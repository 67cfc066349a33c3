import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { NatsConnection } from 'nats';
import { z } from 'zod';
import { decodeChainEvent } from '../shared/messages/chainMessage.ts';
import { chainStream } from '../shared/messages/subjects.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { LEASE_BUCKET } from '../shared/platform/nats.ts';
import { createRpc, type Rpc } from '../shared/platform/rpc/createRpc.ts';
import { createDevnet, type Devnet } from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../shared/testing/devnet/devnetAddresses.ts';
import { type Role, type TestProcess, until } from '../shared/testing/pipelineProcess.ts';
import { createRandom } from '../shared/testing/random.ts';
import { type Service, startAnvil } from '../shared/testing/services.ts';
import { poolEventLines, readLogs, transferLines } from './testing/chaos/chainTruth.ts';
import { createDevnetDriver, type DevnetDriver } from './testing/chaos/crashStage.ts';
import { isAllRead, storedPoolEvents, storedTransfers } from './testing/chaos/storedState.ts';
import { type PipelineStack, startPipelineStack } from './testing/pipelineStack.ts';

const holderSchema = z.object({ pid: z.number() });

/** Which of the processes holds a lease; undefined where none does, or that is unknown. */
const leaderOf = async (
  connection: NatsConnection,
  lease: string,
  processes: readonly TestProcess[],
): Promise<TestProcess | undefined> => {
  try {
    const kv = await connection.jetstream().views.kv(LEASE_BUCKET, { bindOnly: true });
    const entry = await kv.get(lease);
    if (entry?.operation !== 'PUT') return undefined;
    const { pid } = holderSchema.parse(entry.json());
    return processes.find((one) => one.pid === pid);
  } catch {
    return undefined;
  }
};

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
      WETH_ADDRESS: DEVNET_ADDRESSES.weth,
      STABLE_ADDRESSES: DEVNET_ADDRESSES.stable,
      NATIVE_PRICE_USD: '2000',
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
    const jsm = await stack.nats.jetstreamManager();
    const stream = chainStream(CHAIN_ID);
    const { state } = await jsm.streams.info(stream);
    let tip: { number: number; hash: string } | undefined;
    let epoch = 0;
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const event = decodeChainEvent((await jsm.streams.getMessage(stream, { seq })).data);
      if (event.kind === 'finalize') continue;
      if (event.kind === 'reorg') {
        assert.equal(event.epoch, epoch + 1, `epoch of message ${seq}`);
        epoch = event.epoch;
        tip = event.ancestor;
        continue;
      }
      assert.equal(event.epoch, epoch, `epoch of message ${seq}`);
      if (tip) assert.equal(event.from, tip.number + 1, `first block of message ${seq}`);
      if (event.last) tip = event.to;
    }
    assert.equal(tip?.hash, (await rpc.source.follow(0, 0)).head.hash);
  });
});
