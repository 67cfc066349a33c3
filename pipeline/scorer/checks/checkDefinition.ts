import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { CheckQuestion } from '../../../shared/rules/checkQuestion.ts';
import type { CheckInput } from './checkInput.ts';
import type { CheckOutcome, CheckResult } from './checkResult.ts';

/** What one check adds to the log-odds, and what it counts for. */
export interface Weight {
  readonly logOdds: number;
  /**
   * `proof`: money is lost by buying. `accusation`: enough, beside other evidence, to call a token a
   * scam. `sign`: an accusation too, but by what became of others like it, not by what was done to buyers or will be, so that age counts.
   * `circumstance`: makes it likelier, never enough; honest projects have it too.
   */
  readonly kind: 'proof' | 'accusation' | 'sign' | 'circumstance';
}

/**
 * What the rules of a decision take a check for: whether a sale works, holders sell, or can, buyers are let in, the liquidity stays, the token is
 * well known, somebody can take what buyers hold or keep them from selling it.
 */
export type CheckRole =
  | 'sale'
  | 'holders'
  | 'trials'
  | 'opening'
  | 'liquidity'
  | 'listing'
  | 'harm';

/** All that is known of a check beside its rule; its name, question and sentences are in `shared/locales/<language>/checks.json`. */
export interface CheckDefinition {
  readonly id: string;
  /** The question that it answers on pages; absent where it is shown by its name. */
  readonly question?: CheckQuestion;
  /**
   * What it adds where it failed and is no proof: logarithm of how many times more often we expect that among scams than among honest
   * tokens, a judgement. Absent where it weighs nothing, or as much as `CHECK_WEIGHTS` says, which are fitted to data.
   */
  readonly failed?: Weight | ((check: Check) => Weight);
  /** Log-odds that it adds where it passed: only where scams would be found out by it. */
  readonly passed?: number;
  /** Whether a critical failure accuses the code, so that copies of it are as guilty. Drained pools are not the code's fault. */
  readonly accusesCode?: boolean;
  /** A check that accuses no code where this one failed critically: what it saw is no doing of the token. */
  readonly excuses?: string;
  /** Its role in the rules of `decide`. */
  readonly role?: CheckRole;
  /** Whether its value is the share that a simulated trade costs. */
  readonly measuresTax?: boolean;
  /**
   * Log-odds of its failure before any data were seen, a judgement, which the fit of `CHECK_WEIGHTS` starts from and is drawn to; `byCode`:
   * where only the code shows it. Absent where its weight is not fitted.
   */
  readonly expected?: { readonly failed: number; readonly byCode?: number };
  /** These are its row of `CHECKS.md`, in Markdown. */
  readonly failsIf: string;
  readonly severity: string;
}

/** Checks that one rule answers: most answer one. Pure. */
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

/** A part of a trade that buyers of honest tokens put up with, from one that is meant to keep their money. */
const GREEDY_TAKE_MIN = 0.2;

/** What is kept of a trade, 0 to 1. */
export const weightOfTake = ({ value }: Check): Weight =>
  Number(value) >= GREEDY_TAKE_MIN
    ? { logOdds: 1.8, kind: 'accusation' }
    : { logOdds: 0.3, kind: 'circumstance' };
