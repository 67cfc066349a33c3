import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { Weight } from '../checks/checkDefinition.ts';
import { CHECKS } from '../checks/checks.ts';
import { type Prediction, probabilityOf } from '../model/model.ts';
import { CHECK_WEIGHTS } from './artifacts/checkWeights.ts';
import { checkFeatures, isFailed } from './checkFeatures.ts';
import { logOdds } from './logOdds.ts';

/**
 * What the model of contract code says of the code that a token runs. The margin is the log-odds of a trapdoor among the contracts it was
 * trained on; contributions are by opcode.
 */
export type CodeOutput = Pick<Prediction, 'margin' | 'contributions'>;

/** Share of trapdoors among the contracts the model was trained on: its margin contains this prior. See its card. */
export const TRAPDOOR_SHARE = 0.7407407407407407;
/**
 * How far the model is trusted, a judgement: of codes that have no relative in the data it recognises 87 % at 1 % false
 * alarms where it recognises 98 % of others (grouped and random folds of its card).
 */
const TRUST = 0.5;
/** Opcodes named one by one; the others are joined. */
const NAMED_MAX = 8;
/** Instructions that came after the data. A few stray ones stand in the metadata behind the code. */
const NEWER_OPCODES: readonly number[] = [0x49, 0x4a, 0x5c, 0x5d, 0x5e, 0x5f];
const NEWER_COUNT_MAX = 3;

/** Whether the model can judge the code: it has never seen what compilers of after 2022 write. */
export const isScorable = (opcodes: Float64Array): boolean =>
  NEWER_OPCODES.reduce((sum, opcode) => sum + (opcodes[opcode] ?? 0), 0) <= NEWER_COUNT_MAX;

/**
 * Log-odds that the code adds, by `code:` and opcode: half of what its margin exceeds the log-odds of its own data by,
 * never less than nothing. The labels say which contracts are trapdoors; of the others they do not say that they are
 * honest, so code unlike a trapdoor is no evidence for anybody.
 */
export const codeContributions = (output: CodeOutput | undefined): Record<string, number> => {
  if (!output) return {};
  const excess = output.margin - logOdds(TRAPDOOR_SHARE);
  if (!(excess > 0)) return {};
  const byWeight = Object.entries(output.contributions).toSorted(
    ([, a], [, b]) => Math.abs(b) - Math.abs(a),
  );
  const named = byWeight.slice(0, NAMED_MAX).filter(([, value]) => value !== 0);
  const rest = excess - named.reduce((sum, [, value]) => sum + value, 0);
  const parts: (readonly [string, number])[] = [...named, ['others', rest]];
  return Object.fromEntries(parts.map(([name, value]) => [`code:${name}`, TRUST * value]));
};

/** The least that a failed critical check adds: the log-odds of 97 %. */
const PROOF_LOG_ODDS = Math.log(0.97 / 0.03);

const WEIGHTLESS: Weight = { logOdds: 0, kind: 'circumstance' };

const failedWeight = (check: Check): Weight => {
  const failed = CHECKS.get(check.id)?.failed;
  return (typeof failed === 'function' ? failed(check) : failed) ?? WEIGHTLESS;
};

/** What a check says in log-odds. Nothing where it could not run or only informs. */
const weightOf = (check: Check): Weight => {
  const { id, status, severity, evidence } = check;
  if (status === 'pass') return { ...WEIGHTLESS, logOdds: CHECKS.get(id)?.passed ?? 0 };
  if (status !== 'fail' || severity === 'info') return WEIGHTLESS;
  // What no one can replay is no ground for an accusation.
  if (severity === 'critical' && evidence?.length)
    return { logOdds: PROOF_LOG_ODDS, kind: 'proof' };
  const [fitted] = checkFeatures([check]);
  if (fitted) {
    return { logOdds: fitted.share * CHECK_WEIGHTS[fitted.feature], kind: 'circumstance' };
  }
  const weight = failedWeight(check);
  return evidence?.length ? weight : { ...weight, kind: 'circumstance' };
};

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

/** What a decision rests on. Market is undefined for a token without a pool of Uniswap V2. */
interface DecisionInput {
  /** Share of scams expected among the tokens of this deployment. */
  readonly priorScamRate: number;
  readonly market: MarketEvidence | undefined;
  /** Whether it has any market: the model knows those of Uniswap V2 only. */
  readonly isTraded: boolean;
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
/** A token that no one can buy is never surer to be honest than this: what its sales would show is not known. */
const CLOSED_PROBABILITY_MIN = 0.35;
/** A token whose buyers one wallet has in its hands is never surer to be honest than this: it is not clear. */
const HELD_PROBABILITY_MIN = 0.31;
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

const has = (checks: readonly Check[], id: string, status: Check['status']): boolean =>
  checks.some((check) => check.id === id && check.status === status);

const wasTried = (checks: readonly Check[]): boolean =>
  checks.some(({ id, status }) => id === 'sell_simulation' && status !== 'unknown');

/** The least probability of a token on whose market no sale was tried; everybody knows how listed ones are sold. */
const untriedMin = ({ checks, isTraded }: DecisionInput): number | undefined => {
  if (!isTraded || wasTried(checks) || has(checks, 'listed', 'pass')) return undefined;
  return has(checks, 'trading_closed', 'fail') ? CLOSED_PROBABILITY_MIN : UNTRIED_PROBABILITY_MIN;
};

/** Whether one account that is no contract, or everyone, can make tokens, take them, or stop sales, and no list vouches for it. */
const isHeldByOne = (checks: readonly Check[]): boolean =>
  checks.some(
    (check) =>
      isFailed(check) &&
      (check.held_by === 'wallet' ||
        (check.shown_by === 'simulation' &&
          (check.held_by === 'unknown' || check.held_by === 'anyone'))),
  ) && !has(checks, 'listed', 'pass');

/** What the rules add to bring the log-odds within the bounds that evidence of this kind allows. */
const ruleContribution = (
  margin: number,
  input: DecisionInput,
): Readonly<Record<string, number>> => {
  const { checks } = input;
  const failed = checks.filter(({ status }) => status === 'fail').map(weightOf);
  if (failed.some(({ kind }) => kind === 'proof')) {
    const least = logOdds(PROVEN_PROBABILITY_MIN);
    return margin < least ? { 'rule:proof': least - margin } : {};
  }
  const most = logOdds(UNPROVEN_PROBABILITY_MAX);
  if (margin > most && failed.every(({ kind }) => kind !== 'accusation')) {
    return { 'rule:no_accusation': most - margin };
  }
  const floors: readonly (readonly [rule: string, probability: number | undefined])[] = [
    ['rule:untried', untriedMin(input)],
    ['rule:one_holder', isHeldByOne(checks) ? HELD_PROBABILITY_MIN : undefined],
  ];
  const [highest] = floors
    .flatMap(([rule, probability]) =>
      probability === undefined ? [] : [{ rule, least: logOdds(probability) }],
    )
    .toSorted((one, other) => other.least - one.least);
  if (!highest || margin >= highest.least) return {};
  return { [highest.rule]: highest.least - margin };
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
 * What the model of contract code adds is explained at `codeContributions`: never less than nothing, and with all other
 * circumstances at most 1.5, so that by itself it makes no token a scam.
 *
 * SCAM is 0.5 and more. Rules, each a contribution of its own: proof that buying loses money is never
 * below 0.97; without proof or accusation (see `CheckDefinition`) never above 0.49, so that every SCAM
 * has a failed check with evidence; a traded token whose sale could not be tried is never below 0.2, one that no one
 * can buy never below 0.35, so that a missing simulation makes no token look safe but well-known ones; one
 * that a single wallet has a power over (`held_by`) never below 0.31: what it will do with it is not clear. Checks that could not run add nothing.
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
