import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { FatalError, RetryableError } from '../shared/platform/errors.ts';
import { createRandom } from '../shared/testing/random.ts';
import { assertEndState } from './testing/simulation/endState.ts';
import { watchOf } from './testing/simulation/programme.ts';
import { runAlerts, runClusters, runWatcher } from './testing/simulation/runPipeline.ts';
import { runScorer } from './testing/simulation/runScorer.ts';
import { testSeeds } from './testing/simulation/testSeeds.ts';
import { createScheduler, createWorld, type Life, type World } from './testing/simulation/world.ts';

/** Statistics of one seed. */
interface SimulationReport {
  readonly blocks: number;
  readonly messages: number;
  readonly deaths: number;
  readonly alerts: number;
  readonly rings: number;
  readonly steps: number;
}

const ROLES = {
  watcher: runWatcher,
  scorer: runScorer,
  alerts: runAlerts,
  clusters: runClusters,
} as const;
type Role = keyof typeof ROLES;
const ROLE_NAMES = Object.keys(ROLES) as Role[];

/** Actions of the driver in one run. */
const ACTIONS = 70;
/** Steps without any change after which nothing more will happen. */
const QUIET_STEPS = 250;
const STEPS_MAX = 60_000;
/** Watchlist items that exist from the beginning to the end. */
const STEADY_WATCHES = 6;

/** The processes: each crashes and is restarted. */
const createProcesses = (world: World) => {
  const lives = new Map<Role, Life>();
  let failure: unknown;
  let deaths = -ROLE_NAMES.length;
  const start = (role: Role): void => {
    const life: Life = { role, isAlive: true };
    lives.set(role, life);
    deaths += 1;
    ROLES[role](world, life).then(
      () => {
        failure ??= new Error(`${role} ended by itself`);
      },
      (error: unknown) => {
        life.isAlive = false;
        // Exit code 75: restarted. Anything else is a bug.
        if (!(error instanceof RetryableError) || error instanceof FatalError) failure ??= error;
      },
    );
  };
  return {
    revive: (): void => {
      for (const role of ROLE_NAMES) if (!lives.get(role)?.isAlive) start(role);
    },
    kill: (role: Role): void => {
      const life = lives.get(role);
      if (life) life.isAlive = false;
    },
    deaths: (): number => deaths,
    check: (): void => {
      if (failure !== undefined) throw failure;
    },
  };
};

/** One spontaneous action of the world. */
const act = (world: World, processes: ReturnType<typeof createProcesses>, at: number): void => {
  const { random, programme, watchlists, stream } = world;
  const choice = random.below(30);
  if (choice < 4) programme.reorg();
  else if (choice < 6) programme.restore();
  else if (choice < 8) processes.kill(random.pick(ROLE_NAMES));
  else if (choice < 9) watchlists.add(watchOf(100 + at, random.below(12)));
  else if (choice < 10)
    watchlists.remove(random.pick([...watchlists.items.keys(), -1].slice(STEADY_WATCHES)));
  else if (choice < 11) loseTail(world, stream.messages().length);
  else programme.mine();
};

/** The stream loses what no reader has seen yet: the most that JetStream loses when it always syncs. */
const loseTail = ({ stream, durables, random }: World, length: number): void => {
  const seen = Math.max(...Object.values(durables).map(({ delivered }) => delivered));
  const lastSeq = stream.messages().at(-1)?.seq ?? 0;
  const unseen = Math.min(length, lastSeq - seen);
  if (unseen > 0) stream.loseTail(1 + random.below(unseen));
};

/** Everything whose change shows that work continues. */
const fingerprint = ({ stream, durables, programme, database, scores }: World): string =>
  JSON.stringify([
    programme.chain.head().hash,
    stream.messages().at(-1)?.id,
    durables.scorer.acknowledged,
    durables.alerts.acknowledged,
    durables.clusters.acknowledged,
    scores.acknowledged,
    scores.messages.length,
    database.verdictHistory.writes(),
    database.horizonProgress.writes(),
    database.alerts.writes(),
    database.clusterProgress.writes(),
  ]);

/** Whether the head is published, and no reader is working on a message. */
const isRead = ({ stream, programme, durables }: World): boolean => {
  const last = stream.messages().findLast(({ headers }) => headers.kind === 'blocks');
  return (
    last?.headers.hash === programme.chain.head().hash &&
    Object.values(durables).every(({ isAtWork }) => !isAtWork)
  );
};

const settle = async (world: World, processes: ReturnType<typeof createProcesses>) => {
  let last = '';
  let quiet = 0;
  let steps = 0;
  for (; quiet < QUIET_STEPS; steps += 1) {
    assert.ok(steps < STEPS_MAX, 'the pipeline does not come to rest');
    processes.revive();
    await world.scheduler.step();
    processes.check();
    const now = fingerprint(world);
    // Deep reorgs involve long searches and reads without visible changes: the run is at rest only when all is read.
    quiet = now === last && isRead(world) ? quiet + 1 : 0;
    last = now;
  }
  return steps;
};

/**
 * Runs the pipeline on a chain with reorgs, over failures and crashes, until all has been read; then asserts that
 * what is stored is exactly what follows from the canonical chain. The same seed gives the same run.
 */
const simulate = async (seed: number): Promise<SimulationReport> => {
  const random = createRandom(seed);
  const scheduler = createScheduler(random, random.pick([40, 150, 600, 100_000]));
  const world = createWorld(random, scheduler);
  const processes = createProcesses(world);
  for (let i = 0; i < STEADY_WATCHES; i += 1) world.watchlists.add(watchOf(i, i));
  const pace = random.pick([3, 15, 60]);
  let steps = 0;
  for (let at = 0; at < ACTIONS; at += 1) {
    act(world, processes, at);
    const until = random.below(2 * pace);
    for (let i = 0; i < until; i += 1, steps += 1) {
      if (random.oneIn(10)) processes.revive();
      await scheduler.step();
      processes.check();
    }
  }
  scheduler.calm();
  // A last block on top of everything, as on any live chain.
  for (let i = 0; i < 3; i += 1) world.programme.mine();
  steps += await settle(world, processes);
  await assertEndState(world, STEADY_WATCHES);
  return {
    blocks: world.programme.chain.canonical().length,
    messages: world.stream.messages().length,
    deaths: processes.deaths(),
    alerts: world.database.alerts.final().length,
    rings: world.database.rings.final().length,
    steps,
  };
};

describe('under reorgs, failures, deaths and repetitions the pipeline ends with what the chain gives', () => {
  testSeeds(simulate);
});
