import type { Check } from '../../../shared/messages/verdictDoc.ts';
import { weightOf } from './checkWeights.ts';
import { type CodeOutput, codeContributions } from './codeEvidence.ts';
import { logOdds, probabilityOf } from './logOdds.ts';

/** The answer: what the token is taken for, how sure that is, and what it is made of. */
export interface Decision {
  readonly prediction: 'SCAM' | 'LEGIT';
  /** Probability of a scam: the logistic function of the margin. */
  readonly probability: number;
  /** Confidence in the prediction, 0.5 to 1. */
  readonly confidence: number;
  /** Log-odds of a scam: `baseValue` plus all `contributions`. */
  readonly margin: number;
  /** Log-odds before anything is known of the token. */
  readonly baseValue: number;
  /** Log-odds added by features of the model, by `check:…`, by opcodes `code:…`, and by the rules `prior:…`, `rule:…`. */
  readonly contributions: Readonly<Record<string, number>>;
}

/** What the model says of a token's market. */
export interface MarketEvidence {
  readonly baseValue: number;
  readonly contributions: Readonly<Record<string, number>>;
  /** Share of pools of this age that were drained: the prior that the model's margin contains. */
  readonly priorProbability: number;
}

/** What a decision rests on. Market is undefined for a token without a pool. */
export interface DecisionInput {
  /** Share of scams expected among the tokens of this deployment. */
  readonly priorScamRate: number;
  readonly market: MarketEvidence | undefined;
  /** Undefined where the code is not known, or is none that the model can judge. */
  readonly code: CodeOutput | undefined;
  readonly checks: readonly Check[];
}

/** A token is a SCAM from this probability on. */
const SCAM_PROBABILITY_MIN = 0.5;
/** Without an accusation there is nothing to show anyone: never SCAM. */
const UNPROVEN_PROBABILITY_MAX = 0.49;
/** Money lost by buying outweighs any market: never less than this. */
const PROVEN_PROBABILITY_MIN = 0.97;
/** A token with a market on which no sale was tried is never surer to be honest than this. */
const UNTRIED_PROBABILITY_MIN = 0.2;
/** Circumstances taken together weigh no more than this: they come in groups, from one template. */
const CIRCUMSTANCES_MAX = 1.5;

/** What the market adds to the log-odds of tokens of the same age. */
export const marketLogOdds = (market: MarketEvidence): number =>
  Object.values(market.contributions).reduce((sum, value) => sum + value, market.baseValue) -
  logOdds(market.priorProbability);

const sumOf = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);

/**
 * Circumstances are scaled down together where they are many, which no longer makes them independent. What the code
 * looks like is one of them: it says no more than that the contract is written like others.
 * @returns contributions of all checks, by `check:` and their id, and of the code, by `code:` and opcode
 */
const circumstantial = ({ checks, code }: DecisionInput): Record<string, number> => {
  const weights = checks.map((check) => ({ id: check.id, ...weightOf(check) }));
  const ofCode = codeContributions(code);
  const circumstances = weights
    .filter(({ kind, logOdds: added }) => kind === 'circumstance' && added > 0)
    .reduce((sum, { logOdds: added }) => sum + added, sumOf(ofCode));
  const scale = circumstances > CIRCUMSTANCES_MAX ? CIRCUMSTANCES_MAX / circumstances : 1;
  const ofChecks = weights
    .filter(({ logOdds: added }) => added !== 0)
    .map(({ id, kind, logOdds: added }) => {
      return [`check:${id}`, kind === 'circumstance' && added > 0 ? added * scale : added] as const;
    });
  const scaled = Object.entries(ofCode).map(([name, value]) => [name, value * scale] as const);
  return Object.fromEntries([...ofChecks, ...scaled]);
};

const wasTried = (checks: readonly Check[]): boolean =>
  checks.some(({ id, status }) => id === 'sell_simulation' && status !== 'unknown');

/** What the rules add to bring the log-odds within the bounds that evidence of this kind allows. */
const ruleContribution = (
  margin: number,
  { checks, market }: DecisionInput,
): Readonly<Record<string, number>> => {
  const failed = checks.filter(({ status }) => status === 'fail').map(weightOf);
  if (failed.some(({ kind }) => kind === 'proof')) {
    const least = logOdds(PROVEN_PROBABILITY_MIN);
    return margin < least ? { 'rule:proof': least - margin } : {};
  }
  const most = logOdds(UNPROVEN_PROBABILITY_MAX);
  if (margin > most && failed.every(({ kind }) => kind !== 'accusation')) {
    return { 'rule:no_accusation': most - margin };
  }
  const least = logOdds(UNTRIED_PROBABILITY_MIN);
  if (market && margin < least && !wasTried(checks)) return { 'rule:untried': least - margin };
  return {};
};

/**
 * Joins all evidence by Bayes' rule in log-odds, where independent evidence adds up:
 *
 *   margin = logit(priorScamRate) + [model margin − logit(prior at this age)] + Σ checks + code + rules
 *
 * The model was trained where two thirds of young pools were drained: its margin contains that prior.
 * What it says of a single token is the difference to its age, the bracket, so that no token is a scam
 * for being young; how common scams are here is for the operator to say. In terms of contributions the
 * bracket is those of the features plus `prior:age` = model's base value − logit(prior at this age).
 *
 * What the model of contract code adds is explained in `codeEvidence.ts`: never less than nothing, and with all other
 * circumstances at most 1.5, so that by itself it makes nobody a scam.
 *
 * SCAM is 0.5 and more. Rules, each a contribution of its own: proof that buying loses money is never
 * below 0.97; without proof or accusation (see `checkWeights.ts`) never above 0.49, so that every SCAM
 * has a failed check with evidence; a traded token whose sale could not be tried is never below 0.2, so
 * that a missing simulation makes nobody look safe. Checks that could not run add nothing.
 */
export const decide = (input: DecisionInput): Decision => {
  const { priorScamRate, market } = input;
  const baseValue = logOdds(priorScamRate);
  const evidence: Record<string, number> = {
    ...(market && {
      ...market.contributions,
      'prior:age': market.baseValue - logOdds(market.priorProbability),
    }),
    ...circumstantial(input),
  };
  const rules = ruleContribution(baseValue + sumOf(evidence), input);
  const contributions = Object.fromEntries(
    Object.entries({ ...evidence, ...rules }).filter(([, value]) => value !== 0),
  );
  const margin = baseValue + sumOf(contributions);
  const probability = probabilityOf(margin);
  const prediction = probability >= SCAM_PROBABILITY_MIN ? 'SCAM' : 'LEGIT';
  const confidence = Math.max(probability, 1 - probability);
  return { prediction, probability, confidence, margin, baseValue, contributions };
};
