import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { FEATURE_NAMES } from '../../../shared/messages/featureNames.ts';
import type { VerdictDoc } from '../../../shared/messages/verdictDoc.ts';
import type { CheckInput, TradeSimulation } from '../checks/checkInput.ts';
import { checkOf, sentencesOf } from '../checks/checkResult.ts';
import { runChecks } from '../checks/checks.ts';
import { insidersOf } from '../checks/fakeLock.ts';
import type { KnownContract } from '../contract/contractCache.ts';
import { marketQuote } from '../features/marketQuote.ts';
import {
  type HeadlineFeatures,
  headlineFeatures,
  type StoredHolders,
} from '../features/tokenFeatures.ts';
import { lockFeatures, shownLocks } from '../locks/lockFeatures.ts';
import {
  type CodeOutput,
  type Decision,
  decide,
  type MarketEvidence,
  marketLogOdds,
} from './decide.ts';
import type { Subject } from './subjects.ts';

/** What a wallet made, as the token's page shows it. */
interface CreatorHistory {
  readonly address: Hex;
  /** 0 to 100. */
  readonly risk_score: number;
  readonly tokens_created: number;
  /** Share of its tokens judged a scam, 0 to 1. */
  readonly scam_rate: number;
}

/** What had become of a creator's earlier pools when the token's pool was born. */
interface EarlierPools {
  /** NaN where nothing is known of the creator. */
  readonly pools: number;
  readonly drained: number;
}

/** Pools one would have to see before a creator's own record outweighs the prior. */
const PRIOR_POOLS = 2;
/** Risk of a creator nothing is known of. */
const PRIOR_DRAINED_RATE = 0.5;

/**
 * Risk from the record before the token was created: 100 × (drained + 2 × 0.5) / (pools + 2), a Beta
 * prior of mean one half. From facts, not from verdicts: so it never feeds itself, and the order in
 * which tokens are scored does not change it.
 */
const riskOf = ({ pools, drained }: EarlierPools): number => {
  const [seen, lost] = Number.isFinite(pools) ? [pools, drained] : [0, 0];
  return Math.round((100 * (lost + PRIOR_POOLS * PRIOR_DRAINED_RATE)) / (seen + PRIOR_POOLS));
};

/** The record of a token's creator. Counts and scam rate are as judged at this moment. */
const creatorHistory = (
  creator: Hex,
  made: readonly { readonly is_scam: number }[],
  earlier: EarlierPools,
): CreatorHistory => {
  const own = creator === ZERO_ADDRESS ? [] : made;
  const scams = own.filter(({ is_scam }) => is_scam === 1).length;
  return {
    address: creator,
    risk_score: riskOf(earlier),
    tokens_created: own.length,
    scam_rate: own.length > 0 ? scams / own.length : 0,
  };
};

/** The model's output for a token's main pool. */
export interface ModelOutput {
  readonly margin: number;
  readonly probability: number;
  readonly baseValue: number;
  readonly contributions: Readonly<Record<string, number>>;
}

/** Everything a verdict rests on. */
interface VerdictInput {
  readonly chainId: number;
  readonly subject: Subject;
  readonly creatorTokens: readonly { readonly is_scam: number }[];
  /** The creator's pools before the first market of a token without a pool of Uniswap V2; those of others are features. */
  readonly earlierPools: EarlierPools | undefined;
  readonly holders: StoredHolders | undefined;
  /** How it came to its holders; undefined where that was not read. */
  readonly spread: CheckInput['spread'];
  /** What was bought as its market opened; undefined where nothing was. */
  readonly launch: CheckInput['launch'];
  /** What is shown besides and is in no model: see `walletFeatures`. */
  readonly reported: Readonly<Record<string, number>>;
  readonly model: { readonly name: string; readonly sha256: string };
  readonly output: ModelOutput;
  /** What the model of contract code says; undefined where it cannot judge. */
  readonly code: CodeOutput | undefined;
  /** Share of pools of this age that were drained within a week. */
  readonly priorProbability: number;
  /** Share of scams expected among the tokens of this deployment. */
  readonly priorScamRate: number;
  /** The wrapped native coin, then the stablecoins that the operator prices tokens in. */
  readonly bases: readonly Hex[];
  readonly simulation: TradeSimulation;
  readonly contract: KnownContract | undefined;
  /** What made it due: `birth`, `event`, `request`, or the horizon that its pool had passed. */
  readonly trigger: string;
}

/** A verdict, ready to be stored and shown. */
export interface Verdict extends Decision {
  readonly riskScore: number;
  readonly doc: VerdictDoc;
}

const HEADLINE_COUNT = 5;
const RISK_DECIMALS = 100;
/** Log-odds by which contributions may miss the margin. */
const ADDITIVITY_MAX = 1e-6;

const observed = (features: Float64Array): Record<string, number> =>
  Object.fromEntries(
    FEATURE_NAMES.flatMap((name, i) => {
      const value = features[i];
      return value !== undefined && Number.isFinite(value) ? [[name, value]] : [];
    }),
  );

const isTraded = ({ subject: { pool, markets } }: VerdictInput): boolean =>
  pool !== undefined || markets.length > 0;

/** Share of all features, the headline ones included, that were observed. */
const coverageOf = (input: VerdictInput, observedCount: number): number => {
  const headline =
    (input.holders ? 2 : 0) +
    (input.holders?.is_whole ? 1 : 0) +
    (isTraded(input) ? 1 : 0) +
    (input.creatorTokens.length > 0 ? 1 : 0);
  return (headline + observedCount) / (HEADLINE_COUNT + FEATURE_NAMES.length);
};

/** Nothing where the token has no pool: of a market that is not there the model says nothing. */
const marketEvidence = ({
  subject: { pool },
  output: { baseValue, contributions },
  priorProbability,
}: VerdictInput): MarketEvidence | undefined =>
  pool && { baseValue, contributions, priorProbability };

const checkInput = (
  input: VerdictInput,
  headline: HeadlineFeatures,
  market: MarketEvidence | undefined,
  trades: { readonly purchaseCount: number; readonly saleCount: number },
): CheckInput => {
  const { chainId, bases, subject, launch, holders, simulation } = input;
  const { request, profile, pool, drain, main, locks } = subject;
  const contract = input.contract?.profile;
  return {
    chainId,
    token: request.token,
    bases,
    name: profile.name,
    symbol: profile.symbol,
    pool,
    drain,
    protocol: main?.protocol,
    launch,
    modelProbability: input.output.probability,
    marketEvidence: market ? marketLogOdds(market) : 0,
    ...trades,
    topTenConcentration: headline.top_10_concentration,
    holderCount: headline.holder_count,
    areBalancesKnown: holders?.is_whole ?? false,
    spread: isTraded(input) ? undefined : input.spread,
    simulation,
    contract,
    twins: input.contract?.twins,
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
  { chainId, subject: { profile, asOf, vector }, model, trigger }: VerdictInput,
  coverage: number,
): VerdictDoc['provenance'] => ({
  chain_id: chainId,
  block_number: asOf.block.number,
  block_hash: asOf.block.hash,
  bytecode_hash: profile.code,
  model: model.name,
  model_sha256: model.sha256,
  features_sha256: sha256(vector),
  coverage: Math.min(1, coverage),
  as_of_s: asOf.atS,
  trigger,
});

/** The promise of the document: what is shown adds up to what was decided. */
const assertAdditive = ({ baseValue, contributions, margin }: Decision): void => {
  const sum = Object.values(contributions).reduce((total, value) => total + value, baseValue);
  assert.ok(Math.abs(sum - margin) <= ADDITIVITY_MAX, `contributions add up to ${sum}`);
};

/** Combines features, model and checks into a verdict. Pure: the same input gives the same verdict. */
export const assembleVerdict = (input: VerdictInput): Verdict => {
  const { subject, holders, output } = input;
  const { request, profile, pool, pools, markets, main, locks, asOf } = subject;
  const observedFeatures = observed(subject.vector);
  const earlier = input.earlierPools ?? {
    pools: observedFeatures['creatorPools'] ?? Number.NaN,
    drained: observedFeatures['creatorDrained'] ?? Number.NaN,
  };
  const creator = creatorHistory(profile.creator_address, input.creatorTokens, earlier);
  const creatorRiskScore = creator.risk_score;
  const headline = headlineFeatures({ holders, pools, markets, creatorRiskScore });
  const quote = main && marketQuote(request.token, main, { decimals: profile.decimals, holders });
  const evidence = marketEvidence(input);
  const results = runChecks(
    checkInput(input, headline, evidence, {
      purchaseCount: observedFeatures['buyCount'] ?? 0,
      saleCount: observedFeatures['sellCount'] ?? 0,
    }),
  );
  const checks = results.map(checkOf);
  const decision = decide({
    priorScamRate: input.priorScamRate,
    market: evidence,
    isTraded: isTraded(input),
    code: input.code,
    checks,
  });
  assertAdditive(decision);
  return {
    ...decision,
    riskScore: Math.round(100 * decision.probability * RISK_DECIMALS) / RISK_DECIMALS,
    doc: {
      v: 1,
      features: {
        ...headline,
        ...quote?.features,
        ...observedFeatures,
        ...input.reported,
        // What the model alone says of the market: what recorded pools are evaluated by.
        ...(pool && { market_probability: output.probability }),
        ...lockFeatures(locks, subject.market?.pool, asOf.atS),
      },
      shap_values: decision.contributions,
      base_value: decision.baseValue,
      margin: decision.margin,
      probability: decision.probability,
      creator,
      checks,
      sentences: sentencesOf(results),
      ...(locks.length > 0 && { locks: shownLocks(locks, asOf.atS) }),
      ...(quote && { market: quote.market }),
      provenance: provenanceOf(input, coverageOf(input, Object.keys(observedFeatures).length)),
    },
  };
};
