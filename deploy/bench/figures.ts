/** The value below which a share of the samples lies, nearest rank. Samples must not be empty. */
export const percentile = (samples: readonly number[], share: number): number => {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};

/** `p50 / p95 / p99 / max` of milliseconds. */
export const summary = (samples: readonly number[]): string =>
  [0.5, 0.95, 0.99, 1].map((share) => percentile(samples, share).toFixed(0).padStart(5)).join(' /');

/** A value at a time in minutes since the start. */
export interface Point {
  readonly minute: number;
  readonly value: number;
}

const MINUTES_AN_HOUR = 60;

/**
 * Slope of the least-squares line through the minimum of each window of `window` minutes, so that caches which fill
 * and are emptied within a window do not count as growth. The last window is ignored because it may be incomplete.
 * Units per hour; NaN for fewer than two windows.
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
