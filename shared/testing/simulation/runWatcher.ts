import { AppendError } from '../../../pipeline/watcher/appendError.ts';
import { createChainPublisher } from '../../../pipeline/watcher/chainPublisher.ts';
import type { ChainSource, ChainStream } from '../../../pipeline/watcher/ports.ts';
import { createWatcher } from '../../../pipeline/watcher/watcher.ts';
import { RpcError } from '../../adapters/rpc/rpcError.ts';
import { RetryableError } from '../../runtime/errors.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { createWakeUp } from '../../runtime/wakeUp.ts';
import { createFakeSource } from '../fakeChain.ts';
import { CHAIN_ID } from './cast.ts';
import { REORG_DEPTH_MAX } from './programme.ts';
import type { Life } from './scheduler.ts';
import type { World } from './world.ts';

/** Blocks one of two nodes may be behind. */
const LAG_MAX = 4;
/** Once in how many questions the node that answers is behind. */
const LAG_ONE_IN = 12;
/** Blocks below the head read one by one when the history is read in stretches. */
const FULL_BLOCKS = 4;
const FULL_BLOCKS_ALWAYS = 100_000;

/** An answer on its way: nobody may be there any more when it is an error. */
const sent = <T>(answer: Promise<T>): { readonly answer: Promise<T> } => {
  answer.catch(() => undefined);
  return { answer };
};

const sourceOf = ({ programme, scheduler, random }: World, life: Life): ChainSource => {
  const missing = (what: string): Error => new RpcError('behind', 'fake', what);
  const upToDate = createFakeSource(programme.chain, missing, { finalityDepth: REORG_DEPTH_MAX });
  const behind = createFakeSource(programme.chain, missing, {
    finalityDepth: REORG_DEPTH_MAX,
    name: 'behind',
    lag: () => 1 + random.below(LAG_MAX),
  });
  const node = (): typeof upToDate => (random.oneIn(LAG_ONE_IN) ? behind : upToDate);
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
const connect = ({ stream, scheduler }: World, life: Life): ChainStream => {
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

/** The watcher as a process: resolves or rejects where it would end. */
export const runWatcher = async (world: World, life: Life): Promise<void> => {
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
      finalityDepth: REORG_DEPTH_MAX,
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
