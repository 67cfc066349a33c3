import type { Check, VerdictDoc } from '../messages/verdictDoc.ts';
import { type Sentence, sentence } from '../sentences/sentence.ts';
import { CHECK_QUESTIONS } from './artifacts/checkQuestions.ts';

/** The three answers besides SCAM and LEGIT: how sure a verdict is, and what to do. */
export const CERTAINTIES = ['clear', 'unclear'] as const;
export type Certainty = (typeof CERTAINTIES)[number];
export const ADVICE = ['avoid', 'wait', 'no_finding'] as const;
export type Advice = (typeof ADVICE)[number];

/** Confidence from which a prediction is called clear. */
export const CLEAR_CONFIDENCE_MIN = 0.7;

/**
 * What the prediction means for a user. Avoid a scam, whatever its confidence. Wait with a token that is not clearly
 * honest. For others nothing was found, which is no guarantee.
 * @param confidence in the prediction, 0.5 to 1
 */
export const adviceOf = ({
  prediction,
  confidence,
}: {
  readonly prediction: 'SCAM' | 'LEGIT';
  readonly confidence: number;
}): { readonly certainty: Certainty; readonly advice: Advice } => {
  const certainty = confidence >= CLEAR_CONFIDENCE_MIN ? 'clear' : 'unclear';
  if (prediction === 'SCAM') return { certainty, advice: 'avoid' };
  return { certainty, advice: certainty === 'clear' ? 'no_finding' : 'wait' };
};

/** The advice in words. */
export const adviceSentence = (verdict: Parameters<typeof adviceOf>[0]): Sentence => {
  const { certainty, advice } = adviceOf(verdict);
  if (advice === 'avoid') return sentence(certainty === 'clear' ? 'avoid' : 'avoidUnclear');
  return sentence(advice === 'wait' ? 'wait' : 'noFinding');
};

/** Maximum number of reasons for an advice. */
const REASONS_MAX = 3;

/** Rank of a check among the evidence for a token: the strongest is first. */
const placeOf = ({ id }: Check): number =>
  CHECK_QUESTIONS[id]?.inFavour ?? Number.POSITIVE_INFINITY;

/** Proof first, then by the log-odds of a check. */
const byWeight =
  ({ shap_values: contributions }: Pick<VerdictDoc, 'shap_values'>) =>
  (a: Check, b: Check): number =>
    Number(b.severity === 'critical') - Number(a.severity === 'critical') ||
    (contributions[`check:${b.id}`] ?? 0) - (contributions[`check:${a.id}`] ?? 0);

/**
 * Whether it leaves a doubt: a sale could not be simulated, or holders fared badly, perhaps through no fault of the
 * token.
 */
const isDoubtful = ({ id, status, severity, value }: Check): boolean =>
  status === 'unknown' &&
  (CHECK_QUESTIONS[id]?.isAwaited === true || (severity === 'critical' && value !== undefined));

/**
 * The checks that support an advice, the heaviest first. For `avoid` and `wait`: failed checks and, for `wait`, those
 * that leave a doubt. If only the market is a reason to `wait`: the outcomes of pools that traded alike. For
 * `no_finding`: the passed checks that mean most.
 */
export const reasonsOf = (
  doc: Pick<VerdictDoc, 'checks' | 'shap_values'>,
  advice: Advice,
): Check[] => {
  const { checks } = doc;
  if (advice === 'no_finding') {
    return checks
      .filter((check) => check.status === 'pass' && placeOf(check) < Number.POSITIVE_INFINITY)
      .toSorted((a, b) => placeOf(a) - placeOf(b))
      .slice(0, REASONS_MAX);
  }
  const failed = checks
    .filter(({ status, severity }) => status === 'fail' && severity !== 'info')
    .toSorted(byWeight(doc));
  const doubtful = checks.filter((check) => advice === 'wait' && isDoubtful(check));
  const found = [...failed, ...doubtful].slice(0, REASONS_MAX);
  return found.length > 0 || advice === 'avoid'
    ? found
    : checks.filter(({ id }) => CHECK_QUESTIONS[id]?.isLastReason);
};
