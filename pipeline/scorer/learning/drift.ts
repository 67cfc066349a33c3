import { z } from 'zod';
import type { FeatureSpread } from '../model/model.ts';

/** Smaller shares count as this much in a stability index: an empty bin must not make it infinite. */
const SHARE_MIN = 1e-3;

/** The bin of a value in a distribution; the last one holds missing values. */
const partOf = ({ edges }: FeatureSpread, value: number): number => {
  if (Number.isNaN(value)) return edges.length + 1;
  // The training data was in single precision.
  const rounded = Math.fround(value);
  const above = edges.findIndex((edge) => rounded < edge);
  return above === -1 ? edges.length : above;
};

/**
 * Population stability index of values against the distribution of the training data: Σ (now − then) · ln(now ÷ then)
 * over its bins. 0 is the same distribution; by the usual rule of credit scoring 0.1 is a shift to investigate and
 * 0.25 a different population (N. Siddiqi, Credit Risk Scorecards, 2006).
 */
export const stabilityIndex = (spread: FeatureSpread, values: readonly number[]): number => {
  const then = [...spread.shares, spread.missing];
  const counts = then.map(() => 0);
  for (const value of values) {
    const part = partOf(spread, value);
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return then.reduce((sum, share, part) => {
    const [a, e] = [
      Math.max(SHARE_MIN, (counts[part] ?? 0) / values.length),
      Math.max(SHARE_MIN, share),
    ];
    return sum + (a - e) * Math.log(a / e);
  }, 0);
};

/** Tokens with known outcomes and similar probabilities. */
export const calibrationBinSchema = z.object({
  tokens: z.number(),
  rugs: z.number(),
  /** Sums of p, and of p · (1 − p), over the tokens. */
  predicted: z.number(),
  variance: z.number(),
});
export type CalibrationBin = z.infer<typeof calibrationBinSchema>;

/** Deviation of predicted probabilities from observed outcomes. */
export interface Calibration {
  readonly tokens: number;
  /** Mean gap between predicted and observed share over the bins, weighted by their tokens. */
  readonly error: number;
  /**
   * Σ (observed − predicted)² ÷ variance over the bins: χ² with as many degrees of freedom if the probabilities are
   * right.
   */
  readonly chiSquare: number;
}

export const calibrationOf = (bins: readonly CalibrationBin[]): Calibration | undefined => {
  const tokens = bins.reduce((sum, bin) => sum + bin.tokens, 0);
  if (tokens === 0) return undefined;
  const gaps = bins.reduce((sum, bin) => sum + Math.abs(bin.rugs - bin.predicted), 0);
  const chiSquare = bins
    .filter(({ variance }) => variance > 0)
    .reduce((sum, bin) => sum + (bin.rugs - bin.predicted) ** 2 / bin.variance, 0);
  return { tokens, error: gaps / tokens, chiSquare };
};

/** Weight of the default prior, in tokens of the chain. */
export const PRIOR_SCAM_RATE_DEFAULT = 0.5;
const PRIOR_TOKENS = 200;
/**
 * Maximum move of the prior in log-odds: half of the distance between the recorded months with the fewest and the
 * most rugs among pools an hour old (58 % in September 2021, 77 % in October 2020; `make train` writes the rows). One
 * chain varies by this much from month to month, so its recent past predicts no more than that; anything beyond is
 * for the operator to set.
 */
const PRIOR_MOVE_MAX = 0.45;
/** Rounded, so that verdicts do not change with every token. */
const PRIOR_STEP = 0.01;

/**
 * Expected share of scams among a chain's tokens with a pool: the share of rugs among those with a known outcome,
 * shrunk towards one half while they are few, and at most `PRIOR_MOVE_MAX` away from it: 0.39 to 0.61.
 */
export const priorOf = (seen: { readonly tokens: number; readonly rugs: number }): number => {
  const drawn = (seen.rugs + PRIOR_TOKENS * PRIOR_SCAM_RATE_DEFAULT) / (seen.tokens + PRIOR_TOKENS);
  const stepped = Math.round(drawn / PRIOR_STEP) * PRIOR_STEP;
  const most = 1 / (1 + Math.exp(-PRIOR_MOVE_MAX));
  return Math.min(most, Math.max(1 - most, stepped));
};
