/** A row with ones at the given indices and zeros elsewhere, and its class. */
export interface SparseRow {
  readonly places: readonly number[];
  readonly isPositive: boolean;
  readonly weight: number;
}

/** Weights of a linear model of log-odds. */
export interface LinearModel {
  readonly bias: number;
  readonly weights: Float64Array;
}

/** Prior of the weights: normal. */
export interface Prior {
  /** Of each weight. */
  readonly expected: Float64Array;
  /** Inverse variance. */
  readonly penalty: number;
  /** Lower bound of every weight. */
  readonly least?: number;
}

const STEPS_MAX = 400;
const POWER_STEPS = 20;
/** Relative decrease of the loss below which fitting stops. */
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
 * Logistic regression with a normal prior on all weights but the bias: Nesterov's accelerated gradient, projected
 * onto the allowed weights and restarted when the loss increases. Deterministic.
 */
export const fitLogistic = (
  rows: readonly SparseRow[],
  { expected, penalty, least = Number.NEGATIVE_INFINITY }: Prior,
): LinearModel => {
  const size = expected.length;
  const rate = 1 / (curvatureOf(rows, size) * 1.05 + penalty);
  const pull = (each: number, i: number): number => each - (expected[i] ?? 0);
  let model = { bias: 0, weights: expected };
  let ahead = model;
  let momentum = 1;
  let before = Number.POSITIVE_INFINITY;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const slope = new Float64Array(size);
    let biasSlope = 0;
    let loss = 0;
    for (const { places, isPositive, weight } of rows) {
      const label = Number(isPositive);
      const margin = marginOf(ahead, places);
      const error = weight * (1 / (1 + Math.exp(-margin)) - label);
      loss +=
        weight * (Math.log1p(Math.exp(-Math.abs(margin))) + Math.max(margin, 0) - margin * label);
      biasSlope += error;
      for (const place of places) slope[place] = (slope[place] ?? 0) + error;
    }
    const { bias, weights } = ahead;
    loss += 0.5 * weights.reduce((sum, each, i) => sum + penalty * pull(each, i) ** 2, 0);
    const next = {
      bias: bias - rate * biasSlope,
      weights: weights.map((each, i) =>
        Math.max(least, each - rate * ((slope[i] ?? 0) + penalty * pull(each, i))),
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
