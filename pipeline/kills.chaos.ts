import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '../shared/testing/pipelineProcess.ts';
import { createRandom, shuffled } from '../shared/testing/random.ts';
import {
  type CrashStage,
  PARTS,
  type Part,
  startCrashStage,
  strike,
} from './testing/chaos/crashStage.ts';
import { STACK_CHAIN_ID } from './testing/chaos/liveStack.ts';
import {
  createRecoveries,
  depthAbove,
  mustStop,
  publishedFinal,
  testOutcome,
} from './testing/chaos/outcome.ts';
import { assertSameLines, storedTransfers } from './testing/chaos/storedState.ts';

/** `ROUNDS` times each part is killed as often as this: 13 kills a round. */
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
/** What the node calls final. */
const REORG_DEPTH_MAX = 64;
/** What may happen on the chain during one kill. */
const ACTIONS_MAX = 25;
const LAST_ACTIONS = 60;
const STOPPED_MS_MAX = 60_000;
const PROGRESS_EVERY = 10;

/** Depths of reorgs from 1 to the deepest, evenly. */
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

  test('a reorg past what was published as final stops the watcher, and nothing of it is stored', async () => {
    const watcher = stage.stack.roles.get('watcher');
    assert.ok(watcher);
    const { clickhouse, nats } = stage.stack;
    const { publicClient } = stage.devnet;
    const stored = await storedTransfers(clickhouse);
    const before = watcher.ownExits();
    const final = await publishedFinal(nats, STACK_CHAIN_ID);
    await stage.devnet.reorg(1 + (await depthAbove(publicClient, final)));
    assert.equal(await mustStop(publicClient, final), true);
    const hasStopped = () => watcher.ownExits() > before + 1 || undefined;
    await until('the watcher stops, and stops again', hasStopped, STOPPED_MS_MAX).catch(
      (cause: unknown) => {
        throw new Error(`block ${final.number} was final\n${watcher.output()}`, { cause });
      },
    );
    assert.match(watcher.output(), /reorg beyond finality/);
    assert.deepEqual(await publishedFinal(nats, STACK_CHAIN_ID), final);
    assertSameLines(await storedTransfers(clickhouse), stored, 'transfers');
  });
});
