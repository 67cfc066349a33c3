import type { Hex } from '../../../shared/chain/block.ts';
import type { PriceStore } from '../../../shared/market/priceStore.ts';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { ContractCache, KnownContract } from '../contract/contractCache.ts';
import type { CodeLabel } from '../contract/contractStore.ts';
import type { FeatureStore, TokenFacts } from '../features/featureStore.ts';
import type { HolderSalesStore } from '../features/holderSalesStore.ts';
import type { WalletStore } from '../features/walletStore.ts';
import type { Activity } from '../ingest/activityStore.ts';
import type { PriorScamRates } from '../learning/learner.ts';
import type { MarketModels } from '../learning/modelChoice.ts';
import type { LockProber } from '../locks/lockProber.ts';
import type { Model, Prediction } from '../model/model.ts';
import { OPCODE_NAMES, opcodeShares } from '../model/opcodeHistogram.ts';
import type { KnownPairs } from '../pool/knownPairs.ts';
import type { LaunchStore } from '../pool/launchStore.ts';
import type { TokenMarketStore } from '../pool/tokenMarkets.ts';
import type { Simulations } from '../simulation/simulations.ts';
import type { Findings } from './assembleVerdict.ts';
import { type CodeOutput, isScorable } from './decide.ts';
import {
  asOfTimes,
  contractSubjects,
  heldTokens,
  launchPlaces,
  lockQuestions,
  pairsToCheck,
  type ScoringRequest,
  type StoredBlock,
  type Subject,
  subjectsOf,
  tradedTokens,
  tradeRequests,
  walletSubjects,
  withLocks,
  withMarkets,
  withNodeEvidence,
} from './subjects.ts';
import { codeLabelsOf, messageOf, verdictOf } from './verdictOf.ts';
import type { VerdictOutbox } from './verdictOutbox.ts';
import type { LastVerdict, StoredVerdict, VerdictStore } from './verdictStore.ts';

export interface TokenScorerPorts extends Simulations {
  readonly features: FeatureStore;
  readonly markets: TokenMarketStore;
  readonly knownPairs: KnownPairs;
  readonly locks: LockProber;
  readonly launches: LaunchStore;
  readonly holderSales: HolderSalesStore;
  readonly wallets: WalletStore;
  readonly prices: PriceStore;
  /** The models of markets in force. */
  readonly models: () => Promise<MarketModels>;
  /** Scores the code of contracts. */
  readonly codeModel: Model;
  readonly verdicts: Pick<VerdictStore, 'last' | 'insert' | 'insertTombstones'>;
  readonly contracts: ContractCache;
  readonly outbox: VerdictOutbox;
  readonly priors: () => Promise<PriorScamRates>;
  /** The wrapped native coin, then the stablecoins that tokens are priced in. */
  readonly bases: readonly Hex[];
  readonly clock: Clock;
}

/** What scoring tokens gave. */
interface ScoredTokens {
  /** Transfers on record, by token: how costly it is to score. */
  readonly transfers: ReadonlyMap<Hex, number>;
}

/** Verdicts that were made and are not stored yet. */
export interface ScoredBatch extends ScoredTokens {
  readonly verdicts: readonly StoredVerdict[];
  /** The verdicts that they replace. */
  readonly last: ReadonlyMap<Hex, LastVerdict>;
  /** The messages on those in force. */
  readonly messages: readonly ScoreMessage[];
  readonly codeLabels: readonly CodeLabel[];
  /** Tokens that a reorg removed. */
  readonly deleted: readonly Activity[];
}

export interface TokenScorer {
  /**
   * Publishes verdicts that were stored before a crash or a failure and not published. `score` begins with it; by itself
   * it is for times in which there is nothing to score.
   */
  flush(): Promise<void>;
  /**
   * Makes verdicts, stores them and publishes those that are recent. The same facts give the same verdict, whenever it
   * is made. A token comes once in a batch; one batch at a time.
   * @param stored last block whose facts are stored in full
   */
  score(
    chainId: number,
    requests: readonly ScoringRequest[],
    stored: StoredBlock,
  ): Promise<ScoredTokens>;
}

/** What the models say of each market: that of lives of those that are older than a day. */
const predict = async (
  { model, lifeModel }: MarketModels,
  subjects: readonly Subject[],
): Promise<Map<Hex, Prediction>> => {
  const older = subjects.filter(({ life }) => life !== undefined);
  const younger = subjects.filter(({ life }) => life === undefined);
  const [ofOlder, ofYounger] = await Promise.all([
    lifeModel.predict(older.flatMap(({ life }) => life ?? [])),
    model.predict(younger.map(({ vector }) => vector)),
  ]);
  return byToken(
    [...older, ...younger].map(({ request }) => request.token),
    [...ofOlder, ...ofYounger],
  );
};

const byToken = <T>(tokens: readonly Hex[], values: readonly T[]): Map<Hex, T> =>
  new Map(
    tokens.flatMap((token, i) => {
      const value = values[i];
      return value === undefined ? [] : [[token, value] as const];
    }),
  );

/** What the model of code says of the code behind each token, where there is enough of it. */
const scoreCodes = async (
  model: Model,
  contracts: ReadonlyMap<Hex, KnownContract>,
): Promise<Map<Hex, CodeOutput>> => {
  const scorable = [...contracts].flatMap(([token, { profile }]) => {
    const histogram = new Float64Array(OPCODE_NAMES.length);
    for (const [column, count] of profile.opcodes) histogram[column] = count;
    return profile.opcodes.length > 0 && isScorable(histogram) ? [{ token, histogram }] : [];
  });
  const outputs = await model.predict(scorable.map(({ histogram }) => opcodeShares(histogram)));
  return byToken(
    scorable.map(({ token }) => token),
    outputs,
  );
};

/** First stage: what ClickHouse holds of the tokens, and which subjects that makes. */
const readFacts = async (
  { prices, features, markets, knownPairs, verdicts }: TokenScorerPorts,
  chainId: number,
  requests: readonly ScoringRequest[],
  stored: StoredBlock,
) => {
  const tokens = requests.map(({ token }) => token);
  const basePrices = await prices.prices(chainId);
  const bases = [...basePrices.keys()];
  const [facts, found, last] = await Promise.all([
    features.read(chainId, tokens, bases, stored.number, asOfTimes(requests)),
    markets.find({ chainId, tokens, bases, upTo: stored.number }),
    verdicts.last(chainId, tokens),
  ]);
  const previous = new Map([...last].filter(([, { isDeleted }]) => !isDeleted));
  const known = await knownPairs.among(pairsToCheck(facts, found));
  const subjects = subjectsOf(requests, facts, basePrices, stored, known);
  const others = found.map(({ base }) => base).filter((base) => !basePrices.has(base));
  const routed = others.length > 0 ? await prices.routed(chainId, others) : new Map();
  const traded = await withMarkets(markets, chainId, subjects, {
    found,
    facts,
    prices: basePrices,
    routed,
    known,
  });
  return { facts, last, previous, traded };
};

/** The subjects with their locks, and what the model says of them. */
const studyLocks = async (
  locks: LockProber,
  chainId: number,
  { traded, models }: { traded: readonly Subject[]; models: MarketModels },
  stored: StoredBlock,
) => {
  const locked = await locks.study(chainId, lockQuestions(traded, stored), stored.number);
  const subjects = traded.map((subject) => {
    const own = locked.get(subject.request.token);
    return own ? withLocks(subject, own) : subject;
  });
  return { subjects, outputs: await predict(models, subjects) };
};

/** Second stage: what locks, models, wallets, the contract and a simulated trade say of each subject, all asked at once. */
const examine = async (
  ports: TokenScorerPorts,
  chainId: number,
  {
    traded,
    facts,
    models,
  }: { traded: readonly Subject[]; facts: TokenFacts; models: MarketModels },
  stored: StoredBlock,
): Promise<Omit<Findings, 'facts'> & { subjects: readonly Subject[] }> => {
  const current = withNodeEvidence(traded, stored);
  const requests = tradeRequests(current);
  const readTrades = async () => {
    const trades = await ports.holderSales.read(chainId, tradedTokens(traded), stored.number);
    const held = heldTokens(current, trades);
    const trials = await ports.tryHolders(held, stored);
    return {
      trades,
      trials: new Map(
        trials.flatMap((one, i) => (one && held[i] ? [[held[i].token, one] as const] : [])),
      ),
    };
  };
  const [{ subjects, outputs }, simulations, wallets, contracts, launches, { trades, trials }] =
    await Promise.all([
      studyLocks(ports.locks, chainId, { traded, models }, stored),
      ports.simulate(requests, stored),
      ports.wallets.read(chainId, walletSubjects(traded, facts), stored.number),
      ports.contracts.study(chainId, contractSubjects(current), stored.number),
      ports.launches.read(chainId, launchPlaces(traded), stored.number),
      readTrades(),
    ]);
  const tried = requests.map(({ token }) => token);
  const codes = await scoreCodes(ports.codeModel, contracts);
  return {
    subjects,
    outputs,
    simulations: byToken(tried, simulations),
    wallets,
    contracts,
    codes,
    launches,
    trades,
    trials,
  };
};

/** Third stage: the verdicts, and what follows from them. Stores nothing. */
const scoreBatch = async (
  ports: TokenScorerPorts,
  chainId: number,
  requests: readonly ScoringRequest[],
  stored: StoredBlock,
): Promise<ScoredBatch> => {
  const { facts, last, previous, traded } = await readFacts(ports, chainId, requests, stored);
  const { bases, clock } = ports;
  const [models, priors] = await Promise.all([ports.models(), ports.priors()]);
  const { subjects, ...examined } = await examine(
    ports,
    chainId,
    { traded, facts, models },
    stored,
  );
  const findings = { ...examined, facts, previous };
  const verdicts = subjects.flatMap((subject) =>
    verdictOf({ chainId, ...models, priors, bases }, subject, findings, clock.now()),
  );
  const inForce = verdicts.filter(({ isInForce }) => isInForce);
  return {
    verdicts,
    last,
    messages: inForce.map((verdict) => messageOf(verdict, previous)),
    codeLabels: codeLabelsOf(inForce, findings.contracts),
    deleted: requests.filter(({ token, horizon }) => !horizon && !facts.profiles.has(token)),
    transfers: new Map([...facts.holders].map(([token, row]) => [token, row.transfers])),
  };
};

/** Last stage: stores a batch and publishes it, after what an earlier one left unpublished. */
export const storeBatch = async (
  { verdicts, contracts, outbox }: Pick<TokenScorerPorts, 'verdicts' | 'contracts' | 'outbox'>,
  chainId: number,
  makeBatch: () => Promise<ScoredBatch>,
): Promise<ScoredBatch> => {
  // First: a verdict says what it changes of the one that was published last.
  await outbox.flush();
  const batch = await makeBatch();
  // Before the verdicts: a token that has its verdict is not scored again after a crash.
  await contracts.label(chainId, batch.codeLabels);
  await outbox.publish(batch.messages, (messages) =>
    verdicts.insert(batch.verdicts, messages, batch.last),
  );
  await verdicts.insertTombstones(
    chainId,
    batch.deleted.map(({ token }) => token),
    Math.max(0, ...batch.deleted.map(({ position }) => position)),
  );
  return batch;
};

export const createTokenScorer = (ports: TokenScorerPorts): TokenScorer => ({
  flush: () => ports.outbox.flush(),
  score: (chainId, requests, stored) =>
    storeBatch(ports, chainId, () => scoreBatch(ports, chainId, requests, stored)),
});
