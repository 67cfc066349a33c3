import { createChainPublisher } from '../../../pipeline/watcher/chainPublisher.ts';
import {
  AppendError,
  type ChainSource,
  type ChainStream,
} from '../../../pipeline/watcher/ports.ts';

import { createWatcher } from '../../../pipeline/watcher/watcher.ts';
import { RetryableError } from '../../platform/errors.ts';
import { silentLogger } from '../../platform/logger.ts';
import { RpcError } from '../../platform/rpc/rpcError.ts';
import { createWakeUp } from '../../platform/wakeUp.ts';
import { createFakeSource, type FakeSource } from '../fakeChain.ts';
import { CHAIN_ID } from './cast.ts';
import { REORG_DEPTH_MAX } from './programme.ts';
import type { Life } from './scheduler.ts';
import type { World } from './world.ts';

/** Blocks one of two nodes may be behind. */
const LAG_MAX = 4;
/** Once in how many questions the node that answers is behind. */
const LAG_ONE_IN = 12;
/** Blocks below the head read one by one when the history is read in ranges. */
const FULL_BLOCKS = 4;
const FULL_BLOCKS_ALWAYS = 100_000;

/** An answer on its way: nobody may be there any more when it is an error. */
const sent = <T>(answer: Promise<T>): { readonly answer: Promise<T> } => {
  answer.catch(() => undefined);
  return { answer };
};

/** One of two nodes of the chain: one is up to date, the other mostly not asked. */
const eitherNode = ({ programme, random }: World): (() => FakeSource) => {
  const finalityDepth = (): number => REORG_DEPTH_MAX;
  const upToDate = createFakeSource(programme.chain, missingBlock, { finalityDepth });
  const behind = createFakeSource(programme.chain, missingBlock, {
    finalityDepth,
    name: 'behind',
    lag: () => 1 + random.below(LAG_MAX),
  });
  return () => (random.oneIn(LAG_ONE_IN) ? behind : upToDate);
};

/** What a node answers that does not have a block. */
export const missingBlock = (what: string): Error => new RpcError('behind', 'fake', what);

/** What a watcher lives in. */
export type WatcherWorld = Pick<World, 'scheduler' | 'stream' | 'backfills'> & {
  /** The node that answers next. */
  readonly node: () => FakeSource;
  readonly finalityDepth: number;
};

const sourceOf = ({ node, scheduler }: WatcherWorld, life: Life): ChainSource => {
  const ask = async <T>(call: () => Promise<T>): Promise<T> => {
    const failure = (): Error => new RpcError('unreachable', 'fake', 'HTTP 503');
    return (await scheduler.io(life, failure, () => sent(call()))).answer;
  };
  return {
    follow: (next, count) => ask(() => node().follow(next, count)),
    header: (id) => ask(() => node().header(id)),
    range: (from, to) => ask(() => node().range(from, to)),
    blocks: (from, to) => ask(() => node().blocks(from, to)),
  };
};

/** The stream over a connection: requests arrive in the order they were sent, answers may get lost. */
const connect = ({ stream, scheduler }: WatcherWorld, life: Life): ChainStream => {
  const read = async <T>(call: () => Promise<T>): Promise<T> => {
    const failure = (): Error => new RetryableError('fake JetStream: no answer');
    return (await scheduler.io(life, failure, () => sent(call()))).answer;
  };
  return {
    info: () => read(() => stream.info()),
    headersFrom: (seq) => read(() => stream.headersFrom(seq)),
    readersFloor: () => read(() => stream.readersFloor()),
    purge: (seq) => read(() => stream.purge(seq)),
    append: async (message, expectedLastSeq) => {
      const unavailable = (): AppendError => new AppendError('unavailable', 'no answer');
      // Sent at once, so that overlapping calls keep their order; only the answer is waited for.
      const isSent = life.isAlive && !scheduler.troubles();
      const request = isSent ? sent(stream.append(message, expectedLastSeq)) : undefined;
      await scheduler.io(life, unavailable, () => undefined);
      if (!request) throw unavailable();
      return request.answer;
    },
  };
};

/** The watcher of the whole pipeline as a process: resolves or rejects where it would end. */
export const runWatcher = (world: World, life: Life): Promise<void> =>
  watchAs({ ...world, node: eitherNode(world), finalityDepth: REORG_DEPTH_MAX }, life);

/** A watcher as a process: resolves or rejects where it would end. */
export const watchAs = async (world: WatcherWorld, life: Life): Promise<void> => {
  const clock = world.scheduler.clock(life);
  const stream = connect(world, life);
  const { signal } = new AbortController();
  const publisher = createChainPublisher({ stream, clock, logger: silentLogger, signal });
  const watcher = createWatcher(
    {
      chainId: CHAIN_ID,
      startBlock: 0,
      fullBlocks: world.backfills ? FULL_BLOCKS : FULL_BLOCKS_ALWAYS,
      backfillDetail: 'full',
      finalityDepth: world.finalityDepth,
      pollIntervalMs: 10,
    },
    {
      source: sourceOf(world, life),
      stream,
      publisher,
      wakeUp: createWakeUp(clock),
      progress: {
        saw: () => undefined,
        published: () => undefined,
        reorganised: () => undefined,
        failed: () => undefined,
      },
      clock,
      logger: silentLogger,
    },
  );
  await watcher.run(signal);
};
