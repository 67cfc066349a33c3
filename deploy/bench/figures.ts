/** The value below which a share of the samples lies, nearest rank. Samples must not be empty. */
export const percentile = (samples: readonly number[], share: number): number => {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};

/** `p50 / p95 / p99 / max` of milliseconds. */
export const summary = (samples: readonly number[]): string =>
  [0.5, 0.95, 0.99, 1].map((share) => percentile(samples, share).toFixed(0).padStart(5)).join(' /');

/** A value at a time, minutes since the beginning. */
export interface Point {
  readonly minute: number;
  readonly value: number;
}

const MINUTES_AN_HOUR = 60;

/**
 * The straight line by least squares through the least value of each `window` minutes: what fills and is emptied again
 * within them does not rise. The last window does not count, as it may not be whole. Units an hour; NaN for fewer than two windows.
 */
export const slopeAnHour = (points: readonly Point[], window: number): number => {
  const least = new Map<number, number>();
  const end = Math.floor(Math.max(...points.map(({ minute }) => minute)) / window);
  for (const { minute, value } of points) {
    const at = Math.floor(minute / window);
    if (at === end) continue;
    least.set(at, Math.min(value, least.get(at) ?? value));
  }
  const line = [...least].map(([at, y]) => ({ x: (at * window) / MINUTES_AN_HOUR, y }));
  const mean = (of: (point: { x: number; y: number }) => number): number =>
    line.reduce((sum, point) => sum + of(point), 0) / line.length;
  const [x, y] = [mean((one) => one.x), mean((one) => one.y)];
  return mean((one) => (one.x - x) * (one.y - y)) / mean((one) => (one.x - x) ** 2);
};
