import type { Check, VerdictDoc } from '../messages/verdictDoc.ts';
import { type Sentence, sentence } from '../sentences/sentence.ts';
import { CHECK_QUESTIONS } from './artifacts/checkQuestions.ts';

/** How sure an answer is, and what to do about it: the three answers that there are beside SCAM and LEGIT. */
export const CERTAINTIES = ['clear', 'unclear'] as const;
export type Certainty = (typeof CERTAINTIES)[number];
export const ADVICE = ['avoid', 'wait', 'no_finding'] as const;
export type Advice = (typeof ADVICE)[number];

/** Confidence from which a prediction is called clear. */
export const CLEAR_CONFIDENCE_MIN = 0.7;

/**
 * What the prediction comes to. A scam is to be avoided, however sure it is; a token that is not clearly honest is one to wait
 * with; of the others nothing was found, which is no guarantee.
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

/** Reasons given with an advice, at the most. */
const REASONS_MAX = 3;

/** The place of a check among what speaks for a token: the strongest is the first. */
const placeOf = ({ id }: Check): number =>
  CHECK_QUESTIONS[id]?.inFavour ?? Number.POSITIVE_INFINITY;

/** Proof first, then by what a check adds to the log-odds. */
const byWeight =
  ({ shap_values: contributions }: Pick<VerdictDoc, 'shap_values'>) =>
  (a: Check, b: Check): number =>
    Number(b.severity === 'critical') - Number(a.severity === 'critical') ||
    (contributions[`check:${b.id}`] ?? 0) - (contributions[`check:${a.id}`] ?? 0);

/** Whether it leaves a doubt: a sale could not be tried, or holders fared badly, for which the token need not be to blame. */
const isDoubtful = ({ id, status, severity, value }: Check): boolean =>
  status === 'unknown' &&
  (CHECK_QUESTIONS[id]?.isAwaited === true || (severity === 'critical' && value !== undefined));

/**
 * The checks that an advice rests on, the weightiest first: for `avoid` and `wait` those that failed and, for `wait`, those that leave a
 * doubt; where nothing is left to `wait` for but the market, what pools that trade alike became; for `no_finding`
 * those that passed and say most.
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
