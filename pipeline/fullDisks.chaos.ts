import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BlockDevice, createBlockDevice } from '../shared/testing/chaos/blockDevice.ts';
import { type CrashStage, startCrashStage } from '../shared/testing/chaos/crashStage.ts';
import { keepRunning } from '../shared/testing/chaos/keepRunning.ts';
import { STACK_WAIT_MS_MAX, type Store } from '../shared/testing/chaos/liveStack.ts';
import { assertOutcome } from '../shared/testing/chaos/outcome.ts';
import { keepPromises } from '../shared/testing/chaos/promises.ts';
import { createRecoveries } from '../shared/testing/chaos/recoveries.ts';
import { until } from '../shared/testing/pipelineProcess.ts';
import { createRandom } from '../shared/testing/simulation/random.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const STORES = ['nats', 'redis', 'clickhouse'] as const;
/** How long a disk stays full. */
const FULL_MS = 20_000;
/** Everything has to be at work again within this time after space was freed. */
const BACK_MS_MAX = 30_000;
/** What may happen on the chain while one disk is full. */
const ACTIONS_MAX = 40;
const LAST_ACTIONS = 40;
const LAST_DEPTH_MAX = 3;

describe('full disks, one after the other', () => {
  const random = createRandom(SEED);
  const recoveries = createRecoveries();
  const devices = new Map<Store, BlockDevice>();
  let stage: CrashStage;

  before(async () => {
    for (const store of STORES) devices.set(store, await createBlockDevice());
    const folders = Object.fromEntries([...devices].map(([store, { folder }]) => [store, folder]));
    stage = await startCrashStage(random, { folders });
  });
  after(async () => {
    await stage?.stop();
    for (const device of devices.values()) await device.remove();
  });

  for (const store of STORES) {
    test(`${store} without a free byte: everything waits, and goes on when there is space`, async (context) => {
      const device = devices.get(store);
      assert.ok(device);
      const promises = await keepPromises(stage.stack, store, `full_${store}`);
      const isWriting = () => promises.confirmed() > 0 || undefined;
      await until(`${store} is written to`, isWriting, STACK_WAIT_MS_MAX);
      device.fill();
      stage.life.allow(ACTIONS_MAX);
      const keeper = keepRunning(stage.stack.servers[store]);
      await sleep(FULL_MS);
      assert.ok(promises.hasFailed(), `${store} refuses what it cannot keep`);
      stage.life.allow(ACTIONS_MAX);
      device.free();
      const startMs = performance.now();
      try {
        await stage.stack.untilAtWork(stage.devnet.publicClient, `${store} has space again`);
      } finally {
        await keeper.stop();
      }
      recoveries.note(`full disk of ${store}`, Math.round(performance.now() - startMs));
      await promises.stop();
      assert.deepEqual(await promises.missing(), [], `${store} has what it confirmed`);
      context.diagnostic(`${store} confirmed ${promises.confirmed()} before it refused`);
      context.diagnostic(`${store} was started again ${keeper.starts()} times`);
    });
  }

  test('nothing is lost and nothing doubled', async (context) => {
    await stage.life.stop();
    for (let i = 0; i < LAST_ACTIONS; i += 1) await stage.driver.act(LAST_DEPTH_MAX);
    await stage.devnet.mine(2, 1);
    await stage.stack.untilConverged(stage.devnet.publicClient);
    const exits = [...stage.stack.roles.values()].map((role) => `${role.role} ${role.ownExits()}`);
    context.diagnostic(`own exits: ${exits.join(', ')}`);
    context.diagnostic(JSON.stringify(await assertOutcome(stage)));
    for (const row of recoveries.rows()) context.diagnostic(row);
  });

  test('no recovery takes as long as thirty seconds', () => {
    recoveries.assertBelow(BACK_MS_MAX);
  });
});
