import pLimit from 'p-limit';
import type { Hex } from '../../shared/chain/block.ts';
import type { ScoreMessage } from '../../shared/messages/scoreMessage.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { RetryableError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Activity } from './activityStore.ts';
import type { TokenScorer } from './tokenScorer.ts';

export interface ScoringLoopPorts {
  readonly chainId: number;
  readonly scorer: TokenScorer;
  /** Tokens left over from an earlier run, a bounded number at a time. */
  readonly due: (limit: number) => Promise<Activity[]>;
  readonly publish: (messages: readonly ScoreMessage[]) => Promise<void>;
  /** Whether facts of the past are being taken in, so that the verdicts of now are soon outdated. */
  readonly isCatchingUp: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Scores tokens that are due, as many at once as have gathered. */
export interface ScoringLoop {
  /** Marks tokens as due. */
  add(activities: readonly Activity[]): void;
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

/** Tokens waiting for a verdict, each with the position that verdict must reach. */
const createQueue = (clock: Clock) => {
  const positions = new Map<Hex, number>();
  const restingUntilMs = new Map<Hex, number>();
  return {
    add: (activities: readonly Activity[]): void => {
      for (const { token, position } of activities) {
        positions.set(token, Math.max(position, positions.get(token) ?? 0));
      }
    },
    take: (limit: number): Activity[] => {
      const taken: Activity[] = [];
      const now = clock.now();
      for (const [token, position] of positions) {
        if (taken.length >= limit) break;
        if ((restingUntilMs.get(token) ?? 0) > now) continue;
        positions.delete(token);
        restingUntilMs.delete(token);
        taken.push({ token, position });
      }
      return taken;
    },
    rest: (token: Hex): void => {
      restingUntilMs.set(token, clock.now() + ESTABLISHED_REST_MS);
    },
    /** Milliseconds until a waiting token has rested; undefined where none waits. */
    nextMs: (): number | undefined => {
      let next: number | undefined;
      for (const token of positions.keys()) {
        const atMs = restingUntilMs.get(token) ?? 0;
        if (next === undefined || atMs < next) next = atMs;
      }
      return next === undefined ? undefined : Math.max(0, next - clock.now());
    },
  };
};

export const createScoringLoop = (ports: ScoringLoopPorts): ScoringLoop => {
  const { chainId, scorer, due, publish, isCatchingUp, clock, logger } = ports;
  const queue = createQueue(clock);
  const oneAtATime = pLimit(1);
  let wake = new AbortController();
  let rest = new AbortController();

  const waitForWork = async (signal: AbortSignal): Promise<void> => {
    const ms = queue.nextMs() ?? ESTABLISHED_REST_MS;
    if (ms > 0) await clock.sleep(ms, AbortSignal.any([signal, wake.signal]));
    wake = new AbortController();
  };

  const round = async (activities: readonly Activity[]): Promise<void> => {
    const { messages, transfers } = await scorer.score(chainId, activities);
    await publish(messages);
    for (const [token, count] of transfers) {
      if (count >= ESTABLISHED_TRANSFERS_MIN) queue.rest(token);
    }
  };

  const restWhileCatchingUp = async (tookMs: number, signal: AbortSignal): Promise<void> => {
    if (!isCatchingUp()) return;
    const ms = Math.min(tookMs * CATCHING_UP_REST_FACTOR, CATCHING_UP_REST_MS_MAX);
    rest = new AbortController();
    await clock.sleep(ms, AbortSignal.any([signal, rest.signal]));
  };

  const leftOver = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        return queue.add(await due(LEFT_OVER_MAX));
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        await clock.sleep(RETRY_DELAY_MS, signal);
      }
    }
  };

  return {
    add: (activities) => {
      if (activities.length === 0) return;
      queue.add(activities);
      wake.abort();
      if (!isCatchingUp()) rest.abort();
    },
    exclusive: (work) => oneAtATime(work),
    run: async (signal) => {
      await leftOver(signal);
      while (!signal.aborted) {
        const activities = queue.take(TOKENS_PER_ROUND);
        if (activities.length === 0) {
          await waitForWork(signal);
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
