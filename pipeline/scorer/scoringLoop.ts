import pLimit from 'p-limit';
import type { ScoreMessage } from '../../shared/messages/scoreMessage.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { RetryableError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createWakeUp } from '../../shared/runtime/wakeUp.ts';
import type { Activity } from './activityStore.ts';
import { createScoringQueue } from './scoringQueue.ts';
import type { TokenScorer } from './tokenScorer.ts';

export interface ScoringLoopPorts {
  readonly chainId: number;
  readonly scorer: TokenScorer;
  /** Tokens left over from an earlier run, a bounded number at a time. */
  readonly due: (limit: number) => Promise<Activity[]>;
  /** Position up to which facts were stored in full by an earlier run. */
  readonly stored: () => Promise<number>;
  readonly publish: (messages: readonly ScoreMessage[]) => Promise<void>;
  /** Whether facts of the past are being taken in, so that the verdicts of now are soon outdated. */
  readonly isCatchingUp: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Scores tokens that are due, as many at once as have gathered. */
export interface ScoringLoop {
  /**
   * Marks tokens as due.
   * @param storedUpTo position up to which facts are stored in full: see `chainPosition`.
   */
  add(activities: readonly Activity[], storedUpTo: number): void;
  /** Runs work while no round of scoring is under way. */
  exclusive(work: () => Promise<void>): Promise<void>;
  /** Works until `signal` aborts. Rejects on anything that is not passing. */
  run(signal: AbortSignal): Promise<void>;
}

const TOKENS_PER_ROUND = 200;
const LEFT_OVER_MAX = 10_000;
const RETRY_DELAY_MS = 500;
/**
 * While catching up, a rest after each round, this many times as long as the round: the same tokens
 * come again and again, and each time all of their facts are read, from the database that takes in the
 * new ones. A fifth of the time keeps verdicts at most seconds old and leaves the rest to ingestion.
 */
const CATCHING_UP_REST_FACTOR = 4;
const CATCHING_UP_REST_MS_MAX = 5_000;
/** Transfers from which a token is established: scoring it reads them all. */
const ESTABLISHED_TRANSFERS_MIN = 20_000;
/** An established token is scored no more often than this, so that cost stays bounded. */
const ESTABLISHED_REST_MS = 60_000;
/** A wait without an end of its own looks again after this long. */
const IDLE_MS = 60_000;

export const createScoringLoop = (ports: ScoringLoopPorts): ScoringLoop => {
  const { chainId, scorer, due, stored, publish, isCatchingUp, clock, logger } = ports;
  const queue = createScoringQueue(clock);
  const oneAtATime = pLimit(1);
  const work = createWakeUp(clock);
  const live = createWakeUp(clock);
  let storedPosition = 0;

  const round = async (activities: readonly Activity[]): Promise<void> => {
    const { messages, transfers } = await scorer.score(chainId, activities);
    await publish(messages);
    for (const [token, count] of transfers) {
      if (count >= ESTABLISHED_TRANSFERS_MIN) queue.rest(token, clock.now() + ESTABLISHED_REST_MS);
    }
  };

  const restWhileCatchingUp = async (tookMs: number, signal: AbortSignal): Promise<void> => {
    if (!isCatchingUp()) return;
    const ms = Math.min(tookMs * CATCHING_UP_REST_FACTOR, CATCHING_UP_REST_MS_MAX);
    await live.wait(ms, signal);
  };

  const leftOver = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        storedPosition = Math.max(storedPosition, await stored());
        return queue.add(await due(LEFT_OVER_MAX));
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        await clock.sleep(RETRY_DELAY_MS, signal);
      }
    }
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
      await leftOver(signal);
      while (!signal.aborted) {
        const activities = queue.take(TOKENS_PER_ROUND, storedPosition);
        if (activities.length === 0) {
          await work.wait(queue.nextMs() ?? IDLE_MS, signal);
          continue;
        }
        try {
          const startedMs = clock.now();
          await oneAtATime(() => round(activities));
          await restWhileCatchingUp(clock.now() - startedMs, signal);
        } catch (error) {
          queue.add(activities);
          if (!(error instanceof RetryableError)) throw error;
          logger.warn({ err: error, tokens: activities.length }, 'tokens will be scored again');
          await clock.sleep(RETRY_DELAY_MS, signal);
        }
      }
    },
  };
};
