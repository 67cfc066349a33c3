import { z } from 'zod';

/** One token with a known outcome, with the scores of two models when its pool was an hour old. */
export const comparedTokenSchema = z.object({
  /** Its creator; its own address if unknown. */
  creator: z.string(),
  isRug: z.boolean(),
  /** Probability of a rug by the model in force, and by the other. */
  inForce: z.number(),
  other: z.number(),
});
export type ComparedToken = z.infer<typeof comparedTokenSchema>;

/** Comparison of a shadow model with the one in force. */
export interface Comparison {
  readonly tokens: number;
  /** Mean log-loss of the model in force minus that of the other, nats: above 0 the other is better. */
  readonly gain: number;
  /** The least gain that is not explained by chance, at `CONFIDENCE_Z`. */
  readonly gainMin: number;
  /** Whether the other is better according to the test. */
  readonly isBetter: boolean;
  /** What is missing if it is not. */
  readonly lacks: string | undefined;
}

/** Tokens with a known outcome that a comparison needs, and tokens of each outcome. */
export const COMPARED_TOKENS_MIN = 200;
const COMPARED_EACH_MIN = 30;
/**
 * One-sided normal quantile of 99.5 %. The comparison is repeated every week: at 95 % an equal model would pass one
 * of ten comparisons with a probability of one in six, at this level with one in twenty-five
 * (`compareModels.test.ts`).
 */
const CONFIDENCE_Z = 2.576;
/** Probabilities nearer to 0 or 1 are clipped for every model: one token must not decide. */
const PROBABILITY_MIN = 1e-3;

const logLoss = (isRug: boolean, probability: number): number => {
  const p = Math.min(1 - PROBABILITY_MIN, Math.max(PROBABILITY_MIN, probability));
  return -Math.log(isRug ? p : 1 - p);
};

const lacking = (tokens: number, rugs: number, gainMin: number): string | undefined => {
  const rarer = Math.min(rugs, tokens - rugs);
  if (tokens < COMPARED_TOKENS_MIN) {
    return `${tokens} of ${COMPARED_TOKENS_MIN} tokens that it scored have a known outcome`;
  }
  if (rarer < COMPARED_EACH_MIN) {
    return `${rugs} rugs and ${tokens - rugs} that survived: ${COMPARED_EACH_MIN} of each are needed`;
  }
  if (!(gainMin > 0))
    return `its log-loss may be no lower: at least ${gainMin.toFixed(4)} by chance`;
  return undefined;
};

/**
 * The paired test by which a model may replace the one in force: its mean log-loss on the same tokens is lower, even
 * at the lower end of the confidence interval. Tokens of one creator are dependent, so the standard error is that of
 * sums by creator.
 */
export const compareModels = (compared: readonly ComparedToken[]): Comparison => {
  const tokens = compared.length;
  const rugs = compared.filter(({ isRug }) => isRug).length;
  const gains = compared.map(
    ({ isRug, inForce, other }) => logLoss(isRug, inForce) - logLoss(isRug, other),
  );
  const gain = tokens > 0 ? gains.reduce((sum, one) => sum + one, 0) / tokens : 0;
  const byCreator = new Map<string, number>();
  compared.forEach(({ creator }, i) => {
    byCreator.set(creator, (byCreator.get(creator) ?? 0) + (gains[i] ?? 0) - gain);
  });
  const squares = [...byCreator.values()].reduce((sum, one) => sum + one * one, 0);
  const gainMin = tokens > 0 ? gain - (CONFIDENCE_Z * Math.sqrt(squares)) / tokens : 0;
  const lacks = lacking(tokens, rugs, gainMin);
  return { tokens, gain, gainMin, isBetter: lacks === undefined, lacks };
};
