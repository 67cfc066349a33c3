/** A row of numbers with the class it belongs to. */
export interface FittedRow {
  readonly values: readonly number[];
  readonly isPositive: boolean;
}

export interface NearFit {
  readonly bias: number;
  readonly weights: readonly number[];
}

const STEPS = 1_500;
const RATE = 0.5;
/** One over the variance. */
const PULL = 4;

/**
 * Logistic regression whose weights are never below nothing and drawn to what is expected of them (a normal prior of
 * variance 1/4), both classes counting alike. Projected gradient. Deterministic.
 */
export const fitNear = (rows: readonly FittedRow[], expected: readonly number[]): NearFit => {
  const positives = rows.filter(({ isPositive }) => isPositive).length;
  const half = rows.length / 2;
  const weightOf = (isPositive: boolean): number =>
    half / Math.max(1, isPositive ? positives : rows.length - positives);
  const weights = [...expected];
  let bias = 0;
  const rate = RATE / (rows.length / 4 + PULL);
  for (let step = 0; step < STEPS; step += 1) {
    const slopes = weights.map((weight, i) => PULL * (weight - (expected[i] ?? 0)));
    let slope = 0;
    for (const { values, isPositive } of rows) {
      const margin = values.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), bias);
      const error = weightOf(isPositive) * (1 / (1 + Math.exp(-margin)) - Number(isPositive));
      slope += error;
      for (const [i, value] of values.entries()) {
        if (value !== 0) slopes[i] = (slopes[i] ?? 0) + error * value;
      }
    }
    bias -= rate * slope;
    for (const [i, each] of slopes.entries()) {
      weights[i] = Math.max(0, (weights[i] ?? 0) - rate * each);
    }
  }
  return { bias, weights };
};
