import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type BlockRef, type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { depthOf, HOOK_SETS_FEE } from '../../../shared/market/marketBook.ts';
import { FEATURE_NAMES } from '../../../shared/messages/featureNames.ts';
import type { VerdictDoc } from '../../../shared/messages/verdictDoc.ts';
import { DAY_S } from '../../../shared/platform/durations.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import type { CheckInput, TradeSimulation } from '../checks/checkInput.ts';
import { checkOf, sentencesOf } from '../checks/checkResult.ts';
import { runChecks } from '../checks/checks.ts';
import { insidersOf } from '../checks/fakeLock.ts';
import { type CreatorRecord, creatorRecord } from '../features/creatorRecord.ts';
import type { CreatorTokenRow, TokenFacts } from '../features/featureStore.ts';
import type { HolderTrades } from '../features/holderSalesStore.ts';
import { type HoldersRow, holderShares } from '../features/holderStore.ts';
import { holdersExperience } from '../features/holdersExperience.ts';
import { insiderSalesOf } from '../features/insiderSales.ts';
import { marketQuote } from '../features/marketQuote.ts';
import { LIFE_FEATURE_NAMES } from '../features/poolLifeFeatures.ts';
import {
  headlineFeatures,
  judgedBlock,
  type ValuedMarket,
  withdrawnShare,
} from '../features/tokenFeatures.ts';
import { walletFeatures } from '../features/walletFeatures.ts';
import { priorAtAge } from '../horizon/horizons.ts';
import type { PriorScamRates } from '../learning/learner.ts';
import type { MarketModels } from '../learning/modelChoice.ts';
import { lockFeatures, shownLocks } from '../locks/lockFeatures.ts';
import type { Prediction } from '../model/model.ts';
import type { Launch } from '../pool/launchStore.ts';
import { type Decision, decide, type MarketEvidence, marketLogOdds } from './decide.ts';
import type { Evidence } from './gatherEvidence.ts';
import { ageOf, type Subject } from './readSubjects.ts';

/** All evidence about a batch of tokens. */
export interface Findings extends Evidence {
  readonly facts: TokenFacts;
}

/** Common inputs of a batch's verdicts. */
export interface ScoringContext extends MarketModels {
  readonly chainId: number;
  readonly priors: PriorScamRates;
  /** The wrapped native coin, then the stablecoins in which the operator prices tokens. */
  readonly bases: readonly Hex[];
}

/**
 * State of a creator's earlier pools when the token's pool was created; `pools` is NaN if nothing is known of the
 * creator.
 */
type EarlierPools = Pick<CreatorRecord, 'pools' | 'drained'>;

/** Weight of the prior, in pools, against a creator's own record. */
const PRIOR_POOLS = 2;
/** Risk of an unknown creator. */
const PRIOR_DRAINED_RATE = 0.5;

/**
 * Risk from the record before the token was created: 100 × (drained + 2 × 0.5) / (pools + 2), a Beta prior with a
 * mean of one half. Computed from facts, not from verdicts: so there is no feedback, and the order in which tokens
 * are scored does not matter.
 */
const riskOf = ({ pools, drained }: EarlierPools): number => {
  const [seen, lost] = Number.isFinite(pools) ? [pools, drained] : [0, 0];
  return Math.round((100 * (lost + PRIOR_POOLS * PRIOR_DRAINED_RATE)) / (seen + PRIOR_POOLS));
};

/**
 * The creator's pools from before the token had a market of another protocol than Uniswap V2; undefined if it has
 * none.
 */
const recordElsewhere = (
  { lives, creatorTokens }: TokenFacts,
  creator: Hex,
  token: Hex,
): EarlierPools | undefined => {
  const own = lives.get(token) ?? [];
  if (own.length === 0) return undefined;
  const made = (creatorTokens.get(creator) ?? []).flatMap(
    ({ address }) => lives.get(address) ?? [],
  );
  return creatorRecord(made, Math.min(...own.map(({ firstSyncS }) => firstSyncS)));
};

/** The risk of a token's creator, from its earlier pools. */
const earlierRisk = (
  { request: { token }, profile: { creator_address: creator }, pool }: Subject,
  facts: TokenFacts,
  features: Readonly<Record<string, number>>,
): number => {
  const known = {
    pools: features['creatorPools'] ?? Number.NaN,
    drained: features['creatorDrained'] ?? Number.NaN,
  };
  return riskOf(pool ? known : (recordElsewhere(facts, creator, token) ?? known));
};

/**
 * The record of a token's creator. Other tokens count by their current verdicts, the token itself by the one just
 * computed.
 */
const creatorHistory = (
  { request: { token }, profile: { creator_address: creator } }: Subject,
  made: readonly CreatorTokenRow[],
  riskScore: number,
  isScam: boolean,
): VerdictDoc['creator'] => {
  const own = creator === ZERO_ADDRESS ? [] : made;
  const scams = own.filter((other) => (other.address === token ? isScam : other.isScam)).length;
  return {
    address: creator,
    risk_score: riskScore,
    tokens_created: own.length,
    scam_rate: own.length > 0 ? scams / own.length : 0,
  };
};

/** A launch in shares of all tokens; undefined if balances are unknown. */
const launchOf = (
  launch: Launch | undefined,
  holders: HoldersRow | undefined,
  creator: Hex,
): CheckInput['launch'] => {
  if (!launch || !holders?.is_whole || !(holders.held > 0)) return undefined;
  const { bought, boughtByCreator, block, txHash } = launch;
  const share = (amount: number): number => Math.min(1, amount / holders.held);
  const own = holders.largest.find(([holder]) => holder === creator)?.[1] ?? 0;
  const shares = { sniped: share(bought), byCreator: share(boughtByCreator), creator: share(own) };
  return { ...shares, block, txHash };
};

/** A verdict, ready to be stored and shown. */
export interface Verdict extends Decision {
  readonly riskScore: number;
  readonly doc: VerdictDoc;
}

/** Share of the liquidity that must be burnt or locked for withdrawals of the rest not to matter. */
const SECURED_SHARE_MIN = 0.95;
const HEADLINE_COUNT = 5;
const RISK_DECIMALS = 100;
/** Maximum difference in log-odds between the sum of contributions and the margin. */
const ADDITIVITY_MAX = 1e-6;

const observed = (names: readonly string[], features: Float64Array): Record<string, number> =>
  Object.fromEntries(
    names.flatMap((name, i) => {
      const value = features[i];
      return value !== undefined && Number.isFinite(value) ? [[name, value]] : [];
    }),
  );

const isValued = ({ pool, markets }: Subject): boolean => pool !== undefined || markets.length > 0;

const isTraded = (subject: Subject): boolean =>
  isValued(subject) || subject.hasUnpricedMarket === true;

/** Share of all features, including the headline ones, that were observed. */
const coverageOf = (
  subject: Subject,
  holders: HoldersRow | undefined,
  creatorTokens: readonly CreatorTokenRow[],
): number => {
  const observedCount = Object.keys(observed(FEATURE_NAMES, subject.vector)).length;
  const headline =
    (holders ? 2 : 0) +
    (holders?.is_whole ? 1 : 0) +
    (isValued(subject) ? 1 : 0) +
    (creatorTokens.length > 0 ? 1 : 0);
  return (headline + observedCount) / (HEADLINE_COUNT + FEATURE_NAMES.length);
};

/** The last block whose trades the market model read. */
const marketBlock = ({ pool, life, asOf }: Subject): number => {
  if (!pool) return 0;
  return life ? pool.stored.last_block : judgedBlock(pool, asOf.atS);
};

/** Age of the main pool, else of the token, seconds. */
const judgedAge = (subject: Subject): number =>
  subject.pool ? ageOf(subject) : subject.asOf.atS - subject.profile.created_at_s;

/** Share of markets of this age that are drained within a week. */
const baseRateAt = ({ model, lifeModel }: ScoringContext, ageS: number): number => {
  const { rugShareByAgeS } = ageS > DAY_S ? lifeModel : model;
  return priorAtAge(rugShareByAgeS, ageS);
};

/** Empty if the token has no pool: the model says nothing about a missing market. */
const marketEvidence = (
  { pool }: Subject,
  { baseValue, contributions }: Prediction,
  priorProbability: number,
): MarketEvidence | undefined => pool && { baseValue, contributions, priorProbability };

/** Fees are in millionths of the input. */
const FEE_SCALE = 1_000_000;

/** Why no trade was simulated: the node's state is of another time, or there is no market. */
const notSimulated = ({ market, hasUnpricedMarket }: Subject): TradeSimulation => {
  const without = hasUnpricedMarket ? 'otherBase' : 'noPoolToTrade';
  return { kind: 'unknown', reason: sentence(market ? 'behindHead' : without) };
};

/**
 * What a Uniswap V4 pool takes from trades. Undefined for other protocols, whose fee the creator cannot choose, if a
 * hook sets it, and for an empty pool, in which nobody can lose anything.
 */
const poolFeeOf = (
  market: ValuedMarket | undefined,
  { number: blockNumber }: BlockRef,
): CheckInput['poolFee'] => {
  if (market?.kind !== 'managed' || !market.entry || market.currentBase === 0) return undefined;
  const { manager, fee } = market.entry;
  if (fee === HOOK_SETS_FEE) return undefined;
  return { share: fee / FEE_SCALE, manager, pool: market.pool, blockNumber };
};

/** Trades and failed sales up to a block; undefined if nobody ever traded. */
const tradesUpTo = (found: HolderTrades | undefined, upTo: number): HolderTrades | undefined => {
  const isKnown = ({ blockNumber }: { blockNumber: number }): boolean => blockNumber <= upTo;
  return (
    found && {
      ...found,
      trades: found.trades.filter(isKnown),
      failed: found.failed.filter(isKnown),
    }
  );
};

/** Tokens in all markets of a subject, raw units. */
const inMarkets = ({ pools, markets }: Subject): number => {
  const inPools = pools.reduce((sum, { stored }) => sum + Number(stored.current_token), 0);
  return markets.reduce((sum, one) => sum + depthOf(one.book, !one.isToken0), inPools);
};

/** What holders experienced, in the form of verdicts. */
const shownHolders = ({
  experience,
  trials,
}: Pick<CheckInput, 'experience' | 'trials'>): VerdictDoc['holders'] =>
  experience && {
    buyers: experience.buyers,
    sellers: experience.sellers,
    buyers_since_sale: experience.buyersSinceSale,
    failed_sellers: experience.failed.length,
    last_sale_s: experience.lastSaleS ?? null,
    sales: [...experience.sales],
    trials: trials?.tried
      ? {
          block_number: trials.blockNumber,
          sold: [...trials.sold],
          refused: [...trials.refused],
          tax: trials.tax ?? null,
        }
      : null,
  };

/** All inputs of the checks except the model's view of the market. */
const checkInput = (
  { chainId, bases }: ScoringContext,
  subject: Subject,
  { facts, simulations, contracts, launches, trades, trials }: Findings,
): Omit<
  CheckInput,
  | 'modelProbability'
  | 'marketBlock'
  | 'marketEvidence'
  | 'idleDays'
  | 'topTenConcentration'
  | 'largestHolders'
  | 'holderCount'
> => {
  const { request, profile, pool, drain, main, market, locks, asOf } = subject;
  const { token } = request;
  const holders = facts.holders.get(token);
  const known = contracts.get(token);
  const contract = known?.profile;
  const traded = tradesUpTo(trades.get(token), asOf.block.number);
  return {
    chainId,
    token,
    bases,
    name: profile.name,
    symbol: profile.symbol,
    pool,
    drain,
    withdrawnShare: drain?.withdrawnShare ?? (pool ? withdrawnShare(pool, asOf.atS) : 0),
    protocol: main?.protocol,
    poolFee: poolFeeOf(market, asOf.block),
    launch: launchOf(launches.get(token), holders, profile.creator_address),
    areBalancesKnown: holders?.is_whole ?? false,
    spread: isTraded(subject) ? undefined : facts.spread.get(token),
    simulation: simulations.get(token) ?? notSimulated(subject),
    purchaseCount: traded?.trades.filter(({ isSale }) => !isSale).length ?? 0,
    saleCount: traded?.trades.filter(({ isSale }) => isSale).length ?? 0,
    experience: traded && traded.trades.length > 0 ? holdersExperience(traded) : undefined,
    trials: trials.get(token),
    insiderSales: insiderSalesOf(traded, facts.transfers.get(token), {
      creator: profile.creator_address,
      inMarkets: inMarkets(subject),
      atS: asOf.atS,
    }),
    contract,
    twins: known?.twins,
    locks,
    insiders: insidersOf([
      profile.creator_address,
      contract?.owner.address,
      pool?.series.lp?.transfers.find(
        ({ from, to }) => from === ZERO_ADDRESS && to !== ZERO_ADDRESS,
      )?.to,
    ]),
  };
};

const sha256 = (vector: Float64Array): string =>
  createHash('sha256')
    .update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
    .digest('hex');

const provenanceOf = (
  { chainId, model, lifeModel }: ScoringContext,
  { profile, asOf, vector, life }: Subject,
  trigger: string,
  coverage: number,
): VerdictDoc['provenance'] => ({
  chain_id: chainId,
  block_number: asOf.block.number,
  block_hash: asOf.block.hash,
  bytecode_hash: profile.code,
  model: (life ? lifeModel : model).name,
  model_sha256: (life ? lifeModel : model).sha256,
  features_sha256: sha256(life ?? vector),
  coverage: Math.min(1, coverage),
  as_of_s: asOf.atS,
  trigger,
});

/** The document's guarantee: what is shown adds up to the decision. */
const assertAdditive = ({ baseValue, contributions, margin }: Decision): void => {
  const sum = Object.values(contributions).reduce((total, value) => total + value, baseValue);
  assert.ok(Math.abs(sum - margin) <= ADDITIVITY_MAX, `contributions add up to ${sum}`);
};

/** Whether nearly all of the liquidity is burnt or locked. */
const isSecured = ({ lpBurnedShare = 0, lpLockedShare = 0 }: Readonly<Record<string, number>>) =>
  lpBurnedShare + lpLockedShare >= SECURED_SHARE_MIN;

/** The features that a verdict shows. */
const shownFeatures = (
  { request, pool, market, locks, asOf }: Subject,
  { wallets }: Findings,
  {
    headline,
    quote,
    features,
    output,
  }: {
    readonly headline: ReturnType<typeof headlineFeatures>;
    readonly quote: ReturnType<typeof marketQuote> | undefined;
    readonly features: Readonly<Record<string, number>>;
    readonly output: Prediction;
  },
): VerdictDoc['features'] => {
  const wallet = wallets.get(request.token);
  return {
    ...headline,
    ...quote?.features,
    ...features,
    // Features that are shown but are in no model.
    ...(wallet && walletFeatures(wallet, asOf.atS)),
    // The model's output for the market alone, with which recorded pools are evaluated.
    ...(pool && { market_probability: output.probability }),
    ...lockFeatures(locks, market?.pool, asOf.atS),
  };
};

/**
 * Combines features, model and checks into a verdict. Pure: the same input gives the same verdict.
 * @param output the model's output for the token's main pool
 * @param trigger what made it due: `birth`, `event`, `request`, or the horizon that its pool had passed
 */
export const assembleVerdict = (
  context: ScoringContext,
  subject: Subject,
  findings: Findings,
  { output, trigger }: { readonly output: Prediction; readonly trigger: string },
): Verdict => {
  const { priors } = context;
  const { profile, pool, pools, markets, main, locks, asOf } = subject;
  const { facts, codes } = findings;
  const { token } = subject.request;
  const holders = facts.holders.get(token);
  const creatorTokens = (facts.creatorTokens.get(profile.creator_address) ?? []).filter(
    ({ created_at_s: madeAtS }) => madeAtS <= asOf.atS,
  );
  const features = {
    ...observed(FEATURE_NAMES, subject.vector),
    ...(subject.life && observed(LIFE_FEATURE_NAMES, subject.life)),
  };
  const creatorRiskScore = earlierRisk(subject, facts, features);
  const headline = headlineFeatures({ holders, pools, markets, creatorRiskScore });
  const quote = main && marketQuote(token, main, { decimals: profile.decimals, holders });
  const ageS = judgedAge(subject);
  const baseRate = baseRateAt(context, ageS);
  const market = marketEvidence(subject, output, baseRate);
  const known = checkInput(context, subject, findings);
  const results = runChecks({
    ...known,
    modelProbability: output.probability,
    marketEvidence: market ? marketLogOdds(market) : 0,
    marketBlock: marketBlock(subject),
    idleDays: features['lifeIdleDays'] ?? (asOf.atS - asOf.block.timestampS) / DAY_S,
    topTenConcentration: headline.top_10_concentration,
    largestHolders: holderShares(holders),
    holderCount: headline.holder_count,
  });
  const checks = results.map(checkOf);
  const decision = decide({
    priorScamRate: pool ? priors.pooled : priors.others,
    market,
    baseRate: isTraded(subject) ? baseRate : undefined,
    ageS,
    isSecured: isSecured(features),
    isTraded: isTraded(subject),
    code: codes.get(token),
    checks,
  });
  assertAdditive(decision);
  const coverage = coverageOf(subject, holders, creatorTokens);
  const isScam = decision.prediction === 'SCAM';
  return {
    ...decision,
    riskScore: Math.round(100 * decision.probability * RISK_DECIMALS) / RISK_DECIMALS,
    doc: {
      v: 1,
      features: shownFeatures(subject, findings, { headline, quote, features, output }),
      shap_values: decision.contributions,
      base_value: decision.baseValue,
      margin: decision.margin,
      probability: decision.probability,
      creator: creatorHistory(subject, creatorTokens, creatorRiskScore, isScam),
      checks,
      sentences: sentencesOf(results),
      holders: shownHolders(known),
      ...(locks.length > 0 && { locks: shownLocks(locks, asOf.atS) }),
      ...(known.contract?.frameworks && { frameworks: known.contract.frameworks }),
      ...(quote && { market: quote.market }),
      provenance: provenanceOf(context, subject, trigger, coverage),
    },
  };
};
