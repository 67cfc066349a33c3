import { RetryableError } from '../../shared/platform/errors.ts';
import type { Stretch } from './blockRange.ts';
import { grown, initialRangeSize, type RangeSize, shrunk } from './rangeSize.ts';

/** Stretches read at the same time. */
const STRETCHES_AHEAD_MAX = 3;
/** Failures of one stretch in a row before its error is passed on. */
const FAILURES_MAX = 24;

interface Reading {
  readonly from: number;
  readonly to: number;
  readonly result: Promise<Stretch>;
}

/** Reads ahead and hands out stretches in order. */
export interface StretchFeed {
  /** The stretch that begins at `from`, ending at `limit` or before. */
  next(from: number, limit: number): Promise<Stretch>;
  /** Forgets what was read ahead. */
  reset(): void;
}

export interface StretchFeedOptions {
  readonly read: (from: number, to: number) => Promise<Stretch>;
  /** Blocks of one stretch, at the most. */
  readonly blocksMax?: number;
}

const SIZE_SUSPECTS: ReadonlySet<string> = new Set(['answerTooLarge', 'node', 'answer']);

/** What an error of a read says about the size of its range; undefined: it is not about size. */
const refusal = (error: unknown, blocksAsked: number): { allowed?: number } | undefined => {
  if (blocksAsked <= 1 || !(error instanceof RetryableError)) return undefined;
  const { failure, blocksMax } = error as { failure?: string; blocksMax?: number };
  if (failure === 'rangeTooLarge') return blocksMax ? { allowed: blocksMax } : {};
  // An error nobody has seen before may well be about size, and a node that gives up on a range
  // may manage half of it. A node that is away or behind says nothing about size.
  return SIZE_SUSPECTS.has(failure ?? '') ? {} : undefined;
};

const logsOf = (stretch: Stretch): number =>
  Object.values(stretch.ignored).reduce((sum, count) => sum + count, stretch.facts);

/** Reads several ranges at once, sized by density; a refused range is read again in smaller ones. */
export const createStretchFeed = ({ read, blocksMax }: StretchFeedOptions): StretchFeed => {
  let size: RangeSize = initialRangeSize(blocksMax);
  let queue: Reading[] = [];

  const start = (from: number, to: number): Reading => {
    const result = read(from, to);
    // Errors are looked at when the reading is first in line.
    result.catch(() => undefined);
    return { from, to, result };
  };
  const fill = (from: number, limit: number): void => {
    while (queue.length < STRETCHES_AHEAD_MAX) {
      const begin = (queue.at(-1)?.to ?? from - 1) + 1;
      if (begin > limit) return;
      queue.push(start(begin, Math.min(limit, begin + size.blocks - 1)));
    }
  };
  const next = async (from: number, limit: number): Promise<Stretch> => {
    if (queue[0]?.from !== from) queue = [];
    for (let failures = 0; ; failures += 1) {
      fill(from, limit);
      const reading = queue[0];
      if (!reading) throw new Error('a feed is asked for at least one block');
      const blocks = reading.to - reading.from + 1;
      try {
        const stretch = await reading.result;
        queue.shift();
        size = grown(size, blocks, logsOf(stretch), blocksMax);
        return stretch;
      } catch (error) {
        const refused = failures < FAILURES_MAX ? refusal(error, blocks) : undefined;
        if (!refused) {
          queue = [];
          // A range may be too much for a node that does not say so: less is asked for next time.
          size = { ...size, blocks: Math.max(1, Math.floor(size.blocks / 2)) };
          throw error;
        }
        size = shrunk(size, blocks, refused.allowed);
        // What was read ahead is asked for again: it was as large, and most likely refused as well.
        queue = [];
      }
    }
  };
  return {
    next,
    reset: () => {
      queue = [];
    },
  };
};
