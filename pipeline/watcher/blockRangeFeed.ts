import { RetryableError } from '../../shared/platform/errors.ts';
import { SIZE_SUSPECTS } from '../../shared/platform/rpc/rpcError.ts';
import type { BlockRange } from './blockRange.ts';

/**
 * Target number of logs per answer: some 3 to 5 MB of JSON. Larger answers save few calls and live long enough in
 * memory to cost more: 10,000 took 20 MB and 8 % of the watcher's time more.
 */
const LOGS_PER_RANGE_TARGET = 5_000;
/** Maximum blocks per range. */
const RANGE_BLOCKS_MAX = 20_000;
/** Blocks of the first range, before the density of logs is known. */
const RANGE_BLOCKS_FIRST = 50;
/** Maximum growth factor of a range from one answer to the next. */
const GROWTH_MAX = 4;
/**
 * Good answers after which a limit learned from a refusal is raised slightly: twice as many after each refusal, up to
 * the second figure.
 */
const ANSWERS_TO_RAISE = 20;
const ANSWERS_TO_RAISE_MAX = 640;
const RAISE_FACTOR = 1.25;
/** Weight of the newest answer in the average density. */
const WEIGHT = 0.3;

/** How many blocks to request at once, learned from answers and refusals. */
interface RangeSize {
  /** Blocks of the next range. */
  readonly blocks: number;
  /** Blocks above which a node refused; Infinity if none did. */
  readonly limit: number;
  readonly logsPerBlock: number;
  readonly answersSinceRefusal: number;
  /** Good answers after which the limit is raised. */
  readonly answersToRaise: number;
}

/** The initial size. */
const initialRangeSize = (blocksMax = RANGE_BLOCKS_MAX): RangeSize => ({
  blocks: Math.min(RANGE_BLOCKS_FIRST, blocksMax),
  limit: blocksMax,
  logsPerBlock: 0,
  answersSinceRefusal: 0,
  answersToRaise: ANSWERS_TO_RAISE / 2,
});

/** After an answer: follow the density of logs, within the limit, growing step by step. */
const grown = (
  size: RangeSize,
  blocksRead: number,
  logs: number,
  blocksMax = RANGE_BLOCKS_MAX,
): RangeSize => {
  const density = logs / blocksRead;
  const known = size.logsPerBlock > 0;
  const logsPerBlock = known ? size.logsPerBlock + WEIGHT * (density - size.logsPerBlock) : density;
  const answers = size.answersSinceRefusal + 1;
  const raise = answers % size.answersToRaise === 0;
  const raised = raise
    ? Math.max(size.limit + 1, Math.floor(size.limit * RAISE_FACTOR))
    : size.limit;
  const limit = Math.min(raised, blocksMax);
  const byDensity = logsPerBlock > 0 ? Math.floor(LOGS_PER_RANGE_TARGET / logsPerBlock) : blocksMax;
  const blocks = Math.max(1, Math.min(byDensity, size.blocks * GROWTH_MAX, limit));
  return { ...size, blocks, limit, logsPerBlock, answersSinceRefusal: answers };
};

/**
 * After a refusal of `blocksAsked`: half of it. Parsing the limit that providers name would save a quarter of the
 * requests where logs are few.
 */
const shrunk = (size: RangeSize, blocksAsked: number): RangeSize => {
  const limit = Math.min(Math.floor(blocksAsked / 2), size.limit);
  const wasAccepted = size.answersSinceRefusal > 0;
  return {
    ...size,
    blocks: Math.min(size.blocks, limit),
    limit,
    answersSinceRefusal: 0,
    answersToRaise: Math.min(ANSWERS_TO_RAISE_MAX, size.answersToRaise * (wasAccepted ? 2 : 1)),
  };
};

/** Ranges read at the same time. */
const RANGES_AHEAD_MAX = 3;
/** Consecutive failures of one range before its error is passed on. */
const FAILURES_MAX = 24;

interface Reading {
  readonly from: number;
  readonly to: number;
  readonly result: Promise<BlockRange>;
}

export interface BlockRangeFeedOptions {
  readonly read: (from: number, to: number) => Promise<BlockRange>;
  /** Maximum blocks per range. */
  readonly blocksMax?: number;
}

/**
 * Whether a failed read may be due to the size of its range: an unknown error may well be, and a node that times out
 * on a range may manage half of it. A node that is unavailable or behind says nothing about size.
 */
const isRefusal = (error: unknown, blocksAsked: number): boolean => {
  if (blocksAsked <= 1 || !(error instanceof RetryableError)) return false;
  const { failure = '' } = error as { failure?: string };
  return failure === 'rangeTooLarge' || SIZE_SUSPECTS.has(failure);
};

const logsOf = (range: BlockRange): number =>
  Object.values(range.ignored).reduce((sum, count) => sum + count, range.facts);

/** Reads several ranges at once, sized by density; a refused range is read again in smaller ones. */
export const createBlockRangeFeed = ({ read, blocksMax }: BlockRangeFeedOptions) => {
  let size: RangeSize = initialRangeSize(blocksMax);
  let queue: Reading[] = [];

  const start = (from: number, to: number): Reading => {
    const result = read(from, to);
    // Errors are handled when the read is first in line.
    result.catch(() => undefined);
    return { from, to, result };
  };
  const fill = (from: number, limit: number): void => {
    while (queue.length < RANGES_AHEAD_MAX) {
      const begin = (queue.at(-1)?.to ?? from - 1) + 1;
      if (begin > limit) return;
      queue.push(start(begin, Math.min(limit, begin + size.blocks - 1)));
    }
  };
  const next = async (from: number, limit: number): Promise<BlockRange> => {
    if (queue[0]?.from !== from) queue = [];
    const before = size;
    for (let failures = 0; ; failures += 1) {
      fill(from, limit);
      const reading = queue[0];
      if (!reading) throw new Error('a feed is asked for at least one block');
      const blocks = reading.to - reading.from + 1;
      try {
        const range = await reading.result;
        queue.shift();
        size = grown(size, blocks, logsOf(range), blocksMax);
        return range;
      } catch (error) {
        if (failures >= FAILURES_MAX || !isRefusal(error, blocks)) {
          queue = [];
          // Even the smallest range failed: the cause is the node, and nothing was learned about sizes. But the node
          // may refuse large ranges without saying so, so fewer blocks are requested next time.
          size = { ...before, blocks: Math.max(1, Math.floor(before.blocks / 2)) };
          throw error;
        }
        size = shrunk(size, blocks);
        // Ranges read ahead are requested again: they were as large, and most likely refused as well.
        queue = [];
      }
    }
  };
  return {
    /** The range that begins at `from` and ends at `limit` or before. */
    next,
    /** Discards what was read ahead. */
    reset: (): void => {
      queue = [];
    },
  };
};
/** Reads ahead and returns ranges in order. */
export type BlockRangeFeed = ReturnType<typeof createBlockRangeFeed>;
