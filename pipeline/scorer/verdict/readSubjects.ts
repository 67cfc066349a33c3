import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import type { BasePrices } from '../../../shared/market/basePrices.ts';
import { LISTED_USD_MIN } from '../../../shared/market/listedPools.ts';
import type { PriceStore } from '../../../shared/market/priceStore.ts';
import { DAY_S } from '../../../shared/platform/durations.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import type { FeatureStore, TokenFacts, TokenProfileRow } from '../features/featureStore.ts';
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
  WITHDRAWN_WITHIN_DAYS,
} from '../features/tokenFeatures.ts';
import { type Horizon, passedHorizonS } from '../horizon/horizons.ts';
import type { Activity } from '../ingest/activityStore.ts';
import type { StudiedLock } from '../locks/studiedLock.ts';
import type { KnownPairs, Pair } from '../pool/knownPairs.ts';
import type { TokenMarket, TokenMarketStore } from '../pool/tokenMarkets.ts';

/** A block up to which facts are stored in full. */
export interface StoredBlock {
  readonly number: number;
  /** Unix seconds. */
  readonly timestampS: number;
}

/** A verdict to compute: as of now, or as of a horizon that the token's market has passed. */
export interface ScoringRequest extends Activity {
  readonly horizon?: Horizon | undefined;
  /** Whether a client requested it. */
  readonly isRequested?: boolean | undefined;
}

/** One token with all its stored data. */
export interface Subject {
  readonly request: ScoringRequest;
  readonly profile: TokenProfileRow;
  readonly pools: readonly ValuedPool[];
  /** The Uniswap V2 pool that ever held most, which the market model examines. */
  readonly pool: ValuedPool | undefined;
  /** All other markets. */
  readonly markets: readonly ValuedMarket[];
  /** Whether it has further markets, against tokens without a known price. */
  readonly hasUnpricedMarket?: boolean;
  /** Set if markets of other protocols are nearly empty. */
  readonly drain?: MarketDrain | undefined;
  /** The deepest of all, which gives its price. */
  readonly main: ValuedMarket | undefined;
  /** The deepest one against a base token, on which trades are simulated; else the deepest of all. */
  readonly market: ValuedMarket | undefined;
  /** Locks of the token and of its liquidity. */
  readonly locks: readonly StudiedLock[];
  readonly asOf: AsOf;
  readonly vector: Float64Array;
  /** Features of the whole life of `pool` if it is older than a day. */
  readonly life?: Float64Array | undefined;
}

/** The time as of which a verdict is computed. */
interface AsOf {
  /** The last block that touched the token by then, with its time in Unix seconds. */
  readonly block: BlockRef & { readonly timestampS: number };
  /** Unix seconds. */
  readonly atS: number;
  /** Age counted from `startOf`, for a horizon's verdict, seconds; else 0. */
  readonly horizonS: number;
  /** Whether there is no later data. */
  readonly isLatest: boolean;
}

/**
 * Start time from which a token's horizons are counted, Unix seconds; 0: none. Its main Uniswap V2 pool starts with
 * its first Sync, else its first other market with its creation; a token without any has horizons only if it was
 * requested.
 * @param markets its others against base tokens
 * @param requestedS when the token was created, if it was requested; else 0
 */
const startOf = (
  pool: ValuedPool | undefined,
  markets: readonly TokenMarket[],
  requestedS: number,
): number => {
  if (pool) return pool.stored.first_sync_s;
  return markets.length > 0
    ? Math.min(...markets.map(({ created }) => created.createdAtS))
    : requestedS;
};

/**
 * A verdict on request or after an event is as of the later of two times: the last fact that touched the token, or
 * the last horizon it has passed. So the same facts give the same verdict, whatever made it due. A horizon's own
 * verdict is as of the horizon; undefined if that is counted from the start of another market.
 */
const asOfRequest = (
  { token, horizon }: ScoringRequest,
  facts: TokenFacts,
  { created_block: number, created_hash: hash, created_at_s }: TokenProfileRow,
  { startS, stored }: { startS: number; stored: StoredBlock },
): AsOf | undefined => {
  const touch = facts.touches.get(token);
  const created = { number, hash, timestampS: created_at_s };
  const block = touch?.block && touch.block.number > number ? touch.block : created;
  const passedS = startS > 0 ? passedHorizonS(startS, stored.timestampS) : 0;
  if (horizon) {
    if (startS + horizon.horizonS !== horizon.atS) return undefined;
    // A market can be created for a token that does not exist yet.
    if (created.timestampS > horizon.atS) return undefined;
    const isLatest = passedS === horizon.horizonS && (touch?.latestS ?? 0) <= horizon.atS;
    return { block, atS: horizon.atS, horizonS: horizon.horizonS, isLatest };
  }
  return passedS > 0 && startS + passedS >= block.timestampS
    ? { block, atS: startS + passedS, horizonS: passedS, isLatest: true }
    : { block, atS: block.timestampS, horizonS: 0, isLatest: true };
};

/** Data read for a batch of tokens. */
interface ReadFacts {
  readonly found: readonly TokenMarket[];
  readonly facts: TokenFacts;
  readonly prices: BasePrices;
  /** Pools that a known factory lists; undefined: no factory is known. */
  readonly known: ReadonlySet<Hex> | undefined;
}

/** Pools whose reserves may be made up: those of tokens that also have other markets. */
const pairsToCheck = (facts: TokenFacts, found: readonly TokenMarket[]): Pair[] => {
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
 * A token's pools, without those of unknown factories if it also has a market of a known one: anyone can deploy a
 * contract that logs any reserves. A token that is traded on such pools only keeps them.
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

/** Facts for each request; absent for unknown tokens, or horizons of another market. */
const subjectsOf = (
  requests: readonly ScoringRequest[],
  stored: StoredBlock,
  { found, facts, prices, known }: ReadFacts,
): Subject[] => {
  const marketsOf = groupBy(found, ({ token }) => token);
  return requests.flatMap((request) => {
    const profile = facts.profiles.get(request.token);
    if (!profile) return [];
    const rows = facts.pools.get(request.token) ?? [];
    const valued = rows.flatMap((row) => valuePool(row, prices) ?? []);
    const pools = countedPools(valued, [], known);
    const pool = mainPool(pools);
    const others = marketsOf.get(request.token)?.filter(({ base }) => prices.has(base)) ?? [];
    const startS = startOf(pool, others, request.isRequested ? profile.created_at_s : 0);
    const asOf = asOfRequest(request, facts, profile, { startS, stored });
    if (!asOf) return [];
    const vector = modelFeatures(pool, asOf.atS);
    const life = lifeFeatures(pool, asOf.atS);
    const market = mainMarket(pool ? [pool] : [], []);
    const main = mainMarket(pools, []);
    return [
      { request, profile, pools, pool, markets: [], main, market, locks: [], asOf, vector, life },
    ];
  });
};

/** Prices of tokens by routes that do not include the token to be valued. */
const pricesBeside = (routed: BasePrices, token: Hex): BasePrices =>
  new Map([...routed].filter(([, { route }]) => route.every(({ from }) => from !== token)));

/**
 * Subjects with all their markets, as of their last block. Reads nothing if there are only Uniswap V2 pools.
 */
const withMarkets = async (
  store: TokenMarketStore,
  chainId: number,
  subjects: readonly Subject[],
  { found, facts, prices, known }: ReadFacts,
  routed: BasePrices,
): Promise<Subject[]> => {
  if (found.length === 0) return [...subjects];
  const asOfByToken = new Map(subjects.map(({ request, asOf }) => [request.token, asOf]));
  const places = found.map((market) => {
    const asOf = asOfByToken.get(market.token);
    const sinceS = (asOf?.atS ?? 0) - WITHDRAWN_WITHIN_DAYS * DAY_S;
    return { market, untilBlock: asOf?.block.number ?? 0, sinceS: Math.max(0, sinceS) };
  });
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

/**
 * US dollars in all markets of a token from which their earlier holdings are not read: a long history takes long.
 */
const HELD_USD_MAX = 50_000;

/** The markets of a token that has little left in all of them. */
const nearlyEmpty = (markets: readonly ValuedMarket[], pools: readonly ValuedPool[]): Hex[] => {
  const heldUsd = [...markets, ...pools].reduce((sum, { liquidityUsd }) => sum + liquidityUsd, 0);
  return heldUsd < HELD_USD_MAX ? markets.map(({ pool }) => pool) : [];
};

/** Age of the main pool, seconds; 0 without one. */
export const ageOf = ({ pool, asOf }: Subject): number =>
  asOf.atS - (pool?.series.syncs[0]?.timestampS ?? asOf.atS);

/** Unix seconds up to which facts count, for tokens scored at a horizon. */
const asOfTimes = (requests: readonly ScoringRequest[]): Map<Hex, number> =>
  new Map(requests.flatMap(({ token, horizon }) => (horizon ? [[token, horizon.atS]] : [])));

/** Where facts of tokens are read. */
export interface SubjectPorts {
  readonly features: FeatureStore;
  readonly markets: TokenMarketStore;
  readonly knownPairs: KnownPairs;
  readonly prices: PriceStore;
}

/**
 * First step of a verdict: reads the stored data of the tokens, and values their pools and markets.
 * @returns also the data of tokens that are no subject
 */
export const readSubjects = async (
  { prices, features, markets, knownPairs }: SubjectPorts,
  chainId: number,
  requests: readonly ScoringRequest[],
  stored: StoredBlock,
): Promise<{ readonly facts: TokenFacts; readonly subjects: readonly Subject[] }> => {
  const tokens = requests.map(({ token }) => token);
  const basePrices = await prices.prices(chainId);
  const bases = [...basePrices.keys()];
  const [facts, found] = await Promise.all([
    features.read(chainId, tokens, bases, stored.number, asOfTimes(requests)),
    markets.find({ chainId, tokens, bases, upTo: stored.number }),
  ]);
  const known = await knownPairs.among(pairsToCheck(facts, found));
  const read = { found, facts, prices: basePrices, known };
  const pooled = subjectsOf(requests, stored, read);
  const others = found.map(({ base }) => base).filter((base) => !basePrices.has(base));
  const routed = others.length > 0 ? await prices.routed(chainId, others) : new Map();
  return { facts, subjects: await withMarkets(markets, chainId, pooled, read, routed) };
};
