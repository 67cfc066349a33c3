import type { Check } from '../../../shared/messages/verdictDoc.ts';
import { CLEAR_CONFIDENCE_MIN } from '../../../shared/rules/advice.ts';
import type { CheckRole, Weight } from '../checks/checkDefinition.ts';
import { CHECKS } from '../checks/checks.ts';
import { type Prediction, probabilityOf } from '../model/model.ts';
import { CHECK_WEIGHTS } from './artifacts/checkWeights.ts';
import { checkFeatures, isFailed } from './checkFeatures.ts';
import { logOdds } from './logOdds.ts';

/**
 * The contract-code model's output for a token's code. The margin is the log-odds of a trapdoor among the contracts
 * it was trained on; contributions are by opcode.
 */
export type CodeOutput = Pick<Prediction, 'margin' | 'contributions'>;

/**
 * Share of trapdoors among the contracts on which the model was trained: its margin contains this prior. See its
 * card.
 */
export const TRAPDOOR_SHARE = 0.7407407407407407;
/**
 * How far the model is trusted, a judgement: among codes without a relative in the training data it recognises 87 %
 * at 1 % false alarms, compared with 98 % of others (grouped and random folds of its card).
 */
const TRUST = 0.5;
/** Opcodes named individually; the others are combined. */
const NAMED_MAX = 8;
/**
 * Instructions that are newer than the training data. A few stray ones appear in the metadata after the code.
 */
const NEWER_OPCODES: readonly number[] = [0x49, 0x4a, 0x5c, 0x5d, 0x5e, 0x5f];
const NEWER_COUNT_MAX = 3;

/** Whether the model can judge the code: it has never seen the output of compilers after 2022. */
export const isScorable = (opcodes: Float64Array): boolean =>
  NEWER_OPCODES.reduce((sum, opcode) => sum + (opcodes[opcode] ?? 0), 0) <= NEWER_COUNT_MAX;

/**
 * Log-odds that the code adds, by `code:` and opcode: half of the difference between its margin and the prior
 * log-odds of the training data, and at least zero. The labels say which contracts are trapdoors, but not that the
 * others are honest, so code unlike a trapdoor is no evidence in favour.
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

/** The least contribution of a failed critical check: the log-odds of 97 %. */
const PROOF_LOG_ODDS = Math.log(0.97 / 0.03);

const WEIGHTLESS: Weight = { logOdds: 0, kind: 'circumstance' };

const failedWeight = (check: Check): Weight => {
  const failed = CHECKS.get(check.id)?.failed;
  return (typeof failed === 'function' ? failed(check) : failed) ?? WEIGHTLESS;
};

/** Whether the check with a role has this result. */
const has = (checks: readonly Check[], role: CheckRole, status: Check['status']): boolean =>
  checks.some((check) => CHECKS.get(check.id)?.role === role && check.status === status);

/** Contribution of a failed check in log-odds. Zero if it only informs. */
const weightOf = (check: Check): Weight => {
  const { status, severity, evidence } = check;
  if (status !== 'fail' || severity === 'info') return WEIGHTLESS;
  // What nobody can verify is no basis for an accusation.
  if (severity === 'critical' && evidence?.length)
    return { logOdds: PROOF_LOG_ODDS, kind: 'proof' };
  const [fitted] = checkFeatures([check]);
  if (fitted) {
    return { logOdds: fitted.share * (CHECK_WEIGHTS[fitted.feature] ?? 0), kind: 'circumstance' };
  }
  const weight = failedWeight(check);
  return evidence?.length ? weight : { ...weight, kind: 'circumstance' };
};

/**
 * Contribution of a passed check in log-odds. After a large withdrawal of liquidity, the ability to sell does not
 * count in favour: most tokens from which the weight of that withdrawal was learned could be sold too.
 */
const comfortOf = ({ id }: Check, checks: readonly Check[]): Weight => {
  const { passed = 0, role } = CHECKS.get(id) ?? {};
  const isNone = role !== 'listing' && has(checks, 'liquidity', 'fail');
  return { ...WEIGHTLESS, logOdds: isNone ? 0 : passed };
};

/** The decision: the prediction, its confidence, and its components. */
export interface Decision {
  readonly prediction: 'SCAM' | 'LEGIT';
  /** Probability of a scam: the logistic function of the margin. */
  readonly probability: number;
  /** Confidence in the prediction, 0.5 to 1. */
  readonly confidence: number;
  /** Log-odds of a scam: `baseValue` plus all `contributions`. */
  readonly margin: number;
  /** Log-odds before anything is known about the token. */
  readonly baseValue: number;
  /** Log-odds added by features of the model, by `check:…`, by opcodes `code:…`, and by the rules `prior:…`, `rule:…`. */
  readonly contributions: Readonly<Record<string, number>>;
}

/** The model's output for a token's market. */
export interface MarketEvidence {
  readonly baseValue: number;
  readonly contributions: Readonly<Record<string, number>>;
  /** Share of pools of this age that were drained: the prior that the model's margin contains. */
  readonly priorProbability: number;
}

/** Inputs of a decision. Market is undefined for a token without a Uniswap V2 pool. */
interface DecisionInput {
  /**
   * How common scams are here, as a share that stands for a shift in log-odds relative to the training data: one half
   * means no shift.
   */
  readonly priorScamRate: number;
  readonly market: MarketEvidence | undefined;
  /** Share of markets of this age that are drained within a week; undefined for a token that is not traded. */
  readonly baseRate: number | undefined;
  /** Age of the main pool, else of the token, seconds. */
  readonly ageS: number;
  /** Whether nearly all of the main pool's liquidity is burnt or locked. */
  readonly isSecured: boolean;
  /** Whether it has any market: the model covers Uniswap V2 only. */
  readonly isTraded: boolean;
  /** Undefined if the code is unknown, or cannot be judged by the model. */
  readonly code: CodeOutput | undefined;
  readonly checks: readonly Check[];
}

/** Probability from which a token is a SCAM. */
const SCAM_PROBABILITY_MIN = 0.5;
/** Upper bound without an accusation, when there is nothing to show: never SCAM. */
const UNPROVEN_PROBABILITY_MAX = 0.49;
/** Lower bound if buying loses money, which outweighs any market. */
const PROVEN_PROBABILITY_MIN = 0.97;
/** Lower bound for a token with a market on which no sale was simulated. */
const UNTRIED_PROBABILITY_MIN = 0.2;
/**
 * Lower bound for a token that nobody can buy, or half of whose holders cannot sell: the value of sales is unknown.
 */
const CLOSED_PROBABILITY_MIN = 0.35;
/**
 * Upper bound for a token that nobody can change, whose holders sell freely and whose liquidity nobody can withdraw.
 */
const FREE_PROBABILITY_MAX = 0.25;
/** Probability up to which a token is called clear. */
const CLEAR_PROBABILITY_MAX = 1 - CLEAR_CONFIDENCE_MIN;
/**
 * Probability up to which a market of an age, seconds, is called clear. Chosen on recorded pools of 2020 and 2021, by
 * creators that the models had not seen: of those called clear at 1 h, 24 h, 7 d and 30 d, 21, 13, 7 and 3.5 % were
 * drained within a week; of the pools that were not drained, 52, 61, 92 and 91 % are called clear
 * (`pipeline/scorer/model/lifeArtifacts/card.md`).
 */
const CLEAR_LIMITS: readonly (readonly [ageS: number, probability: number])[] = [
  [0, 0.4],
  [21_600, 0.35],
  [86_400, 0.3],
  [259_200, 0.25],
  [1_209_600, 0.12],
  [2_592_000, 0.09],
];
/** Distance from the threshold at which a probability is placed that belongs on its other side for its age. */
const CLEAR_MARGIN = 0.01;
/**
 * Lower bound for a token whose buyers one wallet controls, or some of whose buyers were robbed: it is not clear.
 */
const HELD_PROBABILITY_MIN = 0.31;
/** Maximum combined weight of circumstances: they occur in groups, from one template. */
const CIRCUMSTANCES_MAX = 1.5;

/** What the market adds to the log-odds of tokens of the same age. */
export const marketLogOdds = (market: MarketEvidence): number =>
  Object.values(market.contributions).reduce((sum, value) => sum + value, market.baseValue) -
  logOdds(market.priorProbability);

const sumOf = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);

/**
 * Circumstances are scaled down together if they are many, because they are then not independent. The code model is
 * one of them: it says only that the contract resembles others.
 * @returns contributions of all checks, by `check:` and their id, and of the code, by `code:` and opcode
 */
const circumstantial = ({ checks, code }: DecisionInput): Record<string, number> => {
  const weights = checks.map((check) => {
    const weight = check.status === 'pass' ? comfortOf(check, checks) : weightOf(check);
    return { id: check.id, ...weight };
  });
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
  checks.some(({ id, status }) => CHECKS.get(id)?.role === 'sale' && status !== 'unknown');

/** Whether half of the holders cannot sell, although others were seen to. */
const isRefusal = ({ id, status, severity, value }: Check): boolean =>
  CHECKS.get(id)?.role === 'trials' &&
  status === 'unknown' &&
  severity === 'critical' &&
  value !== undefined;

/** Whether some buyers lost their tokens although they sent nothing away. */
const wereSomeRobbed = (checks: readonly Check[]): boolean =>
  checks.some(
    ({ id, status, severity }) =>
      CHECKS.get(id)?.role === 'holders' && status === 'unknown' && severity === 'critical',
  );

/**
 * The least probability of a token on whose market no sale was simulated; listed tokens are exempt because it is
 * known that they can be sold.
 */
const untriedMin = ({ checks, isTraded }: DecisionInput): number | undefined => {
  if (!isTraded || wasTried(checks) || has(checks, 'listing', 'pass')) return undefined;
  const isClosed = has(checks, 'opening', 'fail') || checks.some(isRefusal);
  return isClosed ? CLOSED_PROBABILITY_MIN : UNTRIED_PROBABILITY_MIN;
};

/**
 * Whether buyers were harmed, or would be: then it is no comfort that markets of this age are rarely drained.
 */
const isHarmful = (checks: readonly Check[]): boolean =>
  checks.some((check) => check.status === 'fail' && weightOf(check).kind === 'accusation');

/**
 * Whether one account that is no contract, or everyone, can mint tokens, take them, or stop sales, and no list
 * vouches for the token. Judged by code only, tokens that are minted against payment, or claimed, seem to be
 * anyone's.
 */
const isHeldByOne = (checks: readonly Check[]): boolean =>
  checks.some((check) => {
    const { id, held_by: holder, shown_by: shownBy } = check;
    if (!isFailed(check)) return false;
    if (holder === 'wallet') return true;
    const isOpen = holder === 'unknown' || holder === 'anyone';
    return isOpen && (shownBy === 'simulation' || CHECKS.get(id)?.role === 'harm');
  }) && !has(checks, 'listing', 'pass');

/** What the rules add to bring the log-odds within the bounds for this kind of evidence. */
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
  if (isFree(input)) {
    const free = logOdds(FREE_PROBABILITY_MAX);
    return margin > free ? { 'rule:free': free - margin } : {};
  }
  const most = logOdds(UNPROVEN_PROBABILITY_MAX);
  if (margin > most && failed.every(({ kind }) => kind === 'circumstance')) {
    return { 'rule:no_accusation': most - margin };
  }
  const floors: readonly (readonly [rule: string, probability: number | undefined])[] = [
    ['rule:untried', untriedMin(input)],
    ['rule:one_holder', isHeldByOne(checks) ? HELD_PROBABILITY_MIN : undefined],
    ['rule:some_robbed', wereSomeRobbed(checks) ? HELD_PROBABILITY_MIN : undefined],
    ['rule:age', isUnclearAtAge(margin, input) ? CLEAR_PROBABILITY_MAX + CLEAR_MARGIN : undefined],
  ];
  const [highest] = floors
    .flatMap(([rule, probability]) =>
      probability === undefined ? [] : [{ rule, least: logOdds(probability) }],
    )
    .toSorted((one, other) => other.least - one.least);
  if (highest && margin < highest.least) return { [highest.rule]: highest.least - margin };
  const isHeldUp = highest !== undefined && highest.least > logOdds(CLEAR_PROBABILITY_MAX);
  const clear = logOdds(CLEAR_PROBABILITY_MAX - CLEAR_MARGIN);
  const isMoved = input.baseRate !== undefined && margin > clear && margin <= clearLimit(input);
  return isMoved && !isHeldUp ? { 'rule:age': clear - margin } : {};
};

const limitAt = (ageS: number): number =>
  CLEAR_LIMITS.findLast(([fromS]) => ageS >= fromS)?.[1] ?? CLEAR_PROBABILITY_MAX;

/** Whether a market of this age, seconds, with no other evidence is called clear. */
export const isClearAt = (probability: number, ageS: number): boolean =>
  probability <= limitAt(ageS);

/** Log-odds up to which a traded token is clear at its age. */
const clearLimit = ({ ageS }: DecisionInput): number => logOdds(limitAt(ageS));

const isUnclearAtAge = (margin: number, input: DecisionInput): boolean =>
  input.baseRate !== undefined &&
  !has(input.checks, 'listing', 'pass') &&
  margin > clearLimit(input);

/**
 * Whether holders were seen to sell, a sale works, nobody has a power, and nobody can withdraw the liquidity.
 */
const isFree = ({ checks, isSecured }: DecisionInput): boolean =>
  isSecured &&
  has(checks, 'holders', 'pass') &&
  has(checks, 'sale', 'pass') &&
  !checks.some(isFailed);

/**
 * Combines all evidence by Bayes' rule in log-odds, in which independent evidence adds up:
 *
 *   margin = logit(priorScamRate) + market + Σ checks + code + rules
 *
 * - `market` judges whether the market is drained within the next seven days. It is the calibrated margin of the model for
 *   its age (base value and features), and so includes the base rate of that age. A token without a Uniswap V2 pool has
 *   only the base rate. Harm to buyers does not depend on age: with an accusation other than a sign, the base rate counts
 *   as at least one half.
 * - `priorScamRate` shifts everything if scams are more or less common here than in the recordings.
 * - `code` is never negative, and limited to 1.5 together with all other circumstances, so it alone makes no token a
 *   scam (see `codeContributions`).
 * - Checks that could not run add nothing.
 *
 * A probability of 0.5 or more is SCAM. The rules, each a contribution of its own, keep the probability within bounds:
 * - buying provably loses money: at least 0.97;
 * - no proof or accusation (see `CheckDefinition`): at most 0.49, so that every SCAM has a failed check with evidence;
 * - nobody can change the token, holders sell, and the liquidity is out of reach: at most 0.25;
 * - a traded token whose sale could not be simulated: at least 0.2, so that a missing simulation makes only well-known
 *   tokens look safe;
 * - nobody can buy, or half of the holders cannot sell: at least 0.35;
 * - a single wallet, or an unknown holder, has a power over the token (`held_by`), or some buyers were robbed: at least
 *   0.31, because what happens next is unclear.
 *
 * Last, the probability is put on the side of the 0.3 threshold that `CLEAR_LIMITS` gives for the age.
 */
export const decide = (input: DecisionInput): Decision => {
  const { priorScamRate, market, baseRate, checks } = input;
  const baseValue = logOdds(priorScamRate);
  const ofAge = market?.baseValue ?? (baseRate === undefined ? 0 : logOdds(baseRate));
  const evidence: Record<string, number> = {
    ...market?.contributions,
    'prior:age': isHarmful(checks) ? Math.max(0, ofAge) : ofAge,
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
