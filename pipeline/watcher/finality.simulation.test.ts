import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { BlockRef, Hex } from '../../shared/chain/block.ts';
import { FatalError, RetryableError } from '../../shared/platform/errors.ts';
import type { ChainSource } from '../../shared/platform/rpc/createRpc.ts';
import { createRandom, type Random } from '../../shared/testing/random.ts';
import { missingBlock, watchAs } from '../testing/simulation/runPipeline.ts';
import { SEEDS_PER_TEST, testSeeds } from '../testing/simulation/testSeeds.ts';
import { createScheduler, type Life, type Scheduler } from '../testing/simulation/world.ts';
import { createFakeChain, createFakeSource, type FakeChain } from './testing/fakeChain.ts';
import {
  assertSame,
  busy,
  contradicts,
  createFakeStream,
  type FakeStream,
  readPublishedFinal,
} from './testing/scriptedWatcher.ts';

/** Statistics of one seed. */
interface FinalityReport {
  readonly reorgs: number;
  readonly deaths: number;
  /** How often the watcher stopped at a reorg beyond what it had published as final. */
  readonly stops: number;
  /** 1 if the final chain differs from what was published as final, 0 if it was followed. */
  readonly refused: number;
}

const BLOCKS_AT_START = 30;
const ACTIONS = 60;
/** Maximum virtual steps between two actions. */
const STEPS_BETWEEN_MAX = 40;
const STEPS_MAX = 40_000;
/** Blocks at the end, so that no abandoned branch is higher. */
const BLOCKS_AT_END = 5;
const LAG_MAX = 4;
/** Upper bound of the messages that a stream loses. */
const TAIL_MAX = 4;
/** One in this many requests is answered by another node than the first. */
const OTHER_NODE_ONE_IN = 6;
/** Branches remembered to go back to. */
const LEFT_MAX = 4;

/** What nodes report as final: the truth, nothing, or anything between the head and the genesis. */
const FINALITY_TAGS = ['honest', 'none', 'lying'] as const;

interface Stage {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly chain: FakeChain;
  readonly stream: FakeStream;
  readonly left: Hex[];
  isCalm: boolean;
}

/** Nodes of one chain: up to date, behind, and on an orphaned branch. */
const createNodes = (stage: Stage, finalityDepth: number): (() => ChainSource) => {
  const { random, chain, left } = stage;
  const tag = random.pick(FINALITY_TAGS);
  const depths = { honest: [finalityDepth], none: [null], lying: [0, 2, finalityDepth, 1_000] };
  const options = { finalityDepth: () => random.pick<number | null>(depths[tag]) };
  const upToDate = createFakeSource(chain, missingBlock, options);
  const lag = (): number => 1 + random.below(LAG_MAX);
  const behind = createFakeSource(chain, missingBlock, { ...options, name: 'behind', lag });
  const stale = (tip: Hex): ChainSource =>
    createFakeSource(branchOf(chain, tip), missingBlock, { ...options, name: 'stale' });
  return () => {
    if (stage.isCalm || !random.oneIn(OTHER_NODE_ONE_IN)) return upToDate;
    const [lost] = left;
    return lost && random.oneIn(2) ? stale(lost) : behind;
  };
};

/** A branch as its node reports it. */
const branchOf = (chain: FakeChain, tip: Hex): Parameters<typeof createFakeSource>[0] => {
  const blocks = chain.branch(tip);
  const head = blocks.at(-1)?.header ?? chain.head();
  return {
    head: () => head,
    block: (number) => blocks[number],
    byHash: (hash) => chain.byHash(hash),
  };
};

/** A watcher that crashes, stops and is restarted; every stop is checked. */
const createProcess = (stage: Stage, finalityDepth: number, backfills: boolean) => {
  const { scheduler, stream, chain, left } = stage;
  const node = createNodes(stage, finalityDepth);
  let life: Life = { role: 'watcher', isAlive: false };
  /** Tips that nodes reported in this run, and blocks it published as final that the stream lost. */
  let [shown, lost] = [new Set<Hex>(), new Set<BlockRef>()];
  let failure: unknown;
  const counts = { starts: 0, stops: 0 };
  const see = (): void => {
    for (const tip of [chain.head().hash, ...left]) shown.add(tip);
  };
  const judge = (error: unknown): void => {
    if (error instanceof RetryableError) return;
    const published = readPublishedFinal(stream.events());
    const isRight = [...shown].some((tip) =>
      [published, ...lost].some((final) => contradicts(chain, tip, final)),
    );
    if (error instanceof FatalError && isRight) counts.stops += 1;
    else throw new Error(`stopped, final is ${published?.number}`, { cause: error });
  };
  const start = (): void => {
    const own: Life = { role: 'watcher', isAlive: true };
    [life, shown, lost] = [own, new Set(), new Set()];
    see();
    counts.starts += 1;
    watchAs({ scheduler, stream, backfills, node, finalityDepth }, own)
      .then(
        () => assert.fail('the watcher ended by itself'),
        (error: unknown) => {
          own.isAlive = false;
          judge(error);
        },
      )
      .catch((error: unknown) => {
        failure ??= error;
      });
  };
  return {
    counts,
    see,
    /** The stream loses its last messages except the first, like a server that is killed before it synced. */
    loseTail: (count: number) => {
      const published = readPublishedFinal(stream.events());
      if (published) lost.add(published);
      stream.loseTail(Math.max(0, Math.min(count, stream.messages().length - 1)));
    },
    revive: () => {
      if (!life.isAlive) start();
    },
    kill: () => {
      life.isAlive = false;
    },
    check: () => {
      if (failure !== undefined) throw failure;
    },
  };
};

/** Replaces blocks of the canonical chain, or returns to some that were replaced. */
const reorganise = ({ random, chain, left }: Stage): void => {
  const tip = random.oneIn(3) ? left[random.below(Math.max(1, left.length))] : undefined;
  const head = chain.head();
  if (tip !== undefined) chain.restore(tip);
  else {
    const most = head.number - 1;
    const depth = 1 + random.below(random.oneIn(3) ? most : Math.min(8, most));
    const blocks = Math.max(1, depth + random.below(4) - 1);
    chain.reorg(
      depth,
      Array.from({ length: blocks }, () => busy(1, random.below(1_000))),
    );
  }
  const others = left.filter((one) => one !== tip && one !== head.hash);
  left.splice(0, left.length, ...[head.hash, ...others].slice(0, LEFT_MAX));
};

/** Steps until the head is published, or the watcher stopped twice in a row, also after a restart. */
const settle = async (
  { scheduler, stream, chain }: Stage,
  process: ReturnType<typeof createProcess>,
): Promise<'followed' | 'refused'> => {
  const stopsBefore = process.counts.stops;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    process.revive();
    await scheduler.step();
    process.check();
    if (process.counts.stops >= stopsBefore + 2) return 'refused';
    const last = stream.messages().findLast(({ headers }) => headers.kind === 'blocks');
    if (last?.headers.hash === chain.head().hash) return 'followed';
  }
  throw new Error('the watcher neither follows the chain nor stops');
};

/**
 * Runs a watcher on a chain with reorgs of any depth, over crashes, failures, lost messages, nodes that lag or remain
 * on another branch, and false finality tags. What was published as final never changes; the watcher stops if a node
 * reported another chain there, and only then. The same seed gives the same run.
 */
const simulateFinality = async (seed: number): Promise<FinalityReport> => {
  const random = createRandom(seed);
  const scheduler = createScheduler(random, random.pick([40, 150, 100_000]));
  const chain = createFakeChain();
  const stream = createFakeStream();
  const stage: Stage = { random, scheduler, chain, stream, left: [], isCalm: false };
  const grow = (blocks: number): void => {
    for (let i = 0; i < blocks; i += 1) chain.mine(busy(1, random.below(1_000)));
  };
  grow(BLOCKS_AT_START);
  const process = createProcess(stage, random.pick([4, 12, 24]), random.oneIn(2));
  let reorgs = 0;
  for (let at = 0; at < ACTIONS; at += 1) {
    const choice = random.below(12);
    if (choice === 0) {
      reorganise(stage);
      reorgs += 1;
    } else if (choice === 1) process.kill();
    else if (choice === 2) process.loseTail(random.below(TAIL_MAX));
    else grow(1 + random.below(4));
    process.see();
    const steps = random.below(STEPS_BETWEEN_MAX);
    for (let i = 0; i < steps; i += 1) {
      if (random.oneIn(5)) process.revive();
      await scheduler.step();
      process.check();
    }
  }
  scheduler.calm();
  stage.isCalm = true;
  const published = readPublishedFinal(stream.events());
  grow(Math.max(0, (published?.number ?? 0) - chain.head().number) + BLOCKS_AT_END);
  process.kill();
  const outcome = await settle(stage, process);
  const isOther = contradicts(chain, chain.head().hash, readPublishedFinal(stream.events()));
  assert.equal(outcome, isOther ? 'refused' : 'followed');
  if (outcome === 'followed') assertSame(stream, chain);
  const { starts, stops } = process.counts;
  return { reorgs, deaths: starts - 1 - stops, stops, refused: outcome === 'refused' ? 1 : 0 };
};

describe('what was published as final never changes, and nothing else stops the watcher', () => {
  testSeeds(simulateFinality, ({ refused = 0, stops = 0 }) => {
    assert.ok(refused > 0 && refused < SEEDS_PER_TEST, 'chains end on both sides of finality');
    assert.ok(stops > refused, 'chains come back from beyond finality');
  });
});
