import type { Check } from '../../../shared/messages/verdictDoc.ts';

/** The answer: what the token is taken for, and how sure that is. */
export interface Decision {
  readonly prediction: 'SCAM' | 'LEGIT';
  /** Probability of a scam, model and checks together. */
  readonly probability: number;
  /** Confidence in the prediction, 0.5 to 1. */
  readonly confidence: number;
}

/** A critical check that fails is close to proof, and never less than this. */
const CRITICAL_PROBABILITY_MIN = 0.97;
/** Without a failed check there is nothing to show anyone: never SCAM. */
const UNPROVEN_PROBABILITY_MAX = 0.49;

/**
 * Joins the model's probability with the checks. A failed critical check makes a SCAM whatever the
 * model says; the model makes one only together with a failed check that carries evidence.
 */
export const decide = (modelProbability: number, checks: readonly Check[]): Decision => {
  const failed = checks.filter(({ status, evidence }) => status === 'fail' && evidence?.length);
  const critical = failed.some(({ severity }) => severity === 'critical');
  const probability = critical
    ? Math.max(modelProbability, CRITICAL_PROBABILITY_MIN)
    : failed.length > 0
      ? modelProbability
      : Math.min(modelProbability, UNPROVEN_PROBABILITY_MAX);
  const prediction = probability >= 0.5 ? 'SCAM' : 'LEGIT';
  return { prediction, probability, confidence: Math.max(probability, 1 - probability) };
};
