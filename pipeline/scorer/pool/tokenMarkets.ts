import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/addressSet.ts';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { CHAIN_PROFILES } from '../../../shared/chain/chains.ts';
import { type ConcentratedPool, withTicks } from '../../../shared/market/concentratedPool.ts';
import { marketId } from '../../../shared/market/marketId.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { HOOK_SETS_FEE, type ManagedEntry, type PoolKind } from './poolKind.ts';

/** A pool beside Uniswap V2 that trades a token against a base token. */
export interface TokenMarket {
  readonly kind: Exclude<PoolKind, 'reserves'>;
  readonly token: Hex;
  /** Of an entry of a manager, zero: the native currency. */
  readonly base: Hex;
  /** The pool's contract, or its id in the manager. */
  readonly pool: Hex;
  readonly entry?: ManagedEntry | undefined;
  /** Whether the token is token 0 of the pool. */
  readonly isToken0: boolean;
  /** Of concentrated liquidity. */
  readonly feePips: number;
  readonly tickSpacing: number;
}

/** A market, and the last block whose events count. */
interface MarketAt {
  readonly pool: Hex;
  readonly entry?: ManagedEntry | undefined;
  readonly untilBlock: number;
}

/** What a pool has after a block: its reserves, or its price and the liquidity between ticks. */
export type MarketDepth =
  | { readonly reserve0: bigint; readonly reserve1: bigint }
  | Omit<ConcentratedPool, 'feePips' | 'tickSpacing'>;

/** What a market held at the end of a block at most, and what it lost most by. */
export interface MarketPeak {
  /** Raw base units. */
  readonly base: number;
  readonly largestDropTx: Hex;
}

/** Reads pools beside Uniswap V2 from the facts: Uniswap V3, its forks, Slipstream, Uniswap V4, and Solidly. */
export interface TokenMarketStore {
  /**
   * The markets of tokens against base tokens that were created up to a block, the first ones of each token; those of base tokens are not
   * looked at. On a chain with a profile only its factories count, since anyone can deploy a factory whose pools hold nothing.
   */
  find(place: {
    readonly chainId: number;
    readonly tokens: readonly Hex[];
    readonly bases: readonly Hex[];
    readonly upTo: number;
  }): Promise<TokenMarket[]>;
  /** Where markets stand; absent for one without a price or reserves. */
  depths(chainId: number, markets: readonly MarketAt[]): Promise<Map<Hex, MarketDepth>>;
  /** The base that markets held, as far as a sale could have taken it out; absent for one that held nothing. */
  peaks(
    chainId: number,
    markets: readonly (MarketAt & Pick<TokenMarket, 'isToken0'>)[],
  ): Promise<Map<Hex, MarketPeak>>;
}

/** Markets of one token that are looked at. Each pair has one for each fee, of which there are four to seven. */
const MARKETS_PER_TOKEN_MAX = 20;

/** Factories whose pools count, as a condition on a row of `fact_markets`; without a profile of the chain all do. */
export const OF_KNOWN_FACTORIES = `(empty({factories:Array(String)}) OR factory IN ${inAddresses('factories')})`;

/** The parameter of `OF_KNOWN_FACTORIES`. */
export const knownFactories = (chainId: number): string[] =>
  (CHAIN_PROFILES.get(chainId)?.factories ?? []).map(({ address }) => addressParam(address));

const HEX_CHARS_BEFORE_ADDRESS = 2 + 2 * 12;

const poolOfMarket = (market: Hex): Hex => `0x${market.slice(HEX_CHARS_BEFORE_ADDRESS)}`;

const findSql = `SELECT ${hexText('m.side.1')} AS token, ${hexText('m.side.2')} AS base,
    ${hexText('m.market')} AS market, m.side.3 AS is_token0, m.kind AS kind, m.fee AS fee, m.tick_spacing AS tick_spacing,
    ${hexText('m.factory')} AS manager, ${hexText('m.hooks')} AS hooks
  FROM (SELECT market, multiIf(protocol = 'solidly', 'solidly', protocol = 'uniswap_v4', 'managed', 'concentrated') AS kind,
      fee, tick_spacing, factory, hooks, block_number, log_index, arrayJoin([(token0, token1, 1), (token1, token0, 0)]) AS side
    FROM fact_markets FINAL WHERE chain_id = {chainId:UInt64}
      AND protocol IN ('uniswap_v3', 'pancake_v3', 'slipstream', 'uniswap_v4', 'solidly')
      AND (token0 IN ${inAddresses('tokens')} OR token1 IN ${inAddresses('tokens')})
      AND block_number <= {upTo:UInt64} AND ${OF_KNOWN_FACTORIES}
    ORDER BY block_number, log_index LIMIT 1 BY market, side.1) AS m
  WHERE m.side.1 IN ${inAddresses('tokens')} AND m.side.2 IN ${inAddresses('bases')}
  ORDER BY m.block_number, m.log_index LIMIT {marketsMax:UInt32} BY m.side.1`;
const findSchema = z
  .object({
    token: addressSchema,
    base: addressSchema,
    market: hashSchema,
    is_token0: z.number(),
    kind: z.enum(['solidly', 'concentrated', 'managed']),
    fee: z.number(),
    tick_spacing: z.number(),
    manager: addressSchema,
    hooks: addressSchema,
  })
  .transform(
    ({ token, base, market, is_token0, kind, fee, manager, hooks, ...row }): TokenMarket => {
      const tickSpacing = row.tick_spacing;
      const feePips = fee === HOOK_SETS_FEE ? 0 : fee;
      const common = { kind, token, base, isToken0: is_token0 === 1, feePips, tickSpacing };
      if (kind !== 'managed') return { ...common, pool: poolOfMarket(market) };
      const isNative = base === ZERO_ADDRESS;
      return { ...common, pool: market, entry: { manager, fee, tickSpacing, hooks, isNative } };
    },
  );

const inMarkets = `market IN (SELECT toFixedString(unhex(arrayJoin({markets:Array(String)})), 32))`;
const managerOfMarket = `toFixedString(unhex(transform(lower(hex(market)), {markets:Array(String)}, {managers:Array(String)}, '')), 20)`;
const isToken0OfMarket = `transform(lower(hex(market)), {markets:Array(String)}, {token0s:Array(UInt8)}, toUInt8(0)) = 1`;
/** Events that the pools logged themselves, or their managers: anybody can log any name, also that of another's pool. */
const events = `(SELECT * FROM fact_market_events FINAL WHERE chain_id = {chainId:UInt64} AND ${inMarkets}
    AND manager = ${managerOfMarket}
    AND block_number <= transform(lower(hex(market)), {markets:Array(String)}, {until:Array(UInt64)}, toUInt64(0)))`;

/** A manager tells the first price with the creation. */
const priceSql = `SELECT ${hexText('e.market')} AS market,
    toString(argMax(e.sqrt_price_x96, (e.block_number, e.log_index))) AS sqrt_price,
    argMax(e.tick, (e.block_number, e.log_index)) AS price_tick
  FROM (SELECT market, sqrt_price_x96, tick, block_number, log_index FROM ${events} WHERE kind IN ('swap', 'priced')
    UNION ALL SELECT market, sqrt_price_x96, tick, block_number, log_index FROM fact_markets FINAL
      WHERE chain_id = {chainId:UInt64} AND ${inMarkets} AND protocol = 'uniswap_v4' AND factory = ${managerOfMarket}) AS e
  WHERE e.sqrt_price_x96 > 0 GROUP BY e.market`;
const priceSchema = z.object({
  market: hashSchema,
  sqrt_price: z.coerce.bigint(),
  price_tick: z.number(),
});

const ticksSql = `SELECT ${hexText('e.market')} AS market, e.edge.1 AS tick,
    toString(sum(e.change * e.edge.2)) AS net, toString(sum(e.change)) AS gross
  FROM (SELECT market, if(kind = 'mint', 1, -1) * toInt256(position_liquidity) AS change,
      arrayJoin([(tick_lower, toInt8(1)), (tick_upper, toInt8(-1))]) AS edge
    FROM ${events} WHERE kind IN ('mint', 'burn')) AS e GROUP BY e.market, e.edge.1`;
const ticksSchema = z.object({
  market: hashSchema,
  tick: z.number(),
  net: z.coerce.bigint(),
  gross: z.coerce.bigint(),
});

const reservesSql = `SELECT ${hexText('e.market')} AS market,
    toString(argMax(e.reserve0, (e.block_number, e.log_index))) AS held0,
    toString(argMax(e.reserve1, (e.block_number, e.log_index))) AS held1
  FROM ${events} AS e WHERE e.kind = 'sync' GROUP BY e.market`;
const reservesSchema = z.object({
  market: hashSchema,
  held0: z.coerce.bigint(),
  held1: z.coerce.bigint(),
});

/** As in `saleDepth`: base at prices below a ten-thousandth is none. Square root, as prices are kept. */
const PRICE_FALL_ROOT = 100;
const inOrder = `OVER (PARTITION BY market ORDER BY block_number, log_index ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`;
/** A creation with a price stands for an event that tells one. */
const pricedEvents = `SELECT market, block_number, log_index, tx_hash, toString(kind) AS what, toFloat64(sqrt_price_x96) / pow(2, 96) AS told,
    pow(1.0001, tick_lower / 2) AS low, pow(1.0001, tick_upper / 2) AS high, toFloat64(position_liquidity) AS liquidity,
    if(${isToken0OfMarket}, toFloat64(amount1_in) - toFloat64(amount1_out), toFloat64(amount0_in) - toFloat64(amount0_out)) AS traded,
    toFloat64(if(${isToken0OfMarket}, reserve1, reserve0)) AS reserve
  FROM ${events} WHERE if(protocol = 'solidly', kind = 'sync', kind IN ('swap', 'priced', 'mint', 'burn'))
  UNION ALL SELECT market, block_number, log_index, tx_hash, 'priced', toFloat64(sqrt_price_x96) / pow(2, 96), 1, 1, 0, 0, 0
  FROM fact_markets FINAL
  WHERE chain_id = {chainId:UInt64} AND ${inMarkets} AND protocol = 'uniswap_v4' AND factory = ${managerOfMarket}`;
/** Base between the price and the far end of a range, for one unit of liquidity (`SqrtPriceMath`). */
const baseOfRange = `greatest(0, if(${isToken0OfMarket},
    least(greatest(root, low), high) - greatest(low, root / ${PRICE_FALL_ROOT}),
    1 / least(greatest(root, low), high) - 1 / least(high, root * ${PRICE_FALL_ROOT})))`;
/** What trades and positions moved adds up to what is held. The amounts of positions follow from price and range: V4 does not log them. */
const peaksSql = `SELECT ${hexText('b.market')} AS market, max(b.base) AS peak, ${hexText('argMin(b.fall_tx, b.fall)')} AS drop_tx
  FROM (SELECT market, argMax(base, log_index) AS base, min(flow) AS fall, argMin(tx_hash, flow) AS fall_tx
    FROM (SELECT *, sum(flow) ${inOrder} AS base
      FROM (SELECT *, multiIf(what = 'swap', traded, what = 'sync', reserve - lagInFrame(reserve) ${inOrder},
          what = 'mint', liquidity * ${baseOfRange}, what = 'burn', -liquidity * ${baseOfRange}, 0) AS flow
        FROM (SELECT *, ifNull(anyLast(nullIf(told, 0)) ${inOrder}, 0) AS root FROM (${pricedEvents}))))
    GROUP BY market, block_number) AS b
  GROUP BY b.market HAVING peak > 0`;
const peaksSchema = z.object({ market: hashSchema, peak: z.number(), drop_tx: hashSchema });

const paramsOf = (chainId: number, markets: readonly MarketAt[]) => ({
  chainId,
  markets: markets.map(({ pool }) => marketId(pool).slice(2)),
  managers: markets.map(({ entry }) => addressParam(entry?.manager ?? ZERO_ADDRESS)),
  until: markets.map(({ untilBlock }) => untilBlock),
});

/** The tables `fact_markets` and `fact_market_events`. */
export const createTokenMarketStore = (clickhouse: Clickhouse): TokenMarketStore => ({
  find: async ({ chainId, tokens, bases, upTo }) => {
    const others = tokens.filter((token) => !bases.includes(token));
    if (others.length === 0) return [];
    const params = {
      chainId,
      tokens: others.map(addressParam),
      bases: bases.map(addressParam),
      factories: knownFactories(chainId),
      upTo,
      marketsMax: MARKETS_PER_TOKEN_MAX,
    };
    return clickhouse.query(findSql, params, findSchema);
  },
  depths: async (chainId, markets) => {
    if (markets.length === 0) return new Map();
    const params = paramsOf(chainId, markets);
    const [prices, edges, reserves] = await Promise.all([
      clickhouse.query(priceSql, params, priceSchema),
      clickhouse.query(ticksSql, params, ticksSchema),
      clickhouse.query(reservesSql, params, reservesSchema),
    ]);
    const ticksOf = groupBy(edges, ({ market }) => market);
    const depths = new Map<Hex, MarketDepth>(
      reserves.map(({ market, held0, held1 }) => [market, { reserve0: held0, reserve1: held1 }]),
    );
    for (const { market, sqrt_price: sqrtPriceX96, price_tick: tick } of prices) {
      depths.set(market, withTicks({ sqrtPriceX96, tick }, ticksOf.get(market) ?? []));
    }
    return new Map(
      markets.flatMap(({ pool }) => {
        const depth = depths.get(marketId(pool));
        return depth ? [[pool, depth] as const] : [];
      }),
    );
  },
  peaks: async (chainId, markets) => {
    if (markets.length === 0) return new Map();
    const token0s = markets.map(({ isToken0 }) => Number(isToken0));
    const params = { ...paramsOf(chainId, markets), token0s };
    const rows = await clickhouse.query(peaksSql, params, peaksSchema);
    const peaks = new Map(
      rows.map(({ market, peak, drop_tx: largestDropTx }) => [
        market,
        { base: peak, largestDropTx },
      ]),
    );
    return new Map(
      markets.flatMap(({ pool }) => {
        const peak = peaks.get(marketId(pool));
        return peak ? [[pool, peak] as const] : [];
      }),
    );
  },
});
