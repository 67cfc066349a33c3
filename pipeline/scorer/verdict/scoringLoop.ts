import pLimit from 'p-limit';
import type { Hex } from '../../../shared/chain/block.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { createWakeUp } from '../../../shared/platform/wakeUp.ts';
import type { Activity } from '../ingest/activityStore.ts';
import type { StoredBlock } from './readSubjects.ts';
import type { TokenScorer } from './tokenScorer.ts';

/** Tokens waiting for a verdict, each with the chain position that verdict must reach. */
const createScoringQueue = (clock: Clock) => {
  const positions = new Map<Hex, number>();
  const restingUntilMs = new Map<Hex, number>();
  return {
    add: (activities: readonly Activity[]): void => {
      for (const { token, position } of activities) {
        positions.set(token, Math.max(position, positions.get(token) ?? 0));
      }
    },
    /**
     * Takes tokens that have rested and whose facts are stored in full.
     * @param storedPosition position up to which they are: see `chainPosition`.
     */
    take: (limit: number, storedPosition: number): Activity[] => {
      const taken: Activity[] = [];
      const now = clock.now();
      for (const [token, position] of positions) {
        if (taken.length >= limit) break;
        if (position > storedPosition || (restingUntilMs.get(token) ?? 0) > now) continue;
        positions.delete(token);
        restingUntilMs.delete(token);
        taken.push({ token, position });
      }
      return taken;
    },
    /** Keeps a token from being taken until `untilMs`. */
    rest: (token: Hex, untilMs: number): void => {
      restingUntilMs.set(token, untilMs);
    },
    size: (): number => positions.size,
    /** Milliseconds until a waiting token has rested; undefined if none waits. */
    nextMs: (): number | undefined => {
      const waiting = [...restingUntilMs].filter(([token]) => positions.has(token));
      if (waiting.length === 0) return undefined;
      return Math.max(0, Math.min(...waiting.map(([, untilMs]) => untilMs)) - clock.now());
    },
  };
};

export interface ScoringLoopPorts {
  readonly scorer: TokenScorer;
  /** Tokens whose verdict is due and that may remain from an earlier run, oldest first. */
  readonly due: (limit: number) => Promise<Activity[]>;
  /** Scores some of the passed horizons: see `createHorizonScorer`. */
  readonly scoreHorizons: () => Promise<boolean>;
  /** The last block whose facts are stored in full, with its position; undefined before the first. */
  readonly stored: () => Promise<(StoredBlock & { readonly position: number }) | undefined>;
  /** Whether past facts are being ingested, so that current verdicts are soon outdated. */
  readonly isCatchingUp: () => boolean;
  /** Called before each round with the number of tokens waiting for a verdict. */
  readonly onWaiting?: (tokens: number) => void;
  /** The wrapped native coin and the stablecoins: every block trades them, and they hardly change. */
  readonly bases: readonly Hex[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Scores due tokens, as many at once as have accumulated. Rounds of tokens touched by events alternate with rounds of
 * tokens whose pools passed a horizon, so that neither waits for all of the other.
 */
export interface ScoringLoop {
  /**
   * Marks tokens as due.
   * @param storedUpTo position up to which facts are stored in full: see `chainPosition`.
   */
  add(activities: readonly Activity[], storedUpTo: number): void;
  /** Runs work while no scoring round is running. */
  exclusive(work: () => Promise<void>): Promise<void>;
  /** Works until `signal` aborts. Rejects on any permanent error. */
  run(signal: AbortSignal): Promise<void>;
}

const TOKENS_PER_ROUND = 200;
const BACKLOG_MAX = 10_000;
const RETRY_DELAY_MS = 500;
/**
 * While catching up, the pause after each round as a multiple of its duration. The same tokens are touched again and
 * again, and each time all of their facts are read from the database that ingests the new ones. A fifth of the time
 * keeps verdicts at most seconds old and leaves the rest to ingestion.
 */
const CATCHING_UP_REST_FACTOR = 4;
const CATCHING_UP_REST_MS_MAX = 5_000;
/** Transfers from which a token is established: scoring it reads them all. */
const ESTABLISHED_TRANSFERS_MIN = 20_000;
/** Minimum interval between verdicts of an established token or a base token, which bounds the cost. */
const ESTABLISHED_REST_MS = 60_000;
/** Milliseconds after which an open-ended wait checks again. */
const IDLE_MS = 60_000;

const catchingUpRestMs = (tookMs: number): number =>
  Math.min(tookMs * CATCHING_UP_REST_FACTOR, CATCHING_UP_REST_MS_MAX);
const NOTHING_STORED: StoredBlock = { number: 0, timestampS: 0 };

export const createScoringLoop = (ports: ScoringLoopPorts): ScoringLoop => {
  const { scorer, stored, isCatchingUp, bases, clock, logger } = ports;
  const queue = createScoringQueue(clock);
  const backlog = createBacklog(queue, ports);
  const oneAtATime = pLimit(1);
  const [work, live] = [createWakeUp(clock), createWakeUp(clock)];
  let storedPosition = 0;
  /** The position at which no horizon was left to score. */
  let horizonsPosition = -1;

  const scoreTouched = async (activities: readonly Activity[]): Promise<void> => {
    const block = (await stored()) ?? NOTHING_STORED;
    const { transfers, postponed } = await scorer.score(activities, block);
    queue.add(activities.filter(({ token }) => postponed.has(token)));
    for (const [token, count] of transfers) {
      const isCostly = count >= ESTABLISHED_TRANSFERS_MIN || bases.includes(token);
      if (isCostly) queue.rest(token, clock.now() + ESTABLISHED_REST_MS);
    }
  };

  /** @returns whether there was anything to score */
  const eventRound = async (): Promise<boolean> => {
    const activities = await backlog.take(storedPosition);
    if (activities.length === 0) return false;
    try {
      await oneAtATime(() => scoreTouched(activities));
      return true;
    } catch (error) {
      queue.add(activities);
      throw error;
    }
  };

  /** @returns whether there may be more horizons to score */
  const horizonRound = async (): Promise<boolean> => {
    const position = storedPosition;
    if (horizonsPosition === position) return false;
    const isMore = await oneAtATime(ports.scoreHorizons);
    if (!isMore) horizonsPosition = position;
    return isMore;
  };

  const begin = async (): Promise<void> => {
    storedPosition = Math.max(storedPosition, (await stored())?.position ?? 0);
    await backlog.load();
  };

  const turn = async (signal: AbortSignal): Promise<void> => {
    await oneAtATime(() => scorer.flush());
    const startedMs = clock.now();
    const wasActive = [await eventRound(), await horizonRound()].includes(true);
    if (!wasActive) await work.wait(queue.nextMs() ?? IDLE_MS, signal);
    else if (isCatchingUp()) await live.wait(catchingUpRestMs(clock.now() - startedMs), signal);
  };

  return {
    add: (activities, storedUpTo) => {
      storedPosition = storedUpTo;
      queue.add(activities);
      work.notify();
      if (!isCatchingUp()) live.notify();
    },
    exclusive: (task) => oneAtATime(task),
    run: async (signal) => {
      const retried = retrying(clock, logger, signal);
      await retried(begin);
      while (!signal.aborted) await retried(() => turn(signal));
    },
  };
};

/**
 * Tokens left from an earlier run enter the queue in parts: the first at once, the others when nothing else waits.
 */
const createBacklog = (
  queue: ReturnType<typeof createScoringQueue>,
  { due, onWaiting }: Pick<ScoringLoopPorts, 'due' | 'onWaiting'>,
) => {
  let areMore = true;
  const load = async (): Promise<void> => {
    if (!areMore) return;
    const left = await due(BACKLOG_MAX);
    areMore = left.length === BACKLOG_MAX;
    queue.add(left);
  };
  const take = async (storedPosition: number): Promise<Activity[]> => {
    onWaiting?.(queue.size());
    const taken = queue.take(TOKENS_PER_ROUND, storedPosition);
    if (taken.length > 0) return taken;
    await load();
    return queue.take(TOKENS_PER_ROUND, storedPosition);
  };
  return { load, take };
};

/** Repeats work until it is not interrupted by a temporary error. */
const retrying =
  (clock: Clock, logger: Logger, signal: AbortSignal) =>
  async (work: () => Promise<void>): Promise<void> => {
    while (!signal.aborted) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        logger.warn({ err: error }, 'tokens will be scored again');
        await clock.sleep(RETRY_DELAY_MS, signal);
      }
    }
  };
