import { after, before, describe, test } from 'node:test';
import { createRandom, shuffled } from '../shared/testing/random.ts';
import { type CrashStage, startCrashStage, takeAway } from './testing/chaos/crashStage.ts';
import { createRecoveries, testOutcome } from './testing/chaos/outcome.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const DEPENDENCIES = ['nats', 'redis', 'clickhouse', 'node'] as const;
const FAULTS = ['refused', 'hanging', 'reset'] as const;
/** Seconds of each outage. */
const OUTAGE_S = Number(process.env['OUTAGE_S'] ?? 60);
/** Chain activity during one outage. */
const ACTIONS_MAX = 40;
const LAST_ACTIONS = 40;

describe('everything on real components while what it depends on is away', () => {
  const random = createRandom(SEED);
  const recoveries = createRecoveries();
  let stage: CrashStage;

  before(async () => {
    stage = await startCrashStage(random, { isDisturbed: true });
  });
  after(() => stage?.stop());

  test('is at work again after every outage', async () => {
    const plan = DEPENDENCIES.flatMap((dependency) =>
      FAULTS.map((fault) => ({ dependency, fault, ms: OUTAGE_S * 1_000 })),
    );
    for (const outage of shuffled(plan, random)) {
      stage.life.allow(ACTIONS_MAX);
      const what = `${outage.dependency} ${outage.fault}`;
      recoveries.note(what, await takeAway(stage, outage));
      console.info(`${what}: done`);
    }
  });

  testOutcome(() => stage, recoveries, LAST_ACTIONS);
});
