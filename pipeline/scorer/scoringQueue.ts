import type { Hex } from '../../shared/chain/block.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Activity } from './activityStore.ts';

/** Tokens waiting for a verdict, each with the chain position that verdict must reach. */
export interface ScoringQueue {
  add(activities: readonly Activity[]): void;
  /**
   * Takes tokens that have rested and whose facts are stored in full.
   * @param storedPosition position up to which they are: see `chainPosition`.
   */
  take(limit: number, storedPosition: number): Activity[];
  /** Keeps a token from being taken until `untilMs`. */
  rest(token: Hex, untilMs: number): void;
  /** Milliseconds until a waiting token has rested; undefined where none waits. */
  nextMs(): number | undefined;
}

export const createScoringQueue = (clock: Clock): ScoringQueue => {
  const positions = new Map<Hex, number>();
  const restingUntilMs = new Map<Hex, number>();
  return {
    add: (activities) => {
      for (const { token, position } of activities) {
        positions.set(token, Math.max(position, positions.get(token) ?? 0));
      }
    },
    take: (limit, storedPosition) => {
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
    rest: (token, untilMs) => {
      restingUntilMs.set(token, untilMs);
    },
    nextMs: () => {
      const waiting = [...restingUntilMs].filter(([token]) => positions.has(token));
      if (waiting.length === 0) return undefined;
      return Math.max(0, Math.min(...waiting.map(([, untilMs]) => untilMs)) - clock.now());
    },
  };
};
