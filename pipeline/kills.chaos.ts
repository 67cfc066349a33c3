import { after, before, describe, test } from 'node:test';
import { createRandom, shuffled } from '../shared/testing/random.ts';
import {
  type CrashStage,
  PARTS,
  type Part,
  startCrashStage,
  strike,
} from './testing/chaos/crashStage.ts';
import { createRecoveries, testOutcome } from './testing/chaos/outcome.ts';

/** In each of `ROUNDS` rounds each part is killed this often: 13 kills per round. */
const KILLS: Readonly<Record<Part, number>> = {
  watcher: 2,
  scorer: 2,
  alerts: 2,
  clusters: 1,
  push: 1,
  api: 1,
  nats: 2,
  redis: 1,
  clickhouse: 1,
};
const ROUNDS = Number(process.env['CHAOS_ROUNDS'] ?? 16);
const SEED = Number(process.env['SEED'] ?? 1);
const REORGS = 30;
/** The node's finality depth. */
const REORG_DEPTH_MAX = 64;
/** Chain activity during one kill. */
const ACTIONS_MAX = 25;
const LAST_ACTIONS = 60;
const PROGRESS_EVERY = 10;

/** Depths of reorgs from 1 to the deepest, evenly distributed. */
const depths = Array.from({ length: REORGS }, (_, i) =>
  Math.round(1 + (i * (REORG_DEPTH_MAX - 1)) / (REORGS - 1)),
);

describe('everything on real components under kills and reorgs', () => {
  const random = createRandom(SEED);
  const recoveries = createRecoveries();
  let stage: CrashStage;

  before(async () => {
    stage = await startCrashStage(random);
  });
  after(() => stage?.stop());

  test('is at work again after every kill, reorgs of every depth meanwhile', async (context) => {
    const plan = shuffled(
      PARTS.flatMap((part) => Array.from({ length: ROUNDS * KILLS[part] }, () => part)),
      random,
    );
    const wanted = shuffled(depths, random);
    const every = Math.max(1, Math.floor(plan.length / REORGS));
    const reorgs: Promise<void>[] = [];
    for (const [i, part] of plan.entries()) {
      const depth = i % every === 0 ? wanted.pop() : undefined;
      if (depth !== undefined) reorgs.push(stage.life.reorg(depth));
      stage.life.allow(ACTIONS_MAX);
      recoveries.note(part, await strike(stage, part, random));
      if (i % PROGRESS_EVERY === 0) console.info(`${i} of ${plan.length} kills done`);
    }
    for (const depth of wanted) reorgs.push(stage.life.reorg(depth));
    await Promise.all(reorgs);
    context.diagnostic(`${reorgs.length} reorgs of chosen depth`);
  });

  testOutcome(() => stage, recoveries, LAST_ACTIONS);
});
