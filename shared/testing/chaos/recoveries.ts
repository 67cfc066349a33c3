import assert from 'node:assert/strict';
import { percentile } from '../../../deploy/bench/percentiles.ts';

/** How long it took until everything was at work again, by what was done to it. */
export interface Recoveries {
  note(what: string, ms: number): void;
  /** A row of a table each: what, how often, median and longest in seconds. */
  rows(): string[];
  /** @throws AssertionError naming what took thirty seconds or longer. */
  assertInTime(): void;
}

/** Everything has to be at work again within this time. */
const BACK_MS_MAX = 30_000;

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

export const createRecoveries = (): Recoveries => {
  const tookMs = new Map<string, number[]>();
  return {
    note: (what, ms) => {
      tookMs.set(what, [...(tookMs.get(what) ?? []), ms]);
    },
    rows: () =>
      [...tookMs].map(([what, ms]) => {
        const [median, longest] = [percentile(ms, 0.5), Math.max(...ms)];
        return `| ${what} | ${ms.length} | ${seconds(median)} | ${seconds(longest)} |`;
      }),
    assertInTime: () => {
      const late = [...tookMs].filter(([, ms]) => Math.max(...ms) >= BACK_MS_MAX);
      assert.deepEqual(late, [], `took ${BACK_MS_MAX} ms or longer`);
    },
  };
};
