/** A row of ones at the given places, all else 0. */
export interface SparseRow {
  readonly places: readonly number[];
  readonly label: 0 | 1;
  readonly weight: number;
}

/** Weights of a linear model of log-odds. */
export interface LinearModel {
  readonly bias: number;
  readonly weights: Float64Array;
}

const STEPS_MAX = 400;
const POWER_STEPS = 20;
/** Relative fall of the loss from which on nothing more is gained. */
const FALL_MIN = 1e-7;

export const marginOf = ({ bias, weights }: LinearModel, places: readonly number[]): number =>
  places.reduce((sum, place) => sum + (weights[place] ?? 0), bias);

/** The largest curvature of the loss: a quarter of the largest eigenvalue of XᵀWX, by power iteration. */
const curvatureOf = (rows: readonly SparseRow[], size: number): number => {
  let direction: LinearModel = { bias: 1, weights: new Float64Array(size).fill(1) };
  let norm = 1;
  for (let step = 0; step < POWER_STEPS; step += 1) {
    const next = { bias: 0, weights: new Float64Array(size) };
    for (const { places, weight } of rows) {
      const value = (weight * marginOf(direction, places)) / norm;
      next.bias += value;
      for (const place of places) next.weights[place] = (next.weights[place] ?? 0) + value;
    }
    norm = Math.sqrt(next.weights.reduce((sum, each) => sum + each * each, next.bias ** 2));
    direction = next;
  }
  return norm / 4;
};

/**
 * Logistic regression with a quadratic penalty on all weights but the bias: Nesterov's accelerated gradient, started
 * anew where the loss rises. Deterministic.
 * @param penalties of each weight: the inverse variance of what it is expected to be
 */
export const fitLogistic = (rows: readonly SparseRow[], penalties: Float64Array): LinearModel => {
  const size = penalties.length;
  const rate = 1 / (curvatureOf(rows, size) * 1.05 + Math.max(...penalties));
  let model = { bias: 0, weights: new Float64Array(size) };
  let ahead = model;
  let momentum = 1;
  let before = Number.POSITIVE_INFINITY;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const slope = new Float64Array(size);
    let biasSlope = 0;
    let loss = 0;
    for (const { places, label, weight } of rows) {
      const margin = marginOf(ahead, places);
      const error = weight * (1 / (1 + Math.exp(-margin)) - label);
      loss +=
        weight * (Math.log1p(Math.exp(-Math.abs(margin))) + Math.max(margin, 0) - margin * label);
      biasSlope += error;
      for (const place of places) slope[place] = (slope[place] ?? 0) + error;
    }
    const { bias, weights } = ahead;
    loss += 0.5 * weights.reduce((sum, each, i) => sum + (penalties[i] ?? 0) * each * each, 0);
    const next = {
      bias: bias - rate * biasSlope,
      weights: weights.map(
        (each, i) => each - rate * ((slope[i] ?? 0) + (penalties[i] ?? 0) * each),
      ),
    };
    if (loss > before) momentum = 1;
    const nextMomentum = (1 + Math.sqrt(1 + 4 * momentum ** 2)) / 2;
    const push = (momentum - 1) / nextMomentum;
    const old = model;
    ahead = {
      bias: next.bias + push * (next.bias - old.bias),
      weights: next.weights.map((each, i) => each + push * (each - (old.weights[i] ?? 0))),
    };
    model = next;
    momentum = nextMomentum;
    if (Math.abs(before - loss) < FALL_MIN * loss) break;
    before = loss;
  }
  return model;
};

/** A row of numbers with the class it belongs to. */
export interface FittedRow {
  readonly values: readonly number[];
  readonly isPositive: boolean;
}

export interface NearFit {
  readonly bias: number;
  readonly weights: readonly number[];
}

const NEAR_STEPS = 1_500;
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
  for (let step = 0; step < NEAR_STEPS; step += 1) {
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
