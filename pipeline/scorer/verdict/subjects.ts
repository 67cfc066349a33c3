import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import { NAMED_BY_HASH } from '../../../shared/chain/protocol.ts';
import type { BasePrices } from '../../../shared/market/basePrices.ts';
import { LISTED_USD_MIN } from '../../../shared/market/listedPools.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { isDrained } from '../checks/marketChecks.ts';
import type { ContractSubject } from '../contract/contractProfile.ts';
import type { TokenFacts, TokenProfileRow } from '../features/featureStore.ts';
import type { HolderTrades, TradedToken } from '../features/holderSalesStore.ts';
import { wholeUnits } from '../features/poolSync.ts';
import {
  isDoubtful,
  lifeFeatures,
  type MarketDrain,
  mainMarket,
  mainPool,
  marketDrain,
  modelFeatures,
  type ValuedMarket,
  type ValuedPool,
  valueMarket,
  valuePool,
} from '../features/tokenFeatures.ts';
import type { WalletSubject } from '../features/walletStore.ts';
import { type Horizon, passedHorizonS } from '../horizon/horizons.ts';
import type { Activity } from '../ingest/activityStore.ts';
import { isBelieved } from '../locks/lockFeatures.ts';
import type { LockQuestion } from '../locks/lockProber.ts';
import type { StudiedLock } from '../locks/studiedLock.ts';
import type { Pair } from '../pool/knownPairs.ts';
import type { LaunchPlace } from '../pool/launchStore.ts';
import { poolHolder } from '../pool/poolKind.ts';
import type { TokenMarket, TokenMarketStore } from '../pool/tokenMarkets.ts';
import { expectedPurchase } from '../simulation/expectedPurchase.ts';
import type { HeldToken } from '../simulation/holderTrials.ts';
import type { TradeRequest } from '../simulation/simulateTrade.ts';

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

/** One token with all that is known of it. */
export interface Subject {
  readonly request: ScoringRequest;
  readonly profile: TokenProfileRow;
  readonly pools: readonly ValuedPool[];
  /** The pool of Uniswap V2 that ever held most: what the model of the market looks at. */
  readonly pool: ValuedPool | undefined;
  /** All other markets. */
  readonly markets: readonly ValuedMarket[];
  /** Whether it has further markets, against tokens whose price is not known. */
  readonly hasUnpricedMarket?: boolean;
  /** Known where markets beside Uniswap V2 are nearly empty. */
  readonly drain?: MarketDrain | undefined;
  /** The deepest of all, where its price comes from. */
  readonly main: ValuedMarket | undefined;
  /** The deepest one against a base token, where trades are tried; else the deepest of all. */
  readonly market: ValuedMarket | undefined;
  /** What is locked of it and of its liquidity. */
  readonly locks: readonly StudiedLock[];
  readonly asOf: AsOf;
  readonly vector: Float64Array;
  /** Features of the whole life of `pool` where it is older than a day. */
  readonly life?: Float64Array | undefined;
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

/**
 * Seconds of chain time after a horizon within which the node's current state is still evidence: a contract or a trade
 * that was looked at later is none.
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
  const firstSyncS = pool?.stored.first_sync_s ?? 0;
  const passedS = firstSyncS > 0 ? passedHorizonS(firstSyncS, stored.timestampS) : 0;
  if (horizon) {
    const isOfMain = pool?.stored.pool_address === horizon.pool;
    if (!isOfMain || firstSyncS + horizon.horizonS !== horizon.atS) return undefined;
    // A pool can be made for a token that does not exist yet.
    if (created.timestampS > horizon.atS) return undefined;
    const isLatest = passedS === horizon.horizonS && (touch?.latestS ?? 0) <= horizon.atS;
    return { block, atS: horizon.atS, horizonS: horizon.horizonS, isLatest };
  }
  return passedS > 0 && firstSyncS + passedS >= block.timestampS
    ? { block, atS: firstSyncS + passedS, horizonS: passedS, isLatest: true }
    : { block, atS: block.timestampS, horizonS: 0, isLatest: true };
};

/** Pools whose reserves may be made up: those of tokens that are traded elsewhere too. */
export const pairsToCheck = (facts: TokenFacts, found: readonly TokenMarket[]): Pair[] => {
  const others = new Set(found.map(({ token }) => token));
  return [...facts.pools].flatMap(([token, rows]) =>
    rows.length > 1 || others.has(token)
      ? rows.map(({ pool_address: pool, base_token }): Pair => {
          return { pool, tokens: [token, base_token] };
        })
      : [],
  );
};

/**
 * A token's pools without those of unknown factories, where it is traded on a market of a known one: anybody can make a contract that logs any
 * reserves, rising and falling. Where a token is traded on such pools only, they count.
 * @param known pools that a known factory lists; undefined: no factory is known
 */
const countedPools = (
  pools: readonly ValuedPool[],
  markets: readonly ValuedMarket[],
  known: ReadonlySet<Hex> | undefined,
): readonly ValuedPool[] => {
  if (!known) return pools;
  const listed = pools.filter(({ stored }) => known.has(stored.pool_address));
  const isElsewhere =
    markets.some((market) => !isDoubtful(market) && market.liquidityUsd >= LISTED_USD_MIN) ||
    listed.some(
      ({ stored, base }) =>
        2 * wholeUnits(stored.peak_base, base.decimals) * base.priceUsd >= LISTED_USD_MIN,
    );
  return isElsewhere ? listed : pools;
};

/**
 * What the facts say of each request; none for tokens that are not there, or pools that were not the main one.
 * @param known pools that a known factory lists; undefined: no factory is known
 */
export const subjectsOf = (
  requests: readonly ScoringRequest[],
  facts: TokenFacts,
  prices: BasePrices,
  stored: StoredBlock,
  known?: ReadonlySet<Hex>,
): Subject[] =>
  requests.flatMap((request) => {
    const profile = facts.profiles.get(request.token);
    if (!profile) return [];
    const rows = facts.pools.get(request.token) ?? [];
    const valued = rows.flatMap((row) => valuePool(row, prices) ?? []);
    const pools = countedPools(valued, [], known);
    const pool = mainPool(pools);
    const asOf = asOfRequest(request, facts, profile, { pool, stored });
    if (!asOf) return [];
    const vector = modelFeatures(pool, asOf.atS);
    const life = lifeFeatures(pool, asOf.atS);
    const market = mainMarket(pool ? [pool] : [], []);
    const main = mainMarket(pools, []);
    return [
      { request, profile, pools, pool, markets: [], main, market, locks: [], asOf, vector, life },
    ];
  });

/** Prices of tokens by routes that do not lead through the token they are to value. */
const pricesBeside = (routed: BasePrices, token: Hex): BasePrices =>
  new Map([...routed].filter(([, { route }]) => route.every(({ from }) => from !== token)));

/** Subjects with all their markets, as of their last block. Reads nothing where there are no others than pools of Uniswap V2. */
export const withMarkets = async (
  store: TokenMarketStore,
  chainId: number,
  subjects: readonly Subject[],
  {
    found,
    facts,
    prices,
    routed,
    known,
  }: {
    found: readonly TokenMarket[];
    facts: TokenFacts;
    prices: BasePrices;
    routed: BasePrices;
    known: ReadonlySet<Hex> | undefined;
  },
): Promise<Subject[]> => {
  if (found.length === 0) return [...subjects];
  const untilByToken = new Map(
    subjects.map(({ request, asOf }) => [request.token, asOf.block.number]),
  );
  const places = found.map((market) => ({
    market,
    untilBlock: untilByToken.get(market.token) ?? 0,
  }));
  const states = await store.states(chainId, places);
  const marketsOf = groupBy(
    found.map((market, i) => ({ market, state: states[i] })),
    ({ market }) => market.token,
  );
  const valued = subjects.map((subject) => {
    const { token } = subject.request;
    const holders = facts.holders.get(token);
    const supply = {
      held: holders?.is_whole ? holders.held : undefined,
      decimals: subject.profile.decimals,
    };
    const priced = { prices, routed: pricesBeside(routed, token) };
    const own = marketsOf.get(token) ?? [];
    const markets = own.flatMap(({ market, state }) =>
      state ? (valueMarket(market, state, supply, priced) ?? []) : [],
    );
    const hasUnpricedMarket = own.some(
      ({ market: { base } }) => !prices.has(base) && !priced.routed.has(base),
    );
    const direct = markets.filter(({ isRouted }) => !isRouted);
    const pools = countedPools(subject.pools, direct, known);
    const pool = pools.length < subject.pools.length ? mainPool(pools) : subject.pool;
    const vector = pool === subject.pool ? subject.vector : modelFeatures(pool, subject.asOf.atS);
    const main = mainMarket(pools, markets);
    const market = mainMarket(pool ? [pool] : [], direct) ?? main;
    const life = pool === subject.pool ? subject.life : lifeFeatures(pool, subject.asOf.atS);
    return { ...subject, pools, pool, vector, life, markets, hasUnpricedMarket, main, market };
  });
  const looked = new Set(valued.flatMap(({ markets, pools }) => nearlyEmpty(markets, pools)));
  const peaks = await store.peaks(
    chainId,
    places.filter(({ market }) => looked.has(market.pool)),
  );
  if (peaks.size === 0) return valued;
  return valued.map((subject) => {
    const { pool, pools, markets } = subject;
    return { ...subject, drain: marketDrain(pool, pools, markets, peaks) };
  });
};

/** US dollars in all markets of a token from which on their earlier holdings are not read: a long history takes long. */
const HELD_USD_MAX = 50_000;

/** The markets of a token that has little left in all of them. */
const nearlyEmpty = (markets: readonly ValuedMarket[], pools: readonly ValuedPool[]): Hex[] => {
  const heldUsd = [...markets, ...pools].reduce((sum, { liquidityUsd }) => sum + liquidityUsd, 0);
  return heldUsd < HELD_USD_MAX ? markets.map(({ pool }) => pool) : [];
};

/** What is asked about the locks of subjects. */
export const lockQuestions = (
  subjects: readonly Subject[],
  stored: StoredBlock,
): LockQuestion[] => {
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

/** A subject with its locks: contracts that were shown to lock liquidity count for the model like those that are known to. */
export const withLocks = (subject: Subject, locks: readonly StudiedLock[]): Subject => {
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

/** Age of the main pool, seconds; 0 without one. */
export const ageOf = ({ pool, asOf }: Subject): number =>
  asOf.atS - (pool?.series.syncs[0]?.timestampS ?? asOf.atS);

/** Subjects that the node's current state is evidence for. */
export const withNodeEvidence = (subjects: readonly Subject[], stored: StoredBlock): Subject[] =>
  subjects.filter(
    ({ asOf }) => asOf.isLatest || stored.timestampS - asOf.atS <= NODE_EVIDENCE_MAX_S,
  );

export const tradeRequests = (subjects: readonly Subject[]): TradeRequest[] =>
  subjects.flatMap(({ request, market }) => {
    if (!market) return [];
    const { kind, pool, entry, baseToken, base } = market;
    const [first] = market.isRouted ? base.route : [];
    // Of managers, which hold what is in all their pools, a route names the pool.
    const lender = first && !NAMED_BY_HASH.has(first.protocol) ? first.market : undefined;
    const expected = expectedPurchase(market);
    return [{ kind, token: request.token, pool, entry, baseToken, lender, expected }];
  });

export const walletSubjects = (subjects: readonly Subject[], facts: TokenFacts): WalletSubject[] =>
  subjects.map(({ request: { token }, profile, asOf }) => ({
    token,
    creator: profile.creator_address,
    createdS: profile.created_at_s,
    stored: facts.transfers.get(token),
    asOfS: asOf.atS,
  }));

/** Tokens whose holders' trades are looked at. */
export const tradedTokens = (subjects: readonly Subject[]): TradedToken[] =>
  subjects.flatMap(({ request: { token }, profile: { creator_address: creator }, pools }) =>
    pools.length > 0
      ? [{ token, creator, pools: pools.map(({ stored }) => stored.pool_address) }]
      : [],
  );

/** Tokens whose sales are tried as those who bought: on pools whose trades are on record, and that are not drained. */
export const heldTokens = (
  subjects: readonly Subject[],
  trades: ReadonlyMap<Hex, HolderTrades>,
): HeldToken[] =>
  subjects.flatMap(({ request: { token }, market, pools }) => {
    const holders = trades.get(token);
    const pool = pools.find(({ stored }) => stored.pool_address === market?.pool);
    return pool && holders && !isDrained(pool)
      ? [{ token, pool: pool.stored.pool_address, holders }]
      : [];
  });

export const contractSubjects = (subjects: readonly Subject[]): ContractSubject[] =>
  subjects.map(({ request, profile, market }) => ({
    token: request.token,
    creator: profile.creator_address,
    codeHash: profile.code,
    // The powers of an owner are tried on pools: on a curve tokens do not move freely yet.
    pool: market?.kind === 'curve' || market?.kind === 'bonding' ? undefined : market,
  }));

/** Where the launches of subjects are looked for. */
export const launchPlaces = (subjects: readonly Subject[]): LaunchPlace[] =>
  subjects.flatMap(({ request: { token }, profile: { creator_address: creator }, main }) =>
    main ? [{ token, creator, holder: poolHolder(main) }] : [],
  );

/** Unix seconds up to which facts count, of tokens scored at a horizon. */
export const asOfTimes = (requests: readonly ScoringRequest[]): Map<Hex, number> =>
  new Map(requests.flatMap(({ token, horizon }) => (horizon ? [[token, horizon.atS]] : [])));
