import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/addressSet.ts';
import { type Hex, ZERO_ADDRESS } from '../../shared/chain/block.ts';
import { NAMED_BY_HASH, PROTOCOLS } from '../../shared/chain/fact.ts';
import { type ConcentratedPool, withTicks } from '../../shared/market/concentratedPool.ts';
import { marketId } from '../../shared/market/marketId.ts';
import { addressSchema, hashSchema } from '../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { groupBy } from '../../shared/platform/groupBy.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import type { TokenMarket } from './pools/mainMarkets.ts';
import type { KnownMarket } from './pools/marketStates.ts';

/** What counts when markets are read. */
export interface MarketScope {
  readonly chainId: number;
  /** Tokens that others are paid with; with the wrapped native token counts the native one. */
  readonly bases: readonly Hex[];
  /** Factories whose markets count; null: all. */
  readonly factories: ReadonlySet<Hex> | null;
}

/** What is read of markets beside Uniswap V2. The index may be behind, or ahead. */
export interface MarketReader {
  /** Those of the markets that are indexed, as they stood before a block. */
  markets(markets: readonly Hex[], beforeBlock: number): Promise<KnownMarket[]>;
  /** The markets of these tokens that can be the deepest one, of any protocol, created before a block. */
  marketsOf(tokens: readonly Hex[], beforeBlock: number): Promise<TokenMarket[]>;
}

const ADDRESS_DIGITS = 40;
const inMarkets = `(SELECT toFixedString(unhex(arrayJoin({markets:Array(String)})), 32))`;
/** Of any factory where none are known. */
const isTrusted = `(empty({factories:Array(String)}) OR f.factory IN ${inAddresses('factories')})`;
const digits = z.string().regex(/^-?\d+$/);
const protocolSchema = z.enum(PROTOCOLS);

const createdSql = `SELECT ${hexText('f.market')} AS id, toString(f.protocol) AS kind_of,
    ${hexText('f.factory')} AS maker, ${hexText('f.token0')} AS side0, ${hexText('f.token1')} AS side1,
    f.fee AS fee, f.tick_spacing AS spacing, f.stable AS stable, ${hexText('f.hooks')} AS hook,
    toString(f.sqrt_price_x96) AS first_price, f.tick AS first_tick
  FROM fact_markets AS f FINAL
  WHERE f.chain_id = {chainId:UInt64} AND f.market IN ${inMarkets} AND ${isTrusted}
    AND f.block_number < {beforeBlock:UInt64}
  ORDER BY f.block_number, f.log_index LIMIT 1 BY f.market`;
const createdRow = z.object({
  id: hashSchema,
  kind_of: protocolSchema,
  maker: addressSchema,
  side0: addressSchema,
  side1: addressSchema,
  fee: z.number(),
  spacing: z.number(),
  stable: z.number(),
  hook: addressSchema,
  first_price: digits,
  first_tick: z.number(),
});
type Created = z.output<typeof createdRow>;

const ofMarkets = `e.chain_id = {chainId:UInt64} AND e.market IN ${inMarkets}
    AND e.block_number < {beforeBlock:UInt64}`;

/** Of a manager anybody can log the name of a market: the caller keeps what the right one logged. */
const pricesSql = `SELECT ${hexText('e.market')} AS id, ${hexText('e.manager')} AS logged_by,
    toString(argMax(e.sqrt_price_x96, (e.block_number, e.log_index))) AS price,
    argMax(e.tick, (e.block_number, e.log_index)) AS tick_now
  FROM fact_market_events AS e FINAL
  WHERE ${ofMarkets} AND e.kind IN ('swap', 'priced') AND e.sqrt_price_x96 > 0
  GROUP BY e.market, e.manager`;
const pricesRow = z.object({
  id: hashSchema,
  logged_by: addressSchema,
  price: digits,
  tick_now: z.number(),
});

const ticksSql = `SELECT id, logged_by, edge, toString(sum(gross)) AS gross, toString(sum(net)) AS net
  FROM (SELECT ${hexText('e.market')} AS id, ${hexText('e.manager')} AS logged_by,
      if(e.kind = 'mint', 1, -1) * toInt256(e.position_liquidity) AS gross,
      arrayJoin([(e.tick_lower, 1), (e.tick_upper, -1)]) AS at, at.1 AS edge, at.2 * gross AS net
    FROM fact_market_events AS e FINAL
    WHERE ${ofMarkets} AND e.kind IN ('mint', 'burn') AND e.position_liquidity > 0)
  GROUP BY id, logged_by, edge`;
const ticksRow = z.object({
  id: hashSchema,
  logged_by: addressSchema,
  edge: z.number(),
  gross: digits,
  net: digits,
});

const reservesSql = `SELECT ${hexText('e.market')} AS id,
    toFloat64(argMax(e.reserve0, (e.block_number, e.log_index))) AS amount0,
    toFloat64(argMax(e.reserve1, (e.block_number, e.log_index))) AS amount1
  FROM fact_market_events AS e FINAL
  WHERE ${ofMarkets} AND e.kind = 'sync'
  GROUP BY e.market`;
const reservesRow = z.object({ id: hashSchema, amount0: z.number(), amount1: z.number() });

/** Markets of one token that are looked up: more are made to confuse, and the deepest is among the first. */
const MARKETS_PER_TOKEN_MAX = 16;
const isTracked = `f.protocol IN ('uniswap_v3', 'pancake_v3', 'uniswap_v4', 'slipstream', 'solidly')`;
const marketsOfSql = `SELECT ${hexText('traded')} AS asset, ${hexText('f.market')} AS id, toString(f.protocol) AS kind_of
  FROM fact_markets AS f FINAL
  ARRAY JOIN [f.token0, f.token1] AS traded, [f.token1, f.token0] AS other
  WHERE f.chain_id = {chainId:UInt64}
    AND (f.token0 IN ${inAddresses('tokens')} OR f.token1 IN ${inAddresses('tokens')})
    AND traded IN ${inAddresses('tokens')} AND other IN ${inAddresses('bases')}
    AND ${isTracked} AND ${isTrusted} AND f.hooks = toFixedString('', 20)
    AND f.block_number < {beforeBlock:UInt64}
  ORDER BY f.block_number, f.log_index LIMIT ${MARKETS_PER_TOKEN_MAX} BY traded`;
const marketsOfRow = z.object({ asset: addressSchema, id: hashSchema, kind_of: protocolSchema });

const poolsOf = `SELECT p.pool FROM dim_pools AS p FINAL WHERE p.chain_id = {chainId:UInt64}
    AND p.token IN ${inAddresses('tokens')} AND p.other_token IN ${inAddresses('bases')}`;
const poolsOfSql = `SELECT ${hexText('traded')} AS asset, ${hexText('f.pool')} AS address
  FROM fact_pools AS f FINAL
  ARRAY JOIN [f.token0, f.token1] AS traded
  WHERE f.chain_id = {chainId:UInt64} AND f.pool IN (${poolsOf})
    AND traded IN ${inAddresses('tokens')} AND ${isTrusted} AND f.block_number < {beforeBlock:UInt64}
  ORDER BY f.block_number, f.log_index LIMIT ${MARKETS_PER_TOKEN_MAX} BY traded`;
const poolsOfRow = z.object({ asset: addressSchema, address: addressSchema });

/** The name of a market as logs have it. */
const nameOf = (id: Hex, protocol: Created['kind_of']): Hex =>
  NAMED_BY_HASH.has(protocol) ? id : `0x${id.slice(-ADDRESS_DIGITS)}`;
const marketParam = (market: Hex): string => marketId(market).slice(2);

/** The markets of one chain in ClickHouse. */
export const createMarketReader = (clickhouse: Clickhouse, scope: MarketScope): MarketReader => {
  const common = {
    chainId: scope.chainId,
    factories: [...(scope.factories ?? [])].map(addressParam),
  };
  return {
    markets: async (markets, beforeBlock) => {
      if (markets.length === 0) return [];
      const params = { ...common, markets: markets.map(marketParam), beforeBlock };
      const [created, prices, ticks, reserves] = await Promise.all([
        clickhouse.query(createdSql, params, createdRow),
        clickhouse.query(pricesSql, params, pricesRow),
        clickhouse.query(ticksSql, params, ticksRow),
        clickhouse.query(reservesSql, params, reservesRow),
      ]);
      const priceOf = new Map(prices.map((row) => [`${row.id}${row.logged_by}`, row]));
      const ticksOf = groupBy(ticks, (row) => `${row.id}${row.logged_by}`);
      const reservesOf = new Map(reserves.map(({ id, ...amounts }) => [id, amounts]));
      return created.map((row): KnownMarket => {
        const key = `${row.id}${NAMED_BY_HASH.has(row.kind_of) ? row.maker : ZERO_ADDRESS}`;
        const terms = { fee: row.fee, tickSpacing: row.spacing, stable: row.stable === 1 };
        return {
          protocol: row.kind_of,
          factory: row.maker,
          pool: nameOf(row.id, row.kind_of),
          token0: row.side0,
          token1: row.side1,
          terms: { ...terms, hooks: row.hook },
          reserves: reservesOf.get(row.id) ?? null,
          concentrated: concentratedOf(row, priceOf.get(key), ticksOf.get(key) ?? []),
        };
      });
    },
    marketsOf: async (tokens, beforeBlock) => {
      if (tokens.length === 0) return [];
      const params = {
        ...common,
        tokens: tokens.map(addressParam),
        bases: [...scope.bases, ZERO_ADDRESS].map(addressParam),
        beforeBlock,
      };
      const [markets, pools] = await Promise.all([
        clickhouse.query(marketsOfSql, params, marketsOfRow),
        clickhouse.query(poolsOfSql, params, poolsOfRow),
      ]);
      return [
        ...pools.map(({ asset, address }) => ({ token: asset, pool: address, isUniswapV2: true })),
        ...markets.map(({ asset, id, kind_of }) => ({
          token: asset,
          pool: nameOf(id, kind_of),
          isUniswapV2: false,
        })),
      ];
    },
  };
};

/** Price and ticks; null without a price. */
const concentratedOf = (
  created: Created,
  last: z.output<typeof pricesRow> | undefined,
  edges: readonly z.output<typeof ticksRow>[],
): ConcentratedPool | null => {
  const sqrtPriceX96 = BigInt(last?.price ?? created.first_price);
  if (sqrtPriceX96 === 0n) return null;
  const tick = last?.tick_now ?? created.first_tick;
  const price = { sqrtPriceX96, tick, feePips: created.fee, tickSpacing: created.spacing };
  return withTicks(
    price,
    edges.map(({ edge, gross, net }) => ({ tick: edge, gross: BigInt(gross), net: BigInt(net) })),
  );
};
