import type { Clock } from '../../shared/platform/clock.ts';
import { errorMessage, RetryableError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import type { ChainSource } from '../../shared/platform/rpc/createRpc.ts';
import type { WakeUp } from '../../shared/platform/wakeUp.ts';
import { rangeOfBlocks, rangeOfLogs } from './blockRange.ts';
import { type BlockRangeFeed, createBlockRangeFeed } from './blockRangeFeed.ts';
import type { ChainPublisher } from './chainPublisher.ts';
import { tipOf } from './localChain.ts';
import { type ChainStream, StreamMovedError } from './ports.ts';
import type { Progress } from './progress.ts';
import { resume } from './resume.ts';
import { firstPosition, type Position, type ReadingOptions, takeStep } from './watcherStep.ts';

/** What to read of a chain, and how. */
export interface WatcherOptions extends ReadingOptions {
  /** First block of an empty stream; undefined: the head. */
  readonly startBlock: number | undefined;
  /** What is read of final blocks far below the head: logs only, or everything. */
  readonly backfillDetail: 'logs' | 'full';
  /** Milliseconds between polls of the head, unless woken earlier. */
  readonly pollIntervalMs: number;
}

export interface WatcherParts {
  readonly source: ChainSource;
  readonly stream: ChainStream;
  readonly publisher: ChainPublisher;
  readonly wakeUp: WakeUp;
  readonly progress: Progress;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Blocks per range of a backfill in full detail. */
const DETAIL_BLOCKS_MAX = 8;
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 5_000;

/** Follows one chain and publishes its facts. */
export interface Watcher {
  /** Takes one bounded step towards the head. `idle`: there was nothing to do. */
  step(): Promise<'busy' | 'idle'>;
  /** Steps until `signal` aborts, then waits for running work. Rejects on a FatalError. */
  run(signal: AbortSignal): Promise<void>;
}

const createFeed = (
  source: ChainSource,
  detail: WatcherOptions['backfillDetail'],
): BlockRangeFeed =>
  detail === 'full'
    ? createBlockRangeFeed({
        read: async (from, to) => rangeOfBlocks(await source.blocks(from, to)),
        blocksMax: DETAIL_BLOCKS_MAX,
      })
    : createBlockRangeFeed({ read: async (from, to) => rangeOfLogs(await source.range(from, to)) });

/** A watcher's only state is its position; if that is lost, it is rebuilt from the stream. */
export const createWatcher = (options: WatcherOptions, parts: WatcherParts): Watcher => {
  const { source, stream, publisher, logger } = parts;
  const feed = createFeed(source, options.backfillDetail);
  const stepParts = { ...parts, options, feed, walked: new Map() };
  let position: Position | undefined;

  const start = async (): Promise<Position> => {
    const { chain, lastSeq } = await resume(stream, source, options.startBlock);
    publisher.begin(lastSeq);
    feed.reset();
    const tip = tipOf(chain)?.hash;
    logger.info({ next: chain.next, tip, epoch: chain.epoch, lastSeq }, 'watcher goes on');
    return firstPosition(chain);
  };

  const step = async (): Promise<'busy' | 'idle'> => {
    position ??= await start();
    try {
      const { at, moved } = await takeStep(stepParts, position);
      position = at;
      return moved ? 'busy' : 'idle';
    } catch (error) {
      // A failed read changes nothing; if the stream moved, it knows better what was published.
      if (!(error instanceof RetryableError) || error instanceof StreamMovedError) {
        position = undefined;
      }
      throw error;
    }
  };

  return { step, run: (signal) => converge(step, options.pollIntervalMs, parts, signal) };
};

/** Steps until aborted; waits at the head; retries after a RetryableError, with growing pauses. */
const converge = async (
  step: () => Promise<'busy' | 'idle'>,
  pollIntervalMs: number,
  { wakeUp, progress, clock, logger }: WatcherParts,
  signal: AbortSignal,
): Promise<void> => {
  let failures = 0;
  /** The last logged failure: a lasting failure is logged once, a different one again. */
  let logged = '';
  while (!signal.aborted) {
    try {
      const result = await step();
      if (failures > 0) logger.info({ failures }, 'watcher goes on after failures');
      failures = 0;
      logged = '';
      if (result === 'idle') await wakeUp.wait(pollIntervalMs, signal);
    } catch (error) {
      if (!(error instanceof RetryableError) || signal.aborted) {
        if (signal.aborted && error instanceof RetryableError) break;
        throw error;
      }
      const message = errorMessage(error);
      if (message !== logged) logger.warn({ err: error }, `watcher waits: ${message}`);
      logged = message;
      progress.failed();
      failures += 1;
      const pause =
        error instanceof StreamMovedError && failures === 1 ? 0 : RETRY_MS_MIN * 2 ** failures;
      await clock.sleep(Math.min(pause, RETRY_MS_MAX), signal);
    }
  }
};
