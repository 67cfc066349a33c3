import type { Hex } from '../../../shared/chain/block.ts';
import type { PoolKind, Protocol } from '../../../shared/chain/protocol.ts';
import type { BasePrices, BaseToken } from '../../../shared/market/basePrices.ts';
import { PROHIBITIVE_FEE_PIPS } from '../../../shared/market/concentratedPool.ts';
import { amountOut, bookOf, depthOf, type MarketBook } from '../../../shared/market/marketBook.ts';
import type { MarketState } from '../../../shared/market/marketReads.ts';
import { routeDepthUsd } from '../../../shared/market/priceRoutes.ts';
import { FEATURE_NAMES } from '../../../shared/messages/featureNames.ts';
import { DAY_S } from '../../../shared/platform/durations.ts';
import { hookOf, type ManagedEntry } from '../pool/poolKind.ts';
import type { MarketPeak, TokenMarket } from '../pool/tokenMarkets.ts';
import { creatorRecord } from './creatorRecord.ts';
import type { PoolRow } from './featureStore.ts';
import type { HoldersRow } from './holderStore.ts';
import { judgedAtS, judgedFeatures } from './judgedMoment.ts';
import { liquidityUnits, stepsOf } from './poolFeatures.ts';
import { lifeInputOf, type PoolDay, poolLifeFeatures } from './poolLifeFeatures.ts';
import { type PoolSeries, type PoolSync, wholeUnits } from './poolSync.ts';

/** A pool of the token against a base token, as stored. Reserves are raw decimal text. */
export type StoredPool = Omit<PoolRow, 'address'>;

/** Balances of the token, as stored. */
export type StoredHolders = Omit<HoldersRow, 'address' | 'transfers' | 'largest'>;

/** A pool with its reserves in whole native coins. */
export interface ValuedPool {
  readonly stored: StoredPool;
  readonly base: BaseToken;
  readonly series: PoolSeries;
  /** Current and highest base reserve, whole native coins. */
  readonly currentBase: number;
  readonly peakBase: number;
  /** Both sides, US dollars: twice the base side. */
  readonly liquidityUsd: number;
}

/** A market of a token, and the value of its liquidity. */
export interface ValuedMarket {
  readonly kind: PoolKind;
  readonly protocol: Protocol;
  /** The pool's contract, or its id in the manager. */
  readonly pool: Hex;
  readonly entry?: ManagedEntry | undefined;
  readonly baseToken: Hex;
  /** The value of the base token, and its source. */
  readonly base: BaseToken;
  /** Whether the base token is not among the chain's base tokens: its price comes from other markets. */
  readonly isRouted: boolean;
  readonly book: MarketBook;
  /** Whether the token is token 0 of the book. */
  readonly isToken0: boolean;
  /** Twice the base that can be taken out, US dollars. */
  readonly liquidityUsd: number;
  /** Base from selling the whole supply, whole native coins. */
  readonly currentBase: number;
}

/**
 * How far a token's markets have fallen, measured at the one that ever held most, if that is not a Uniswap V2 pool.
 */
export interface MarketDrain {
  /** Highest base holdings of this market, whole native coins. */
  readonly peakBase: number;
  /** Current base holdings of all the token's markets. */
  readonly currentBase: number;
  readonly largestDropTx: Hex;
  /** Share of its liquidity withdrawn in the last week, at once or in parts. */
  readonly withdrawnShare: number;
}

/** Days after which a withdrawal says nothing more about the following week, which is what is judged. */
export const WITHDRAWN_WITHIN_DAYS = 7;

/** Share of a pool's highest holdings now in other markets, from which its liquidity counts as moved there. */
const MOVED_SHARE_MIN = 0.5;

/** A chain's clock is set by its producers: if it goes back, time stands still here. */
const steadyClock = (): ((timestampS: number) => number) => {
  let latestS = 0;
  return (timestampS) => {
    latestS = Math.max(latestS, timestampS);
    return latestS;
  };
};

const nativeOf = (raw: string, { decimals, priceNative }: BaseToken): number =>
  wholeUnits(raw, decimals) * priceNative;

/** The Syncs of a stored pool, its base reserve in whole native coins. */
export const syncsOf = (series: StoredPool['series'], base: BaseToken): PoolSync[] => {
  const clock = steadyClock();
  return series.map(([timestampS, blockNumber, , reserveBase, reserveToken]) => ({
    timestampS: clock(timestampS),
    blockNumber,
    reserveBase: nativeOf(reserveBase, base),
    reserveToken: Number(reserveToken),
  }));
};

/** The stored pool in the form of the feature extractor. */
const seriesOf = (stored: StoredPool, base: BaseToken): PoolSeries => {
  const { pool_address: pool, lp_transfers, creator, creator_pools: made } = stored;
  const clock = steadyClock();
  const syncs = syncsOf(stored.series, base);
  const transfers = lp_transfers?.map(([timestampS, , , from, to, value]) => ({
    timestampS: clock(timestampS),
    from,
    to,
    value: Number(value),
  }));
  const firstSyncS = syncs[0]?.timestampS;
  return {
    syncs,
    lp: transfers && { pool, creator, transfers },
    creator:
      creator && made && firstSyncS !== undefined ? creatorRecord(made, firstSyncS) : undefined,
  };
};

/** Days with their reserves in whole native coins. */
const daysOf = (stored: NonNullable<StoredPool['days']>, base: BaseToken): PoolDay[] => {
  const coins = (raw: number): number => (raw / 10 ** base.decimals) * base.priceNative;
  return stored.map(
    ([day, lastS, left, token, peak, events, bought, sold, removals, removedShare, units]) => ({
      day,
      lastS,
      base: coins(left),
      token,
      peakBase: coins(peak),
      events,
      bought: coins(bought),
      sold: coins(sold),
      removals,
      removedShare,
      units,
    }),
  );
};

/** Features of the whole life of a pool that is older than a day; undefined for a younger one. */
export const lifeFeatures = (
  pool: ValuedPool | undefined,
  asOfS: number,
): Float64Array | undefined => {
  const firstSyncS = pool?.series.syncs[0]?.timestampS;
  if (!pool || firstSyncS === undefined || asOfS - firstSyncS <= DAY_S) return undefined;
  const { stored, base, series } = pool;
  const days = stored.days && daysOf(stored.days, base);
  return poolLifeFeatures(lifeInputOf(series, firstSyncS, days), asOfS);
};

/** Values a stored pool by the prices of its base token. Undefined for an unknown base. */
export const valuePool = (stored: StoredPool, prices: BasePrices): ValuedPool | undefined => {
  const base = prices.get(stored.base_token);
  if (!base) return undefined;
  const series = seriesOf(stored, base);
  return {
    stored,
    base,
    series,
    currentBase: nativeOf(stored.current_base, base),
    peakBase: nativeOf(stored.peak_base, base),
    liquidityUsd: 2 * wholeUnits(stored.current_base, base.decimals) * base.priceUsd,
  };
};

/**
 * The pool with the highest base liquidity ever; ties go to the lower address, independent of the machine's locale.
 */
export const mainPool = (pools: readonly ValuedPool[]): ValuedPool | undefined =>
  pools.toSorted(
    (a, b) => b.peakBase - a.peakBase || (a.stored.pool_address < b.stored.pool_address ? -1 : 1),
  )[0];

/** More tokens than any pool can pay for: used if the circulating amount is unknown. */
const ALL_TOKENS = 1n << 127n;

/** Raw base units that count as liquidity: a reserve, or what a sale of all held tokens takes out of ticks. */
const baseBehind = (book: MarketBook, isToken0: boolean, held: number | undefined): bigint => {
  if (book.kind !== 'ticks') return isToken0 ? book.reserve1 : book.reserve0;
  const sold = held === undefined ? ALL_TOKENS : BigInt(Math.floor(held));
  return amountOut(book, sold, isToken0) ?? 0n;
};

/** US dollars for raw units of a base token; through other markets at most what their route can pay. */
export const baseUsd = (
  raw: bigint,
  { base, isRouted }: Pick<ValuedMarket, 'base' | 'isRouted'>,
): number => {
  const usd = wholeUnits(raw, base.decimals) * base.priceUsd;
  return isRouted ? Math.min(usd, routeDepthUsd(base)) : usd;
};

/** Data on a token for valuing its markets. */
interface TokenSupply {
  /** Raw tokens outside of burn addresses; undefined if unknown. */
  readonly held: number | undefined;
  readonly decimals: number | null;
}

/**
 * Values a market other than Uniswap V2 pools against base tokens: twice its base reserve. For concentrated liquidity
 * it is twice what a sale of all tokens would take out, so that liquidity at unreachable prices, and a token-only
 * side, count nothing. Undefined for a base without a price.
 * @param routed prices of tokens that are not base tokens
 */
export const valueMarket = (
  { kind, base: baseToken, pool, entry, isToken0, created }: TokenMarket,
  state: MarketState,
  { held, decimals }: TokenSupply,
  { prices, routed }: { readonly prices: BasePrices; readonly routed: BasePrices },
): ValuedMarket | undefined => {
  const base = prices.get(baseToken) ?? routed.get(baseToken);
  if (!base) return undefined;
  const [digits0, digits1] = isToken0 ? [decimals, base.decimals] : [base.decimals, decimals];
  const digits = digits0 === null || digits1 === null ? undefined : { digits0, digits1 };
  const book = bookOf(created, state, digits);
  if (!book) return undefined;
  const { protocol } = created;
  const isRouted = !prices.has(baseToken);
  const liquidityUsd = 2 * baseUsd(baseBehind(book, isToken0, held), { base, isRouted });
  const currentBase = (depthOf(book, isToken0) / 10 ** base.decimals) * base.priceNative;
  const place = { kind, protocol, pool, entry, baseToken, base, isRouted, book, isToken0 };
  return { ...place, liquidityUsd, currentBase };
};

/**
 * Undefined if no market of another protocol ever held more than the main Uniswap V2 pool, and others do not hold
 * half of that now, which would mean that it was moved there. Holdings of markets with a hook count only if there are
 * no others: only their creators can be sure to trade there.
 */
export const marketDrain = (
  pool: ValuedPool | undefined,
  pools: readonly ValuedPool[],
  markets: readonly ValuedMarket[],
  peaks: ReadonlyMap<Hex, MarketPeak>,
): MarketDrain | undefined => {
  let largest = {
    peakBase: pool?.peakBase ?? 0,
    largestDropTx: undefined as Hex | undefined,
    withdrawnShare: 0,
  };
  const plain = markets.filter(({ entry }) => !hookOf(entry));
  const counted = plain.length > 0 || pools.length > 0 ? plain : markets;
  for (const { pool: place, base } of counted) {
    const peak = peaks.get(place);
    if (!peak) continue;
    const peakBase = (peak.base / 10 ** base.decimals) * base.priceNative;
    const { largestDropTx, withdrawnShare } = peak;
    if (peakBase > largest.peakBase) largest = { peakBase, largestDropTx, withdrawnShare };
  }
  const baseIn = (others: readonly ValuedMarket[]): number =>
    [...pools, ...others].reduce((sum, one) => sum + one.currentBase, 0);
  const { peakBase, withdrawnShare } = largest;
  const isMoved = pool && baseIn(counted) - pool.currentBase >= MOVED_SHARE_MIN * peakBase;
  const largestDropTx =
    largest.largestDropTx ?? (isMoved ? pool.stored.largest_drop_tx : undefined);
  return largestDropTx && { peakBase, currentBase: baseIn(markets), largestDropTx, withdrawnShare };
};

/**
 * Share of a pool's liquidity withdrawn in the last week: all withdrawals minus additions and, after the first day,
 * the largest withdrawal if that is more.
 */
export const withdrawnShare = (
  { stored, base, series: { syncs } }: ValuedPool,
  asOfS: number,
): number => {
  const firstSyncS = syncs[0]?.timestampS ?? asOfS;
  const ageDays = (asOfS - firstSyncS) / DAY_S;
  const sinceDay = Math.max(1, ageDays - WITHDRAWN_WITHIN_DAYS);
  const recent = stored.days?.filter(([day]) => day >= sinceDay && day <= ageDays) ?? [];
  const days = daysOf(recent, base);
  const largest = days.reduce((most, { removedShare }) => Math.max(most, removedShare), 0);
  const later = days.reduce((left, { units }) => left * units, 1);
  if (ageDays > WITHDRAWN_WITHIN_DAYS) return Math.max(largest, 1 - later);
  const known = syncs.filter(({ timestampS }) => timestampS <= asOfS);
  // An addition to an empty pool is a new beginning.
  const begun = known.findLastIndex(
    ({ reserveBase }, i) => reserveBase > 0 && known[i - 1]?.reserveBase === 0,
  );
  const { units } = liquidityUnits(stepsOf(known.slice(Math.max(0, begun))));
  return Math.max(largest, 1 - units * later);
};

/** Fee of a trade on Uniswap V2, millionths. Most forks take slightly less; none logs it. */
const V2_FEE_PIPS = 3_000;

/** A Uniswap V2 pool in the form of all markets. */
const asMarket = ({ stored, base, liquidityUsd, currentBase }: ValuedPool): ValuedMarket => ({
  kind: 'reserves',
  protocol: 'uniswap_v2',
  pool: stored.pool_address,
  baseToken: stored.base_token,
  base,
  isRouted: false,
  book: {
    kind: 'product',
    feePips: V2_FEE_PIPS,
    reserve0: BigInt(stored.current_token),
    reserve1: BigInt(stored.current_base),
  },
  isToken0: true,
  liquidityUsd,
  currentBase,
});

/**
 * How many times deeper a market with a hook or a prohibitive fee must be to count as the main one. Anyone can open
 * one for another's token, with a hook that refuses what it likes, and take the money back.
 */
const DOUBTFUL_DEPTH_MIN = 10;

/** Whether a market can exclude other traders. */
export const isDoubtful = ({ entry, book }: ValuedMarket): boolean =>
  hookOf(entry) !== undefined ||
  (book.kind === 'ticks' && book.pool.feePips >= PROHIBITIVE_FEE_PIPS);

/**
 * The market from which most can be taken out now; among equals the pool with reserves. A doubtful one counts a tenth
 * beside others.
 */
export const mainMarket = (
  pools: readonly ValuedPool[],
  others: readonly ValuedMarket[],
): ValuedMarket | undefined => {
  const weight = (market: ValuedMarket): number =>
    isDoubtful(market) ? market.liquidityUsd / DOUBTFUL_DEPTH_MIN : market.liquidityUsd;
  return [...pools.map(asMarket), ...others].toSorted(
    // Without a price of the native coin, nothing has a value.
    (a, b) => weight(b) - weight(a) || b.currentBase - a.currentBase || 0,
  )[0];
};

/** At least the time of the last known Sync. */
const reachedS = ({ series }: ValuedPool, asOfS: number): number =>
  Math.max(asOfS, series.syncs.at(-1)?.timestampS ?? 0);

/** The model's input as of a time, Unix seconds; all missing if the token has no pool. */
export const modelFeatures = (pool: ValuedPool | undefined, asOfS: number): Float64Array =>
  pool
    ? judgedFeatures(pool.series, reachedS(pool, asOfS))
    : new Float64Array(FEATURE_NAMES.length).fill(Number.NaN);

/** The five features of the specification. */
export const headlineFeatures = (parts: {
  holders: StoredHolders | undefined;
  pools: readonly ValuedPool[];
  markets: readonly ValuedMarket[];
  creatorRiskScore: number;
}) => {
  const { holders, pools, markets, creatorRiskScore } = parts;
  return {
    holder_count: holders?.holders ?? 0,
    transaction_count: holders?.transactions ?? 0,
    liquidity_usd: [...pools, ...markets].reduce((sum, { liquidityUsd }) => sum + liquidityUsd, 0),
    top_10_concentration:
      holders?.is_whole && holders.held > 0
        ? Math.min(1, Math.max(0, holders.top_ten / holders.held))
        : 0,
    creator_risk_score: creatorRiskScore,
  };
};

/** The last block whose trades `modelFeatures` reads; 0 if there is none. */
export const judgedBlock = (pool: ValuedPool, asOfS: number): number => {
  const { syncs } = pool.series;
  const atS = judgedAtS(syncs, reachedS(pool, asOfS));
  return syncs.findLast(({ timestampS }) => timestampS <= atS)?.blockNumber ?? 0;
};
