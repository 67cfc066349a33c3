import { createHash } from 'node:crypto';
import type { BasePrices } from '../../../shared/chain/basePrices.ts';
import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { PriceStore } from '../../../shared/platform/priceStore.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import type { TradeSimulation } from '../checks/checkInput.ts';
import type { ContractBook, KnownContract } from '../contract/contractBook.ts';
import type { ContractSubject } from '../contract/contractReader.ts';
import type { CodeJudgement } from '../contract/contractStore.ts';
import type {
  FeatureStore,
  HoldersRow,
  TokenFacts,
  TokenProfileRow,
} from '../features/featureStore.ts';
import { mainPool, modelFeatures, type ValuedPool, valuePool } from '../features/tokenFeatures.ts';
import { type WalletSeries, walletFeatures } from '../features/walletFeatures.ts';
import type { WalletStore, WalletSubject } from '../features/walletStore.ts';
import { type Horizon, horizonName, passedHorizonS, priorAtAge } from '../horizon/horizons.ts';
import type { Activity } from '../ingest/activityStore.ts';
import type { Model } from '../model/model.ts';
import { OPCODE_NAMES, opcodeShares } from '../model/opcodeHistogram.ts';
import type { TradeRequest } from '../simulation/simulateTrade.ts';
import type { Announcer } from './announcer.ts';
import { assembleVerdict, type ModelOutput } from './assembleVerdict.ts';
import { type CodeOutput, isJudgeable } from './decide.ts';
import type { StoredPrediction, StoredVerdict, VerdictStore } from './verdictStore.ts';

export interface TokenScorerPorts {
  readonly features: FeatureStore;
  readonly wallets: WalletStore;
  readonly prices: PriceStore;
  readonly model: Model;
  /** Judges the code of contracts. */
  readonly codeModel: Model;
  readonly verdicts: VerdictStore;
  /** Tries a purchase and a sale on each main pool; `unknown` where that cannot be done now. */
  readonly simulate: (requests: readonly TradeRequest[]) => Promise<TradeSimulation[]>;
  readonly contracts: ContractBook;
  /** Share of scams expected among the tokens of this deployment. */
  readonly priorScamRate: number;
  readonly clock: Clock;
}

/** A block up to which facts are stored in full. */
export interface StoredBlock {
  readonly number: number;
  /** Unix seconds. */
  readonly timestampS: number;
}

/** A verdict to be made: as of now, or as of a horizon that the token's pool has passed. */
export interface ScoringRequest extends Activity {
  readonly horizon?: Horizon | undefined;
  /** Whether a client asked for it. */
  readonly isRequested?: boolean | undefined;
}

/** What scoring a group of tokens gave. */
export interface ScoredGroup {
  /** Transfers on record, by token: how costly it is to score. */
  readonly transfers: ReadonlyMap<Hex, number>;
}

/** Verdicts that were made and are not stored yet. */
export interface JudgedGroup extends ScoredGroup {
  readonly verdicts: readonly StoredVerdict[];
  /** Of those in force, what there is to tell. */
  readonly messages: readonly ScoreMessage[];
  readonly judgements: readonly CodeJudgement[];
  /** Tokens that are no more. */
  readonly gone: readonly Activity[];
}

/**
 * Makes verdicts; stores nothing but what it reads of contracts, so that it may be done anywhere and
 * more than once. A token comes once in a group.
 * @param stored last block whose facts are stored in full
 */
export type TokenJudge = (
  chainId: number,
  requests: readonly ScoringRequest[],
  stored: StoredBlock,
) => Promise<JudgedGroup>;

export interface TokenScorer {
  /**
   * Tells of verdicts that were stored before and that a death or a failure kept from being told. `score` begins with
   * it; by itself it is for times in which there is nothing to score.
   */
  settle(): Promise<void>;
  /** Makes verdicts, stores them and tells of those that are news: see `TokenJudge`. One group at a time. */
  score(
    chainId: number,
    requests: readonly ScoringRequest[],
    stored: StoredBlock,
  ): Promise<ScoredGroup>;
}

/** One token with all that is known of it. */
interface Subject {
  readonly request: ScoringRequest;
  readonly profile: TokenProfileRow;
  readonly pools: readonly ValuedPool[];
  readonly pool: ValuedPool | undefined;
  readonly asOf: AsOf;
  readonly vector: Float64Array;
}

/** What a verdict is as of. */
interface AsOf {
  /** The last block that touched the token by then. */
  readonly block: BlockRef;
  /** Unix seconds. */
  readonly atS: number;
  /** Age of the main pool where that is what the time is counted by, seconds; else 0. */
  readonly horizonS: number;
  /** Whether nothing is known that is later. */
  readonly isLatest: boolean;
}

const PREDICTED_AT_ONCE_MAX = 1_000;

/**
 * Seconds of chain time after a horizon within which what the node says of now also says something of then: a contract
 * or a trade that was looked at later is no evidence for it.
 */
const NODE_EVIDENCE_MAX_S = 600;

/**
 * A verdict on request or after an event is as of the later of two times: the last fact that touched the token, or the
 * last horizon its main pool has passed. So the same facts give the same verdict, whatever made it due. A horizon's own
 * verdict is as of the horizon; undefined where the pool was not the main one then.
 */
const asOfRequest = (
  { token, horizon }: ScoringRequest,
  facts: TokenFacts,
  { created_block: number, created_hash: hash, created_at_s }: TokenProfileRow,
  { pool, stored }: { pool: ValuedPool | undefined; stored: StoredBlock },
): AsOf | undefined => {
  const touch = facts.touches.get(token);
  const created = { number, hash, timestampS: created_at_s };
  const block = touch?.block && touch.block.number > number ? touch.block : created;
  const bornS = pool?.stored.born_s ?? 0;
  const passedS = bornS > 0 ? passedHorizonS(bornS, stored.timestampS) : 0;
  if (horizon) {
    const isOfMain = pool?.stored.pool_address === horizon.pool;
    if (!isOfMain || bornS + horizon.horizonS !== horizon.atS) return undefined;
    // A pool can be made for a token that does not exist yet.
    if (created.timestampS > horizon.atS) return undefined;
    const isLatest = passedS === horizon.horizonS && (touch?.latestS ?? 0) <= horizon.atS;
    return { block, atS: horizon.atS, horizonS: horizon.horizonS, isLatest };
  }
  return passedS > 0 && bornS + passedS >= block.timestampS
    ? { block, atS: bornS + passedS, horizonS: passedS, isLatest: true }
    : { block, atS: block.timestampS, horizonS: 0, isLatest: true };
};

const subjectsOf = (
  requests: readonly ScoringRequest[],
  facts: TokenFacts,
  prices: BasePrices,
  stored: StoredBlock,
): Subject[] =>
  requests.flatMap((request) => {
    const profile = facts.profiles.get(request.token);
    if (!profile) return [];
    const rows = facts.pools.get(request.token) ?? [];
    const pools = rows.flatMap((row) => valuePool(row, prices) ?? []);
    const pool = mainPool(pools);
    const asOf = asOfRequest(request, facts, profile, { pool, stored });
    if (!asOf) return [];
    return [{ request, profile, pools, pool, asOf, vector: modelFeatures(pool, asOf.atS) }];
  });

const sha256 = (vector: Float64Array): string =>
  createHash('sha256')
    .update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
    .digest('hex');

const ageOf = ({ pool, asOf }: Subject): number =>
  asOf.atS - (pool?.series.syncs[0]?.timestampS ?? asOf.atS);

/** Those of which the node's state of now tells something. */
const askable = (subjects: readonly Subject[], stored: StoredBlock): Subject[] =>
  subjects.filter(
    ({ asOf }) => asOf.isLatest || stored.timestampS - asOf.atS <= NODE_EVIDENCE_MAX_S,
  );

/** Everything that was learned about a group of tokens, by subject. */
interface Findings {
  readonly facts: TokenFacts;
  readonly outputs: ReadonlyMap<Hex, ModelOutput>;
  readonly simulations: ReadonlyMap<Hex, TradeSimulation>;
  readonly wallets: ReadonlyMap<Hex, WalletSeries>;
  readonly contracts: ReadonlyMap<Hex, KnownContract>;
  readonly codes: ReadonlyMap<Hex, CodeOutput>;
  /** Predictions in force before. */
  readonly previous: ReadonlyMap<Hex, StoredPrediction>;
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
    subjects.map(({ request }) => request.token),
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

/** What the model of code says of the code behind each token that it can judge. */
const judgeCodes = async (
  model: Model,
  contracts: ReadonlyMap<Hex, KnownContract>,
): Promise<Map<Hex, CodeOutput>> => {
  const judged = [...contracts].flatMap(([token, { profile }]) => {
    const histogram = new Float64Array(OPCODE_NAMES.length);
    for (const [column, count] of profile.opcodes) histogram[column] = count;
    return profile.opcodes.length > 0 && isJudgeable(histogram) ? [{ token, histogram }] : [];
  });
  const outputs = await model.predict(judged.map(({ histogram }) => opcodeShares(histogram)));
  return byToken(
    judged.map(({ token }) => token),
    outputs,
  );
};

const tradeRequests = (subjects: readonly Subject[]): TradeRequest[] =>
  subjects.flatMap(({ request, pool }) => {
    if (!pool) return [];
    const { pool_address, base_token } = pool.stored;
    return [{ token: request.token, pool: pool_address, baseToken: base_token }];
  });

const walletSubjects = (subjects: readonly Subject[], facts: TokenFacts): WalletSubject[] =>
  subjects.map(({ request: { token }, profile, asOf }) => ({
    token,
    creator: profile.creator_address,
    createdS: profile.created_at_s,
    transfers: facts.holders.get(token)?.transfers ?? 0,
    asOfS: asOf.atS,
  }));

const contractSubjects = (subjects: readonly Subject[]): ContractSubject[] =>
  subjects.map(({ request, profile, pool }) => ({
    token: request.token,
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
  { facts, outputs, simulations, wallets, contracts, codes, previous }: Findings,
  analyzedAtMs: number,
): StoredVerdict[] => {
  const { request, profile, pools, pool, asOf, vector } = subject;
  const { token, position } = request;
  const { horizonS, atS: asOfS } = asOf;
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
    creatorTokens: (facts.creatorTokens.get(creator) ?? []).filter(
      ({ created_at_s: madeAtS }) => madeAtS <= asOfS,
    ),
    codeHash: profile.code,
    holders: facts.holders.get(token),
    pools,
    pool,
    modelFeatures: vector,
    reported: series ? walletFeatures(series, asOfS) : {},
    featuresSha256: sha256(vector),
    model,
    output,
    code: codes.get(token),
    priorProbability: priorAtAge(model.rugShareByAgeS, ageOf(subject)),
    priorScamRate,
    simulation: simulations.get(token) ?? NOT_SIMULATED,
    contract: contract?.profile,
    twins: contract?.twins,
    asOf: { ...asOf.block, atS: asOfS, trigger: triggerOf(subject, previous.has(token)) },
  });
  const shown = { chainId, token, name, symbol, creator, createdAtS, analyzedAtMs };
  const holders = sharesOf(facts.holders.get(token));
  // Messages that come again after a death lead back for a moment, to before what is in force.
  const isInForce = asOf.isLatest && position >= (previous.get(token)?.position ?? 0);
  return [{ ...shown, position, horizonS, asOfS, isInForce, verdict, holders }];
};

/** Who holds most, as shares of what is held. */
const sharesOf = (row: HoldersRow | undefined): StoredVerdict['holders'] =>
  row ? row.largest.map(([holder, amount]) => [holder, amount / row.held]) : [];

/** What made the verdict due. */
const triggerOf = ({ request, asOf }: Subject, isKnown: boolean): string => {
  if (asOf.horizonS > 0) return horizonName(asOf.horizonS);
  if (request.isRequested) return 'request';
  return isKnown ? 'event' : 'birth';
};

/** Judges as of what is stored: the same facts give the same verdict, whenever it is made. */
export const createTokenJudge = (ports: TokenScorerPorts): TokenJudge => {
  const { features, wallets, prices, model, verdicts, simulate, contracts, clock } = ports;

  const study = async (
    chainId: number,
    subjects: readonly Subject[],
    facts: TokenFacts,
    stored: StoredBlock,
  ): Promise<Pick<Findings, 'outputs' | 'simulations' | 'wallets' | 'contracts' | 'codes'>> => {
    const asked = askable(subjects, stored);
    const requests = tradeRequests(asked);
    const [outputs, simulations, series, known] = await Promise.all([
      predict(model, subjects),
      simulate(requests),
      wallets.read(chainId, walletSubjects(subjects, facts), stored.number),
      contracts.study(chainId, contractSubjects(asked)),
    ]);
    const traded = requests.map(({ token }) => token);
    const simulated = byToken(traded, simulations);
    const codes = await judgeCodes(ports.codeModel, known);
    return { outputs, simulations: simulated, wallets: series, contracts: known, codes };
  };

  return async (chainId, requests, stored) => {
    const tokens = requests.map(({ token }) => token);
    const basePrices = await prices.prices(chainId);
    const [facts, previous] = await Promise.all([
      features.read(chainId, tokens, [...basePrices.keys()], stored.number, asOfTimes(requests)),
      verdicts.predictions(chainId, tokens),
    ]);
    const subjects = subjectsOf(requests, facts, basePrices, stored);
    const findings = { ...(await study(chainId, subjects, facts, stored)), facts, previous };
    const { priorScamRate } = ports;
    const made = subjects.flatMap((subject) =>
      verdictOf({ chainId, model, priorScamRate }, subject, findings, clock.now()),
    );
    const inForce = made.filter(({ isInForce }) => isInForce);
    return {
      verdicts: made,
      judgements: judgementsOf(inForce, findings.contracts),
      gone: requests.filter(({ token, horizon }) => !horizon && !facts.profiles.has(token)),
      messages: inForce.map((verdict) => messageOf(verdict, previous)),
      transfers: new Map([...facts.holders].map(([token, row]) => [token, row.transfers])),
    };
  };
};

/** Stores what `judge` made of tokens, and tells of it. */
export const createTokenScorer = (
  {
    verdicts,
    contracts,
    announcer,
  }: Pick<TokenScorerPorts, 'verdicts' | 'contracts'> & {
    readonly announcer: Announcer;
  },
  judge: TokenJudge,
): TokenScorer => ({
  settle: () => announcer.settle(),
  score: async (chainId, requests, stored) => {
    // First: what a verdict changes is compared with what others were told.
    await announcer.settle();
    const judged = await judge(chainId, requests, stored);
    const { gone } = judged;
    // Before the verdicts: a token that has its verdict is not judged again after a death.
    await contracts.judge(chainId, judged.judgements);
    await announcer.tell(judged.messages, (news) => verdicts.insert(judged.verdicts, news));
    await verdicts.bury(
      chainId,
      gone.map(({ token }) => token),
      Math.max(0, ...gone.map(({ position }) => position)),
    );
    return judged;
  },
});

const asOfTimes = (requests: readonly ScoringRequest[]): Map<Hex, number> =>
  new Map(requests.flatMap(({ token, horizon }) => (horizon ? [[token, horizon.atS]] : [])));

const NOT_SIMULATED: TradeSimulation = {
  kind: 'unknown',
  reason: sentence('noPoolToTrade'),
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
