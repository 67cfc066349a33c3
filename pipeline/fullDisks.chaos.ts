import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../shared/testing/pipelineProcess.ts';
import { createRandom } from '../shared/testing/random.ts';
import type { Service } from '../shared/testing/services.ts';
import {
  type DeviceStage,
  keepPromises,
  STORES,
  startStageOnDevices,
} from './testing/chaos/deviceStage.ts';
import { STACK_WAIT_MS_MAX } from './testing/chaos/liveStack.ts';
import { createRecoveries, testOutcome } from './testing/chaos/outcome.ts';

const WATCH_MS = 250;

/** Restarts a server whenever it exits, as an init system does, until told to stop. */
const keepRunning = (server: Service) => {
  let [isOver, starts] = [false, 0];
  const watching = (async () => {
    while (!isOver) {
      await sleep(WATCH_MS);
      if (!server.hasEnded()) continue;
      // Without disk space it may not start: it is tried again.
      await server.restart().then(
        () => (starts += 1),
        () => undefined,
      );
    }
  })();
  return {
    /** Number of restarts. */
    starts: (): number => starts,
    /** Resolves when it is no longer supervised. */
    stop: async (): Promise<void> => {
      isOver = true;
      await watching;
    },
  };
};

const SEED = Number(process.env['SEED'] ?? 1);
/** How long a disk stays full. */
const FULL_MS = 20_000;
/** Chain activity while one disk is full. */
const ACTIONS_MAX = 40;
const LAST_ACTIONS = 40;

describe('full disks, one after the other', () => {
  const random = createRandom(SEED);
  const recoveries = createRecoveries();
  let stage: DeviceStage;

  before(async () => {
    stage = await startStageOnDevices(random);
  });
  after(() => stage?.stop());

  for (const store of STORES) {
    test(`${store} without a free byte: everything waits, and goes on when there is space`, async (context) => {
      const device = stage.devices[store];
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

  testOutcome(() => stage, recoveries, LAST_ACTIONS);
});
