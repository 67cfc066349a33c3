import { z } from 'zod';
import { addressAtEnd, addressParam, inAddresses } from '../chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../chain/block.ts';
import { factoriesOf } from '../chain/chains.ts';
import {
  HAVE_MANAGER,
  NAMED_BY_HASH,
  PROTOCOLS,
  type Protocol,
  poolKindOf,
  protocolsOf,
  sqlProtocols,
} from '../chain/protocol.ts';
import { addressSchema, hashSchema } from '../messages/schemas.ts';
import type { Clickhouse, Database } from '../platform/clickhouse.ts';
import { groupBy } from '../platform/groupBy.ts';
import { hexText } from '../rules/hexText.ts';
import { PROHIBITIVE_FEE_PIPS, type StoredTick } from './concentratedPool.ts';
import { marketId } from './marketId.ts';

/**
 * A condition on a column with a factory or manager: only markets of known ones count, or all if none are known.
 */
export const loggedByKnown = (column: string): string =>
  `(empty({factories:Array(String)}) OR ${column} IN ${inAddresses('factories')})`;

/** Factories whose markets count, as a condition on a row with a `factory`. */
export const OF_KNOWN_FACTORIES = loggedByKnown('factory');

/** A condition on a row of `fact_markets`: a logged creation of another protocol than Uniswap V2. */
export const BESIDE_UNISWAP_V2 = `protocol NOT IN ('asked', 'uniswap_v2')`;

/** The parameter of `OF_KNOWN_FACTORIES`: those of the chain's profile. */
export const knownFactories = (chainId: number): string[] =>
  [...(factoriesOf(chainId) ?? [])].map(addressParam);

const digits = z.string().regex(/^-?\d+$/);
/** Right side of `market IN (…)` for the bound list `markets` of `marketParam`. */
export const IN_MARKETS = `(SELECT toFixedString(unhex(arrayJoin({markets:Array(String)})), 32))`;

/** A market's id in the form of `IN_MARKETS`. */
export const marketParam = (market: Hex): string => marketId(market).slice(2);

/** The id of a market as in logs, from its 32 bytes. */
const nameOf = (id: Hex, protocol: Protocol): Hex =>
  NAMED_BY_HASH.has(protocol) ? id : addressAtEnd(id);

/** A market according to its creation event. */
const createdRow = z
  .object({
    id: hashSchema,
    kind_of: z.enum(PROTOCOLS),
    maker: addressSchema,
    side0: addressSchema,
    side1: addressSchema,
    fee: z.number(),
    spacing: z.number(),
    stable: z.number(),
    hook: addressSchema,
    first_price: digits,
    first_tick: z.number(),
    created_s: z.number(),
  })
  .transform((row) => ({
    protocol: row.kind_of,
    factory: row.maker,
    /** The contract, or the id in its manager. */
    market: nameOf(row.id, row.kind_of),
    token0: row.side0,
    token1: row.side1,
    /** Unix seconds. */
    createdAtS: row.created_s,
    terms: {
      fee: row.fee,
      tickSpacing: row.spacing,
      stable: row.stable === 1,
      hooks: row.hook,
    },
    /** Undefined if the creation does not contain it. */
    firstPrice:
      row.first_price === '0'
        ? undefined
        : { sqrtPriceX96: BigInt(row.first_price), tick: row.first_tick },
  }));
export type CreatedMarket = z.output<typeof createdRow>;

/** The contract whose logs are valid for a market: its manager, or zero for the market itself. */
export const loggedBy = ({
  protocol,
  factory,
}: Pick<CreatedMarket, 'protocol' | 'factory'>): Hex =>
  HAVE_MANAGER.has(protocol) ? factory : ZERO_ADDRESS;

/** Uniswap V2 pools log no fee: Uniswap's is assumed. */
const createdColumns = `${hexText('f.market')} AS id, f.protocol_name AS kind_of, ${hexText('f.factory')} AS maker,
    ${hexText('f.token0')} AS side0, ${hexText('f.token1')} AS side1, if(f.protocol_name = 'uniswap_v2', 3000, f.fee) AS fee, f.tick_spacing AS spacing,
    f.stable AS stable, ${hexText('f.hooks')} AS hook, toString(f.sqrt_price_x96) AS first_price, f.tick AS first_tick,
    toUnixTimestamp(f.timestamp) AS created_s`;
const ofMarkets = `SELECT market, toString(protocol) AS protocol_name, factory, token0, token1, fee, tick_spacing, stable, hooks,
      sqrt_price_x96, tick, block_number, log_index, timestamp
    FROM fact_markets FINAL WHERE chain_id = {chainId:UInt64} AND block_number <= {upTo:UInt64} AND ${OF_KNOWN_FACTORIES}`;

const createdSql = `SELECT ${createdColumns} FROM (${ofMarkets} AND ${BESIDE_UNISWAP_V2} AND market IN ${IN_MARKETS}) AS f
  ORDER BY f.block_number, f.log_index LIMIT 1 BY f.market`;

/**
 * Markets of other protocols than Uniswap V2 by id, created up to a block by one of the factories (all factories if
 * none are given).
 */
export const readCreatedMarkets = (
  clickhouse: Database,
  place: {
    readonly chainId: number;
    readonly markets: readonly Hex[];
    readonly factories: readonly string[];
    readonly upTo: number;
  },
): Promise<CreatedMarket[]> =>
  clickhouse.query(createdSql, { ...place, markets: place.markets.map(marketParam) }, createdRow);

/** Uniswap V2 pools are looked up by the tokens they hold, to use the indexes of tokens. */
const ofUniswapV2 = `${ofMarkets} AND protocol = 'uniswap_v2' AND market IN (
      SELECT toFixedString(concat(repeat('\\0', 12), pool), 32) FROM dim_pools FINAL WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')})`;

const ofTokensSql = `SELECT ${hexText('traded')} AS asset, ${createdColumns}
  FROM (SELECT * FROM (${ofMarkets} AND ${BESIDE_UNISWAP_V2} AND protocol IN {protocols:Array(String)}
        AND (token0 IN ${inAddresses('tokens')} OR token1 IN ${inAddresses('tokens')})
      UNION ALL ${ofUniswapV2} AND has({protocols:Array(String)}, 'uniswap_v2'))
    ORDER BY block_number, log_index LIMIT 1 BY market) AS f
  ARRAY JOIN [f.token0, f.token1] AS traded, [f.token1, f.token0] AS other
  WHERE traded IN ${inAddresses('tokens')} AND ({anyOther:Bool} OR other IN ${inAddresses('bases')})
    AND ({anyTerms:Bool} OR (f.hooks = toFixedString('', 20) AND f.fee < ${PROHIBITIVE_FEE_PIPS}))
  ORDER BY other IN ${inAddresses('bases')} DESC, f.block_number, f.log_index LIMIT {marketsMax:UInt32} BY traded`;
const ofTokenRow = z.intersection(z.object({ asset: addressSchema }), createdRow);

/** A market of one token. */
export type MarketOfToken = CreatedMarket & { readonly asset: Hex };

/**
 * The markets of tokens that were created up to a block by one of the factories (all factories if none are given):
 * those against base tokens or, with `anyOther`, also the others, after them. Only the first ones of each token,
 * because more are created to confuse.
 */
export const readMarketsOf = async (
  clickhouse: Database,
  place: {
    readonly chainId: number;
    readonly tokens: readonly Hex[];
    readonly bases: readonly Hex[];
    readonly anyOther: boolean;
    /**
     * Whether to include markets that can exclude traders, by a Uniswap V4 hook or by their fee: their holdings may
     * be made up.
     */
    readonly anyTerms: boolean;
    readonly protocols: readonly Protocol[];
    readonly factories: readonly string[];
    readonly upTo: number;
    readonly marketsMax: number;
  },
): Promise<MarketOfToken[]> => {
  if (place.tokens.length === 0) return [];
  const params = {
    ...place,
    tokens: place.tokens.map(addressParam),
    bases: place.bases.map(addressParam),
  };
  return clickhouse.query(ofTokensSql, params, ofTokenRow);
};

/** What the events of a market say about it. Unknown fields are absent. */
export interface MarketState {
  readonly price?: { readonly sqrtPriceX96: bigint; readonly tick: number };
  readonly ticks: readonly StoredTick[];
  readonly reserves?: { readonly reserve0: bigint; readonly reserve1: bigint };
  /** Of a Virtuals curve: its initial amounts; nobody paid that of token 1. */
  readonly start?: { readonly reserve0: bigint; readonly reserve1: bigint };
  /** Of a bonding curve: price of token0 in token1 in its last trade, raw units. */
  readonly lastPrice?: number;
  /** Of a bonding curve: its holdings moved to a pool of another protocol. */
  readonly hasGraduated?: boolean;
}

/** A market, and the last block whose events count. */
export interface MarketAt {
  readonly market: Hex;
  readonly untilBlock: number;
  /** Pools of Uniswap V2 have a table of their own. */
  readonly isUniswapV2?: boolean;
}

const events = `(SELECT * FROM fact_market_events FINAL WHERE chain_id = {chainId:UInt64} AND market IN ${IN_MARKETS}
    AND block_number <= transform(lower(hex(market)), {markets:Array(String)}, {until:Array(UInt64)}, toUInt64(0)))`;
const keyColumns = `${hexText('e.market')} AS id, ${hexText('e.manager')} AS logged_by`;
const keyRow = { id: hashSchema, logged_by: addressSchema };

const priceSql = `SELECT ${keyColumns}, toString(argMax(e.sqrt_price_x96, (e.block_number, e.log_index))) AS sqrt_price,
    argMax(e.tick, (e.block_number, e.log_index)) AS tick_now
  FROM ${events} AS e WHERE e.kind IN ('swap', 'priced') AND e.sqrt_price_x96 > 0 GROUP BY e.market, e.manager`;
const priceRow = z.object({ ...keyRow, sqrt_price: z.coerce.bigint(), tick_now: z.number() });

const ticksSql = `SELECT ${keyColumns}, e.edge.1 AS tick_at, toString(sum(e.change * e.edge.2)) AS net, toString(sum(e.change)) AS gross
  FROM (SELECT market, manager, if(kind = 'mint', 1, -1) * toInt256(position_liquidity) AS change,
      arrayJoin([(tick_lower, toInt8(1)), (tick_upper, toInt8(-1))]) AS edge
    FROM ${events} WHERE kind IN ('mint', 'burn') AND position_liquidity > 0) AS e GROUP BY e.market, e.manager, e.edge.1`;
const ticksRow = z
  .object({ ...keyRow, tick_at: z.number(), net: z.coerce.bigint(), gross: z.coerce.bigint() })
  .transform(({ tick_at: tick, ...row }) => ({ ...row, tick }));

const reservesSql = `SELECT ${keyColumns}, toString(argMax(e.reserve0, (e.block_number, e.log_index))) AS held0,
    toString(argMax(e.reserve1, (e.block_number, e.log_index))) AS held1,
    argMaxIf(e.traded1 / e.traded0, (e.block_number, e.log_index), e.traded0 > 0) AS last_price, max(e.kind = 'graduated') AS has_left
  FROM (SELECT *, toFloat64(amount0_in) + toFloat64(amount0_out) AS traded0, toFloat64(amount1_in) + toFloat64(amount1_out) AS traded1
    FROM ${events} WHERE kind IN ('sync', 'graduated') OR (kind = 'swap' AND (reserve0 > 0 OR reserve1 > 0))) AS e GROUP BY e.market, e.manager`;
const reservesRow = z.object({
  ...keyRow,
  held0: z.coerce.bigint(),
  held1: z.coerce.bigint(),
  /** Price of token0 in token1, raw units, in a curve's last trade; 0 for others. */
  last_price: z.number(),
  has_left: z.number(),
});

/**
 * Virtuals curves log their initial amounts and all movements: the sum of token 1 movements is what they raised.
 */
const curvesSql = `SELECT ${keyColumns}, toString(sumIf(toInt256(e.amount0_in), e.kind = 'mint')) AS start0,
    toString(sumIf(toInt256(e.amount1_in), e.kind = 'mint')) AS start1,
    toString(sum(toInt256(e.amount0_in) - toInt256(e.amount0_out))) AS held0,
    toString(sumIf(toInt256(e.amount1_in) - toInt256(e.amount1_out), e.kind = 'swap')) AS held1
  FROM ${events} AS e WHERE e.protocol IN ${sqlProtocols(protocolsOf('bonding'))} AND e.kind IN ('mint', 'swap') GROUP BY e.market, e.manager
  HAVING countIf(e.kind = 'mint') = 1 AND toInt256(held0) >= 0 AND toInt256(held1) >= 0`;
const curvesRow = z
  .object({
    ...keyRow,
    start0: z.coerce.bigint(),
    start1: z.coerce.bigint(),
    held0: z.coerce.bigint(),
    held1: z.coerce.bigint(),
  })
  .transform(({ start0, start1, ...row }) => ({
    ...row,
    start: { reserve0: start0, reserve1: start1 },
  }));

const poolReservesSql = `SELECT ${hexText('e.pool')} AS pool_hex, toString(argMax(e.reserve0, (e.block_number, e.log_index))) AS held0,
    toString(argMax(e.reserve1, (e.block_number, e.log_index))) AS held1
  FROM (SELECT * FROM fact_pool_events FINAL WHERE chain_id = {chainId:UInt64} AND kind = 'sync' AND pool IN ${inAddresses('pools')}
    AND block_number <= transform(lower(hex(pool)), {pools:Array(String)}, {until:Array(UInt64)}, toUInt64(0))) AS e GROUP BY e.pool`;
const poolReservesRow = z
  .object({ pool_hex: addressSchema, held0: z.coerce.bigint(), held1: z.coerce.bigint() })
  .transform(({ pool_hex, ...held }) => ({
    id: marketId(pool_hex),
    logged_by: ZERO_ADDRESS,
    last_price: 0,
    has_left: 0,
    ...held,
  }));

const readPoolReserves = async (
  clickhouse: Clickhouse,
  chainId: number,
  pools: readonly MarketAt[],
): Promise<z.output<typeof poolReservesRow>[]> => {
  if (pools.length === 0) return [];
  const params = {
    chainId,
    pools: pools.map(({ market }) => addressParam(market)),
    until: pools.map(({ untilBlock }) => untilBlock),
  };
  return clickhouse.query(poolReservesSql, params, poolReservesRow);
};

const stateKey = (market: Hex, manager: Hex): string => `${marketId(market)}${manager}`;
const keyOf = ({ id, logged_by }: { id: Hex; logged_by: Hex }): string => stateKey(id, logged_by);

const readOthers = async (
  clickhouse: Clickhouse,
  chainId: number,
  markets: readonly MarketAt[],
) => {
  if (markets.length === 0) return { prices: [], ticks: [], reserves: [], curves: [] };
  const params = {
    chainId,
    markets: markets.map(({ market }) => marketParam(market)),
    until: markets.map(({ untilBlock }) => untilBlock),
  };
  const [prices, ticks, reserves, curves] = await Promise.all([
    clickhouse.query(priceSql, params, priceRow),
    clickhouse.query(ticksSql, params, ticksRow),
    clickhouse.query(reservesSql, params, reservesRow),
    clickhouse.query(curvesSql, params, curvesRow),
  ]);
  return { prices, ticks, reserves, curves };
};

/**
 * Where markets stand after their blocks, from the events that one contract logged for each (see `loggedBy`): any
 * contract can log any id in a manager, also that of another's pool.
 */
export const readMarketStates = async (
  clickhouse: Clickhouse,
  chainId: number,
  markets: readonly MarketAt[],
): Promise<(market: Pick<CreatedMarket, 'market' | 'protocol' | 'factory'>) => MarketState> => {
  const [pools, others] = await Promise.all([
    readPoolReserves(
      clickhouse,
      chainId,
      markets.filter(({ isUniswapV2 }) => isUniswapV2),
    ),
    readOthers(
      clickhouse,
      chainId,
      markets.filter(({ isUniswapV2 }) => !isUniswapV2),
    ),
  ]);
  const priceOf = new Map(others.prices.map((row) => [keyOf(row), row]));
  const ticksOf = groupBy(others.ticks, keyOf);
  const reservesOf = new Map([...pools, ...others.reserves].map((row) => [keyOf(row), row]));
  const curveOf = new Map(others.curves.map((row) => [keyOf(row), row]));
  return (created) => {
    const key = stateKey(created.market, loggedBy(created));
    const price = priceOf.get(key);
    const held = reservesOf.get(key);
    const curve = poolKindOf(created.protocol) === 'bonding' ? curveOf.get(key) : undefined;
    // For Virtuals the creating contract reports a graduation, not the pair.
    const left = reservesOf.get(stateKey(created.market, created.factory));
    const reserves = curve ?? held;
    return {
      ...(price && { price: { sqrtPriceX96: price.sqrt_price, tick: price.tick_now } }),
      ticks: ticksOf.get(key) ?? [],
      ...(reserves && { reserves: { reserve0: reserves.held0, reserve1: reserves.held1 } }),
      ...(curve && { start: curve.start }),
      ...(held && held.last_price > 0 && { lastPrice: held.last_price }),
      ...((held ?? left)?.has_left === 1 && { hasGraduated: true }),
    };
  };
};
