import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { NAMED_BY_HASH } from '../../../shared/chain/protocol.ts';
import { loggedBy } from '../../../shared/market/marketReads.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import type { HolderTrials, TradeSimulation } from '../checks/checkInput.ts';
import { isDrained } from '../checks/marketChecks.ts';
import type {
  ContractCache,
  KnownContract,
  KnownSubject,
  StoredProfiles,
} from '../contract/contractCache.ts';
import type { TokenFacts } from '../features/featureStore.ts';
import type { HolderSalesStore, HolderTrades } from '../features/holderSalesStore.ts';
import type { TradedMarket, TradedToken } from '../features/readTrades.ts';
import { modelFeatures } from '../features/tokenFeatures.ts';
import type { WalletSeries } from '../features/walletFeatures.ts';
import type { WalletStore, WalletSubject } from '../features/walletStore.ts';
import type { MarketModels } from '../learning/modelChoice.ts';
import { isBelieved } from '../locks/lockFeatures.ts';
import type { LockProber, LockQuestion } from '../locks/lockProber.ts';
import type { StudiedLock } from '../locks/studiedLock.ts';
import type { Model, Prediction } from '../model/model.ts';
import { OPCODE_NAMES, opcodeShares } from '../model/opcodeHistogram.ts';
import type { Launch, LaunchPlace, LaunchStore } from '../pool/launchStore.ts';
import { poolHolder } from '../pool/poolKind.ts';
import type { HeldToken } from '../simulation/holderTrials.ts';
import type { Simulations, TradeRequest } from '../simulation/simulations.ts';
import { type CodeOutput, isScorable } from './decide.ts';
import type { StoredBlock, Subject } from './readSubjects.ts';

/** Dependencies of gathering evidence. */
export interface EvidencePorts extends Simulations {
  readonly locks: LockProber;
  readonly launches: LaunchStore;
  readonly holderSales: HolderSalesStore;
  readonly wallets: WalletStore;
  readonly contracts: Pick<ContractCache, 'beyondRound' | 'study'>;
  /** Scores the code of contracts. */
  readonly codeModel: Model;
  /** Whether the stored facts reach the head: otherwise the node's current state is no evidence for them. */
  readonly isLive: () => boolean;
}

/** All evidence about a batch of tokens. */
export interface Evidence {
  readonly outputs: ReadonlyMap<Hex, Prediction>;
  readonly simulations: ReadonlyMap<Hex, TradeSimulation>;
  readonly wallets: ReadonlyMap<Hex, WalletSeries>;
  readonly contracts: ReadonlyMap<Hex, KnownContract>;
  /** Output of the contract-code model; absent if it cannot judge. */
  readonly codes: ReadonlyMap<Hex, CodeOutput>;
  readonly launches: ReadonlyMap<Hex, Launch>;
  /** Trades of holders, in markets of any protocol. */
  readonly trades: ReadonlyMap<Hex, HolderTrades>;
  /** What buyers can do now. */
  readonly trials: ReadonlyMap<Hex, HolderTrials>;
}

/** Seconds of chain time after a horizon within which the node's current state still counts as evidence. */
const NODE_EVIDENCE_MAX_S = 600;

/** Subjects for which the node's current state is evidence. */
const withNodeEvidence = (subjects: readonly Subject[], stored: StoredBlock): Subject[] =>
  subjects.filter(
    ({ asOf }) => asOf.isLatest || stored.timestampS - asOf.atS <= NODE_EVIDENCE_MAX_S,
  );

/** Queries about the locks of subjects. */
const lockQuestions = (subjects: readonly Subject[], stored: StoredBlock): LockQuestion[] => {
  const current = new Set(withNodeEvidence(subjects, stored));
  return subjects.map((subject) => {
    const { request, profile, pools, markets, asOf } = subject;
    return {
      token: request.token,
      creator: profile.creator_address,
      pools: [
        ...pools.map(({ stored: { pool_address: pool } }) => pool),
        ...markets.filter(({ kind }) => kind === 'solidly').map(({ pool }) => pool),
      ],
      concentrated: markets.filter(({ kind }) => kind === 'concentrated').map(({ pool }) => pool),
      untilS: asOf.isLatest ? undefined : asOf.atS,
      isCurrent: current.has(subject),
    };
  });
};

/** A subject with its locks: contracts that proved to lock liquidity count for the model like known ones. */
const withLocks = (subject: Subject, locks: readonly StudiedLock[]): Subject => {
  const { pool, asOf } = subject;
  const lp = pool?.series.lp;
  const believed = locks.filter(
    (lock) => lock.market === pool?.stored.pool_address && isBelieved(lock, asOf.atS),
  );
  if (!pool || !lp || believed.length === 0) return { ...subject, locks };
  const lockers = new Set<string>(believed.map(({ locker }) => locker));
  const secured = { ...pool, series: { ...pool.series, lp: { ...lp, lockers } } };
  return { ...subject, pool: secured, vector: modelFeatures(secured, asOf.atS), locks };
};

/** Queries about trades of the tokens that have a market. */
const tradeRequests = (subjects: readonly Subject[]): TradeRequest[] =>
  subjects.flatMap(({ request, market }) => {
    if (!market) return [];
    const { kind, pool, entry, baseToken, base } = market;
    const [first] = market.isRouted ? base.route : [];
    // For managers, which hold the assets of all their pools, the route names the pool.
    const lender = first && !NAMED_BY_HASH.has(first.protocol) ? first.market : undefined;
    return [{ kind, token: request.token, pool, entry, baseToken, lender }];
  });

const walletSubjects = (subjects: readonly Subject[], facts: TokenFacts): WalletSubject[] =>
  subjects.map(({ request: { token }, profile, asOf }) => ({
    token,
    creator: profile.creator_address,
    createdS: profile.created_at_s,
    stored: facts.transfers.get(token),
    asOfS: asOf.atS,
  }));

/** Where a token is traded: its Uniswap V2 pools, and all other markets. */
const tradedMarkets = ({ pools, markets }: Subject): TradedMarket[] => [
  ...pools.map(({ stored: { pool_address: pool, token_is_0 } }) => ({
    market: pool,
    manager: ZERO_ADDRESS,
    holder: pool,
    isToken0: token_is_0 === 1,
    isUniswapV2: true,
  })),
  ...markets.map(({ protocol, kind, pool, entry, isToken0 }) => {
    const manager = loggedBy({ protocol, factory: entry?.manager ?? ZERO_ADDRESS });
    const holder = poolHolder({ kind, pool, entry });
    return { market: pool, manager, holder, isToken0, isUniswapV2: false };
  }),
];

/** Tokens whose holders' trades are read. */
const tradedTokens = (subjects: readonly Subject[], { touches }: TokenFacts): TradedToken[] =>
  subjects.flatMap((subject) => {
    const { token } = subject.request;
    const markets = tradedMarkets(subject);
    if (markets.length === 0) return [];
    const hasFailedSales = touches.get(token)?.hasFailedSales ?? false;
    return [{ token, creator: subject.profile.creator_address, markets, hasFailedSales }];
  });

/**
 * Tokens whose holders' sales are simulated: on pools that are not drained. On a curve, tokens do not move freely
 * yet.
 */
const heldTokens = (
  subjects: readonly Subject[],
  trades: ReadonlyMap<Hex, HolderTrades>,
): HeldToken[] =>
  subjects.flatMap(({ request: { token }, market, pools }) => {
    const holders = trades.get(token);
    if (!holders || !market || market.kind === 'curve' || market.kind === 'bonding') return [];
    const pool = pools.find(({ stored }) => stored.pool_address === market.pool);
    if (pool && isDrained(pool)) return [];
    const { kind, baseToken } = market;
    return [{ token, kind, pool: poolHolder(market), baseToken, holders }];
  });

const contractSubjects = (subjects: readonly Subject[], { touches }: TokenFacts): KnownSubject[] =>
  subjects.map(({ request, profile, market }) => ({
    token: request.token,
    ownershipBlock: touches.get(request.token)?.ownershipBlock ?? 0,
    creator: profile.creator_address,
    createdTx: profile.created_tx_hash,
    codeHash: profile.code,
    // Owner powers are simulated on pools only: on a curve, tokens do not move freely yet.
    pool: market?.kind === 'curve' || market?.kind === 'bonding' ? undefined : market,
  }));

/** Where the launches of subjects are looked for. */
const launchPlaces = (subjects: readonly Subject[]): LaunchPlace[] =>
  subjects.flatMap(({ request: { token }, profile: { creator_address: creator }, main }) =>
    main ? [{ token, creator, holder: poolHolder(main) }] : [],
  );

/** The models' outputs for each market: those older than a day use the model of pool lives. */
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

const byToken = <T>(tokens: readonly Hex[], values: readonly (T | undefined)[]): Map<Hex, T> =>
  new Map(
    tokens.flatMap((token, i) => {
      const value = values[i];
      return value === undefined ? [] : [[token, value] as const];
    }),
  );

/** The code model's output for each token's code, if there is enough of it. */
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

const CATCHING_UP: TradeSimulation = { kind: 'unknown', reason: sentence('behindHead') };

/** The subjects with their locks, and the models' outputs. */
const studyLocks = async (
  { locks }: EvidencePorts,
  chainId: number,
  { subjects, models }: { subjects: readonly Subject[]; models: MarketModels },
  stored: StoredBlock,
) => {
  const found = await locks.study(chainId, lockQuestions(subjects, stored), stored.number);
  const locked = subjects.map((subject) => {
    const own = found.get(subject.request.token);
    return own ? withLocks(subject, own) : subject;
  });
  return { subjects: locked, outputs: await predict(models, locked) };
};

/** What holders did, and what buyers can do now. */
const studyHolders = async (
  { holderSales, tryHolders, isLive }: EvidencePorts,
  chainId: number,
  {
    subjects,
    current,
    facts,
  }: { subjects: readonly Subject[]; current: readonly Subject[]; facts: TokenFacts },
  stored: StoredBlock,
): Promise<Pick<Evidence, 'trades' | 'trials'>> => {
  const trades = await holderSales.read(chainId, tradedTokens(subjects, facts), stored.number);
  const held = heldTokens(current, trades);
  const trials = isLive() ? await tryHolders(held, stored) : [];
  return {
    trades,
    trials: byToken(
      held.map(({ token }) => token),
      trials,
    ),
  };
};

/** Results of the first step of a verdict. */
interface ReadSubjects {
  readonly subjects: readonly Subject[];
  readonly facts: TokenFacts;
  /** The models of markets in force. */
  readonly models: MarketModels;
  readonly profiles: StoredProfiles;
}

const without = (subjects: readonly Subject[], left: ReadonlySet<Hex>): Subject[] =>
  subjects.filter(({ request }) => !left.has(request.token));

/**
 * Second step of a verdict: collects in parallel what locks, models, wallets, holders, the contract and simulated
 * trades show for each subject.
 * @returns the subjects with their locks too, without those whose contract is left to a later round: they have no
 * verdict without it
 */
export const gatherEvidence = async (
  ports: EvidencePorts,
  chainId: number,
  { subjects: all, facts, models, profiles }: ReadSubjects,
  stored: StoredBlock,
): Promise<
  Evidence & { readonly subjects: readonly Subject[]; readonly postponed: ReadonlySet<Hex> }
> => {
  const tokens = withNodeEvidence(all, stored).map(({ request }) => request.token);
  // Before any simulation: a burst of new tokens would otherwise be simulated again in each round they wait.
  const beyond = ports.contracts.beyondRound(tokens, profiles);
  const subjects = without(all, beyond);
  const current = withNodeEvidence(subjects, stored);
  const requests = tradeRequests(current);
  const [locked, simulations, wallets, studied, launches, holders] = await Promise.all([
    studyLocks(ports, chainId, { subjects, models }, stored),
    ports.isLive() ? ports.simulate(requests, stored) : requests.map(() => CATCHING_UP),
    ports.wallets.read(chainId, walletSubjects(subjects, facts), stored.number),
    ports.contracts.study(chainId, contractSubjects(current, facts), profiles),
    ports.launches.read(chainId, launchPlaces(subjects), stored.number),
    studyHolders(ports, chainId, { subjects, current, facts }, stored),
  ]);
  const tried = requests.map(({ token }) => token);
  return {
    ...holders,
    subjects: without(locked.subjects, studied.postponed),
    outputs: locked.outputs,
    simulations: byToken(tried, simulations),
    wallets,
    contracts: studied.known,
    postponed: new Set([...beyond, ...studied.postponed]),
    launches,
    codes: await scoreCodes(ports.codeModel, studied.known),
  };
};
