import { createHash } from 'node:crypto';
import type { BlockRef, Hex } from '../../shared/chain/block.ts';
import type { ScoreMessage } from '../../shared/messages/scoreMessage.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Activity } from './activityStore.ts';
import type { TradeSimulation } from './checks/checkInput.ts';
import type { ContractBook, KnownContract } from './contractBook.ts';
import type { ContractSubject } from './contractReader.ts';
import type { CodeJudgement } from './contractStore.ts';
import type { FeatureStore, PoolRow, TokenFacts, TokenProfileRow } from './featureStore.ts';
import { type WalletSeries, walletFeatures } from './features/walletFeatures.ts';
import type { Model } from './model/model.ts';
import type { PriceStore } from './priceStore.ts';
import type { BasePrices } from './pricing/basePrices.ts';
import type { TradeRequest } from './simulateTrade.ts';
import { assembleVerdict, type ModelOutput } from './verdict/assembleVerdict.ts';
import { priorAtAge } from './verdict/priorAtAge.ts';
import { mainPool, modelFeatures, type ValuedPool, valuePool } from './verdict/tokenFeatures.ts';
import type { StoredPrediction, StoredVerdict, VerdictStore } from './verdictStore.ts';
import type { WalletStore, WalletSubject } from './walletStore.ts';

export interface TokenScorerPorts {
  readonly features: FeatureStore;
  readonly wallets: WalletStore;
  readonly prices: PriceStore;
  readonly model: Model;
  readonly verdicts: VerdictStore;
  /** Tries a purchase and a sale on each main pool; `unknown` where that cannot be done now. */
  readonly simulate: (requests: readonly TradeRequest[]) => Promise<TradeSimulation[]>;
  readonly contracts: ContractBook;
  /** Share of scams expected among the tokens of this deployment. */
  readonly priorScamRate: number;
  /** Last block whose facts are stored in full; undefined before the first. */
  readonly storedUpTo: () => Promise<number | undefined>;
  readonly clock: Clock;
}

/** What scoring a group of tokens gave. */
export interface ScoredGroup {
  readonly messages: readonly ScoreMessage[];
  /** Transfers on record, by token: how costly it is to score. */
  readonly transfers: ReadonlyMap<Hex, number>;
}

export interface TokenScorer {
  /** Scores tokens as of the last facts stored about them, and stores the verdicts. */
  score(chainId: number, activities: readonly Activity[]): Promise<ScoredGroup>;
}

/** One token with all that is known of it. */
interface Subject {
  readonly activity: Activity;
  readonly profile: TokenProfileRow;
  readonly pools: readonly ValuedPool[];
  readonly pool: ValuedPool | undefined;
  readonly asOf: BlockRef & { readonly timestampS: number };
  readonly vector: Float64Array;
}

const PREDICTED_AT_ONCE_MAX = 1_000;

/** The last block that touched the token: in its transfers, its pools, or at its creation. */
const lastTouch = (profile: TokenProfileRow, facts: TokenFacts, pools: readonly PoolRow[]) => {
  const holders = facts.holders.get(profile.address);
  const { created_block: number, created_hash: hash, created_at_s: timestampS } = profile;
  return [
    { number, hash, timestampS },
    ...(holders ? [touchOf(holders)] : []),
    ...pools.map(touchOf),
  ].reduce((last, touch) => (touch.number > last.number ? touch : last));
};

const touchOf = (row: { last_block: number; last_hash: Hex; last_at_s: number }) => ({
  number: row.last_block,
  hash: row.last_hash,
  timestampS: row.last_at_s,
});

const subjectsOf = (
  activities: readonly Activity[],
  facts: TokenFacts,
  prices: BasePrices,
): Subject[] =>
  activities.flatMap((activity) => {
    const profile = facts.profiles.get(activity.token);
    if (!profile) return [];
    const stored = facts.pools.get(activity.token) ?? [];
    const pools = stored.flatMap((row) => valuePool(row, prices) ?? []);
    const pool = mainPool(pools);
    const asOf = lastTouch(profile, facts, stored);
    return [{ activity, profile, pools, pool, asOf, vector: modelFeatures(pool, asOf.timestampS) }];
  });

const sha256 = (vector: Float64Array): string =>
  createHash('sha256')
    .update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
    .digest('hex');

const ageOf = ({ pool, asOf }: Subject): number =>
  asOf.timestampS - (pool?.series.syncs[0]?.timestampS ?? asOf.timestampS);

/** Everything that was learned about a group of tokens, by subject. */
interface Findings {
  readonly facts: TokenFacts;
  readonly outputs: ReadonlyMap<Hex, ModelOutput>;
  readonly simulations: ReadonlyMap<Hex, TradeSimulation>;
  readonly wallets: ReadonlyMap<Hex, WalletSeries>;
  readonly contracts: ReadonlyMap<Hex, KnownContract>;
}

const predict = async (
  model: Model,
  subjects: readonly Subject[],
): Promise<Map<Hex, ModelOutput>> => {
  const outputs: ModelOutput[] = [];
  for (let at = 0; at < subjects.length; at += PREDICTED_AT_ONCE_MAX) {
    const vectors = subjects.slice(at, at + PREDICTED_AT_ONCE_MAX).map(({ vector }) => vector);
    outputs.push(...(await model.predict(vectors)));
  }
  return byToken(
    subjects.map(({ activity }) => activity.token),
    outputs,
  );
};

const byToken = <T>(tokens: readonly Hex[], values: readonly T[]): Map<Hex, T> =>
  new Map(
    tokens.flatMap((token, i) => {
      const value = values[i];
      return value === undefined ? [] : [[token, value] as const];
    }),
  );

const tradeRequests = (subjects: readonly Subject[]): TradeRequest[] =>
  subjects.flatMap(({ activity, pool }) => {
    if (!pool) return [];
    const { pool_address, base_token } = pool.stored;
    return [{ token: activity.token, pool: pool_address, baseToken: base_token }];
  });

const walletSubjects = (subjects: readonly Subject[], facts: TokenFacts): WalletSubject[] =>
  subjects.map(({ activity: { token }, profile, asOf }) => ({
    token,
    creator: profile.creator_address,
    createdS: profile.created_at_s,
    transfers: facts.holders.get(token)?.transfers ?? 0,
    asOfS: asOf.timestampS,
  }));

const contractSubjects = (subjects: readonly Subject[]): ContractSubject[] =>
  subjects.map(({ activity, profile, pool }) => ({
    token: activity.token,
    creator: profile.creator_address,
    codeHash: profile.code,
    pool: pool && { address: pool.stored.pool_address, baseToken: pool.stored.base_token },
  }));

/** Checks that accuse the code: copies of it are as guilty. Drained pools are not the code's fault. */
const CODE_CHECKS: ReadonlySet<string> = new Set([
  'sell_simulation',
  'tokens_delivered',
  'hidden_owner',
  'mint_power',
  'confiscation_power',
]);

const judgementsOf = (
  made: readonly StoredVerdict[],
  contracts: ReadonlyMap<Hex, KnownContract>,
): CodeJudgement[] =>
  made.flatMap(({ token, verdict }) => {
    const contract = contracts.get(token);
    if (!contract) return [];
    const guilty = verdict.doc.checks.find(
      ({ id, status, severity }) =>
        status === 'fail' && severity === 'critical' && CODE_CHECKS.has(id),
    );
    return [{ token, profile: contract.profile, scamCheck: guilty?.id ?? '' }];
  });

const verdictOf = (
  { chainId, model, priorScamRate }: { chainId: number; model: Model; priorScamRate: number },
  subject: Subject,
  { facts, outputs, simulations, wallets, contracts }: Findings,
  analyzedAtMs: number,
): StoredVerdict[] => {
  const { activity, profile, pools, pool, asOf, vector } = subject;
  const { token, position } = activity;
  const output = outputs.get(token);
  if (!output) return [];
  const { creator_address: creator, name, symbol, created_at_s: createdAtS } = profile;
  const contract = contracts.get(token);
  const series = wallets.get(token);
  const verdict = assembleVerdict({
    chainId,
    token,
    name,
    symbol,
    creator,
    creatorTokens: facts.creatorTokens.get(creator) ?? [],
    codeHash: profile.code,
    holders: facts.holders.get(token),
    pools,
    pool,
    modelFeatures: vector,
    reported: series ? walletFeatures(series, asOf.timestampS) : {},
    featuresSha256: sha256(vector),
    model,
    output,
    priorProbability: priorAtAge(model.rugShareByAgeS, ageOf(subject)),
    priorScamRate,
    simulation: simulations.get(token) ?? NOT_SIMULATED,
    contract: contract?.profile,
    twins: contract?.twins,
    asOf,
  });
  return [{ chainId, token, name, symbol, creator, createdAtS, analyzedAtMs, position, verdict }];
};

/** Scores as of what is stored: the same facts give the same verdict, whenever it is made. */
export const createTokenScorer = (ports: TokenScorerPorts): TokenScorer => {
  const { features, wallets, prices, model, verdicts, simulate, contracts, storedUpTo, clock } =
    ports;

  const study = async (
    chainId: number,
    subjects: readonly Subject[],
    facts: TokenFacts,
    upTo: number,
  ): Promise<Findings> => {
    const requests = tradeRequests(subjects);
    const [outputs, simulations, series, known] = await Promise.all([
      predict(model, subjects),
      simulate(requests),
      wallets.read(chainId, walletSubjects(subjects, facts), upTo),
      contracts.study(chainId, contractSubjects(subjects)),
    ]);
    return {
      facts,
      outputs,
      wallets: series,
      contracts: known,
      simulations: byToken(
        requests.map(({ token }) => token),
        simulations,
      ),
    };
  };

  /** Buries the verdicts of tokens that are no more. */
  const buryGone = async (
    chainId: number,
    activities: readonly Activity[],
    facts: TokenFacts,
  ): Promise<void> => {
    const gone = activities.filter(({ token }) => !facts.profiles.has(token));
    const position = Math.max(0, ...gone.map((activity) => activity.position));
    await verdicts.bury(
      chainId,
      gone.map(({ token }) => token),
      position,
    );
  };

  return {
    score: async (chainId, activities) => {
      const tokens = activities.map(({ token }) => token);
      const upTo = (await storedUpTo()) ?? 0;
      const basePrices = await prices.prices(chainId);
      const [facts, previous] = await Promise.all([
        features.read(chainId, tokens, [...basePrices.keys()], upTo),
        verdicts.predictions(chainId, tokens),
      ]);
      const subjects = subjectsOf(activities, facts, basePrices);
      const findings = await study(chainId, subjects, facts, upTo);
      const { priorScamRate } = ports;
      const made = subjects.flatMap((subject) =>
        verdictOf({ chainId, model, priorScamRate }, subject, findings, clock.now()),
      );
      await verdicts.insert(made);
      await contracts.judge(chainId, judgementsOf(made, findings.contracts));
      await buryGone(chainId, activities, facts);
      return {
        messages: made.map((verdict) => messageOf(verdict, previous)),
        transfers: new Map([...facts.holders].map(([token, row]) => [token, row.transfers])),
      };
    },
  };
};

const NOT_SIMULATED: TradeSimulation = {
  kind: 'unknown',
  reason: 'The token has no pool to trade on.',
};

const messageOf = (
  stored: StoredVerdict,
  previous: ReadonlyMap<Hex, StoredPrediction>,
): ScoreMessage => ({
  v: 1,
  chainId: stored.chainId,
  token: stored.token,
  name: stored.name,
  symbol: stored.symbol,
  blockNumber: stored.verdict.doc.provenance.block_number,
  blockHash: stored.verdict.doc.provenance.block_hash as Hex,
  prediction: stored.verdict.prediction,
  confidence: stored.verdict.confidence,
  riskScore: stored.verdict.riskScore,
  previousPrediction: previous.get(stored.token)?.prediction ?? null,
  previousConfidence: previous.get(stored.token)?.confidence ?? null,
  previousRiskScore: previous.get(stored.token)?.riskScore ?? null,
  analyzedAtMs: stored.analyzedAtMs,
});
