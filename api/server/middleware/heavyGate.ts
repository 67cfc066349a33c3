import pLimit from 'p-limit';
import { unavailable } from '../apiError.ts';

/** How much costly work one process takes on. */
export interface HeavyLimits {
  /** Requests worked on at the same time: more than the database has cores for only makes all of them slow. */
  readonly runningMax: number;
  /** Requests that may wait for their turn; those beyond are refused at once. */
  readonly waitingMax: number;
}

export const HEAVY_LIMITS: HeavyLimits = { runningMax: 4, waitingMax: 60 };
const RETRY_AFTER_S = 1;

/** Runs costly work in turn. */
export type HeavyGate = <T>(work: () => Promise<T>, isWanted: () => boolean) => Promise<T>;

/**
 * A gate for all costly requests of a process: memory and the database's queue stay bounded whatever comes.
 * Refusals are told to `onRefused`. Work that nobody waits for any more when its turn comes is not begun.
 */
export const createHeavyGate = (
  { runningMax, waitingMax }: HeavyLimits,
  onRefused: () => void,
): HeavyGate => {
  const turn = pLimit(runningMax);
  return async (work, isWanted) => {
    if (turn.activeCount + turn.pendingCount >= runningMax + waitingMax) {
      onRefused();
      throw unavailable('Too many costly requests at once', RETRY_AFTER_S);
    }
    return turn(() => {
      if (isWanted()) return work();
      throw unavailable('The answer took too long');
    });
  };
};
