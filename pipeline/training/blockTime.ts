/** Known mainnet heights and their timestamps (seconds); the recorded events carry heights only. */
const KNOWN_HEIGHTS: readonly (readonly [height: number, timestampS: number])[] = [
  [10_000_835, 1_588_610_042],
  [12_965_000, 1_628_166_822],
  [13_472_302, 1_634_940_000],
];

/** The timestamp of a mainnet block in whole seconds, interpolated linearly between known heights. */
export const blockTimeS = (height: number): number => {
  const above = KNOWN_HEIGHTS.findIndex(([known]) => height <= known);
  const upper = KNOWN_HEIGHTS[above === -1 ? KNOWN_HEIGHTS.length - 1 : Math.max(1, above)];
  const lower = KNOWN_HEIGHTS[above === -1 ? KNOWN_HEIGHTS.length - 2 : Math.max(1, above) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('no known heights');
  return Math.round(
    lower[1] + ((height - lower[0]) * (upper[1] - lower[1])) / (upper[0] - lower[0]),
  );
};
