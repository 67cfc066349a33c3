const MINUTES_AN_HOUR = 60;

/** The straight line through values of successive minutes, by least squares: units an hour. NaN for fewer than two. */
export const slopeAnHour = (values: readonly number[]): number => {
  const points = values.map((y, i) => ({ x: i / MINUTES_AN_HOUR, y }));
  const mean = (of: (point: { x: number; y: number }) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((one) => one.x), mean((one) => one.y)];
  return mean((one) => (one.x - x) * (one.y - y)) / mean((one) => (one.x - x) ** 2);
};
