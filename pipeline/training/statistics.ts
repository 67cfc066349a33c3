import { createRandom } from './syntheticPools.ts';

/** A row with its class, and a score that grows with the probability of the positive class. */
export interface Scored {
  readonly isPositive: boolean;
  readonly score: number;
}

/**
 * Share of pairs of a positive and a negative row that are ranked correctly; ties count half; NaN without both.
 */
export const rocAuc = (rows: readonly Scored[]): number => {
  const [positive = [], other = []] = [true, false].map((is) =>
    rows.filter(({ isPositive }) => isPositive === is),
  );
  let right = 0;
  for (const one of positive) {
    for (const two of other) right += (Math.sign(one.score - two.score) + 1) / 2;
  }
  return right / (positive.length * other.length);
};

const BINS = 10;

/**
 * Mean distance between predicted and observed share over ten bins of equal width. @param rows whose scores are
 * log-odds
 */
export const calibrationError = (
  rows: readonly Scored[],
  weightOf: (row: Scored) => number = () => 1,
): number => {
  const gaps = Array.from({ length: BINS }, () => 0);
  let whole = 0;
  for (const row of rows) {
    const probability = 1 / (1 + Math.exp(-row.score));
    const bin = Math.min(BINS - 1, Math.floor(probability * BINS));
    const weight = weightOf(row);
    gaps[bin] = (gaps[bin] ?? 0) + weight * (probability - Number(row.isPositive));
    whole += weight;
  }
  return gaps.reduce((sum, gap) => sum + Math.abs(gap), 0) / whole;
};

/** The value below which a share (0 to 1) of the values lies; 0 for no values. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[
    Math.min(values.length - 1, Math.floor(share * values.length))
  ] ?? 0;

/**
 * Bootstrap intervals: the lower and upper end of each figure in 95 % of samples of groups with replacement, the same
 * in every run.
 * @param seed of the random samples
 */
export const intervals = <T>(
  groups: readonly T[],
  figuresOf: (drawn: readonly T[]) => readonly number[],
  { resamples, seed }: { readonly resamples: number; readonly seed: number },
): (readonly [number, number])[] => {
  const random = createRandom(seed);
  const drawn = Array.from({ length: resamples }, () =>
    figuresOf(groups.flatMap(() => groups[Math.floor(random() * groups.length)] ?? [])),
  );
  return (drawn[0] ?? []).map((_figure, i) => {
    const values = drawn.map((figures) => figures[i] ?? 0);
    return [percentile(values, 0.025), percentile(values, 0.975)];
  });
};
