/** A value at a time, minutes since the beginning. */
export interface Point {
  readonly minute: number;
  readonly value: number;
}

const MINUTES_AN_HOUR = 60;

/**
 * The straight line by least squares through the least value of each `window` minutes: what fills and is emptied again
 * within them does not rise. Units an hour; NaN for fewer than two windows.
 */
export const slopeAnHour = (points: readonly Point[], window: number): number => {
  const least = new Map<number, number>();
  for (const { minute, value } of points) {
    const at = Math.floor(minute / window);
    least.set(at, Math.min(value, least.get(at) ?? value));
  }
  const line = [...least].map(([at, y]) => ({ x: (at * window) / MINUTES_AN_HOUR, y }));
  const mean = (of: (point: { x: number; y: number }) => number): number =>
    line.reduce((sum, point) => sum + of(point), 0) / line.length;
  const [x, y] = [mean((one) => one.x), mean((one) => one.y)];
  return mean((one) => (one.x - x) * (one.y - y)) / mean((one) => (one.x - x) ** 2);
};
