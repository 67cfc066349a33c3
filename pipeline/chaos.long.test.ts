import { after, before, describe, test } from 'node:test';
import { createRandom, shuffled } from '../shared/testing/random.ts';
import type { Fault } from '../shared/testing/tcpProxy.ts';
import { type CrashStage, startCrashStage, strike, takeAway } from './testing/chaos/crashStage.ts';

import type { Dependency } from './testing/chaos/liveStack.ts';
import { createRecoveries, settleAndCompare } from './testing/chaos/outcome.ts';

/** The short form of `make chaos`: each of these is killed once, and each dependency is unavailable once. */
const ROLES = ['watcher', 'scorer', 'alerts'] as const;
const PARTS = [...ROLES, 'nats', 'redis', 'clickhouse'] as const;
const SEED = Number(process.env['SEED'] ?? 1);
const OUTAGES: readonly [Dependency, Fault][] = [
  ['nats', 'hanging'],
  ['redis', 'reset'],
  ['clickhouse', 'refused'],
  ['node', 'hanging'],
];
const AWAY_MS = 1_500;
/** No further disturbance begins after this time: a slow machine has fewer of them, not a longer test. */
const DISTURBED_MS_MAX = 75_000;
/** Chain activity during one of them. */
const ACTIONS_MAX = 8;
/** Chain activity after the last one, so that more remains to compare than the deepest reorg removes. */
const LAST_ACTIONS = 40;

describe('the pipeline on real components, killed and cut off at any time', () => {
  const random = createRandom(SEED);
  const recoveries = createRecoveries();
  let stage: CrashStage;

  before(async () => {
    stage = await startCrashStage(random, { roles: ROLES, isDisturbed: true });
  });
  after(() => stage?.stop());

  test('is at work again after every kill and every outage', async (context) => {
    const disturbances = [
      ...PARTS.map((part) => ({ what: part, begin: () => strike(stage, part, random) })),
      ...OUTAGES.map(([dependency, fault]) => ({
        what: `${dependency} ${fault}`,
        begin: () => takeAway(stage, { dependency, fault, ms: AWAY_MS }),
      })),
    ];
    const startMs = performance.now();
    for (const { what, begin } of shuffled(disturbances, random)) {
      if (performance.now() - startMs > DISTURBED_MS_MAX) {
        context.diagnostic(`no time for ${what}`);
        continue;
      }
      stage.life.allow(ACTIONS_MAX);
      recoveries.note(what, await begin());
    }
    for (const row of recoveries.rows()) context.diagnostic(row);
  });

  test('nothing is lost and nothing doubled', async (context) => {
    await settleAndCompare(stage, LAST_ACTIONS, (line) => context.diagnostic(line));
  });
});
