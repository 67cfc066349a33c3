import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { CheckQuestion } from '../../../shared/rules/checkQuestion.ts';
import type { CheckInput } from './checkInput.ts';
import type { CheckOutcome, CheckResult } from './checkResult.ts';

/** What a check adds to the log-odds, and its role in the decision. */
export interface Weight {
  readonly logOdds: number;
  /**
   * `proof`: buying loses money. `accusation`: enough, together with other evidence, to call a token a scam. `sign`:
   * an accusation based on the outcomes of similar tokens instead of harm to buyers, so that age counts.
   * `circumstance`: makes a scam likelier, but is never enough; honest projects have it too.
   */
  readonly kind: 'proof' | 'accusation' | 'sign' | 'circumstance';
}

/**
 * What the decision rules take a check for: whether a sale works, holders sell, or can, buyers are let in, the
 * liquidity stays, the token is well known, somebody can take what buyers hold or keep them from selling it.
 */
export type CheckRole =
  | 'sale'
  | 'holders'
  | 'trials'
  | 'opening'
  | 'liquidity'
  | 'listing'
  | 'harm';

/**
 * Everything about a check besides its rule; its name, question and sentences are in
 * `shared/locales/<language>/checks.json`.
 */
export interface CheckDefinition {
  readonly id: string;
  /** The question that it answers on pages; if absent, its name is shown. */
  readonly question?: CheckQuestion;
  /**
   * What a failure adds if it is no proof: the logarithm of how many times more often we expect it among scams than
   * among honest tokens, a judgement. Absent if it weighs nothing, or has a weight fitted to data in `CHECK_WEIGHTS`.
   */
  readonly failed?: Weight | ((check: Check) => Weight);
  /** Log-odds added by a pass: only for checks that would detect scams. */
  readonly passed?: number;
  /**
   * Whether a critical failure accuses the code, so that copies of it are guilty too. Drained pools are not the
   * code's fault.
   */
  readonly accusesCode?: boolean;
  /**
   * A check that does not accuse the code if this one failed critically: the token did not cause what it saw.
   */
  readonly excuses?: string;
  /** Its role in the rules of `decide`. */
  readonly role?: CheckRole;
  /** Whether its value is the share that a simulated trade costs. */
  readonly measuresTax?: boolean;
  /**
   * Prior log-odds of its failure, a judgement, from which the fit of `CHECK_WEIGHTS` starts and towards which it is
   * regularised; `byCode`: if only the code shows it. Absent if its weight is not fitted.
   */
  readonly expected?: { readonly failed: number; readonly byCode?: number };
  /** Its row of `CHECKS.md`, in Markdown. */
  readonly failsIf: string;
  readonly severity: string;
}

/** Checks computed by one rule, usually one. Pure. */
export interface CheckRule {
  readonly checks: readonly CheckDefinition[];
  readonly run: (input: CheckInput) => readonly CheckResult[];
}

/** A check with a rule of its own. */
export const defineCheck = ({
  run,
  ...check
}: CheckDefinition & {
  readonly run: (input: CheckInput) => CheckOutcome | readonly CheckOutcome[];
}): CheckRule => ({
  checks: [check],
  run: (input) => [run(input)].flat().map((outcome) => ({ id: check.id, ...outcome })),
});

/** The largest tax that buyers of honest tokens tolerate; beyond it the token is meant to keep their money. */
const GREEDY_TAKE_MIN = 0.2;

/** The retained share of a trade, 0 to 1. */
export const weightOfTake = ({ value }: Check): Weight =>
  Number(value) >= GREEDY_TAKE_MIN
    ? { logOdds: 1.8, kind: 'accusation' }
    : { logOdds: 0.3, kind: 'circumstance' };
