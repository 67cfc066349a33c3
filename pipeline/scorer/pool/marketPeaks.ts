import { z } from 'zod';
import { addressParam } from '../../../shared/chain/addressSet.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { marketId } from '../../../shared/market/marketId.ts';
import { loggedBy } from '../../../shared/market/marketReads.ts';
import { hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { MarketAt } from './tokenMarkets.ts';

/** What a market held at the end of a block at most, and what it lost most by. */
export interface MarketPeak {
  /** Raw base units. */
  readonly base: number;
  readonly largestDropTx: Hex;
}

const inMarkets = `market IN (SELECT toFixedString(unhex(arrayJoin({markets:Array(String)})), 32))`;
const managerOfMarket = `toFixedString(unhex(transform(lower(hex(market)), {markets:Array(String)}, {managers:Array(String)}, '')), 20)`;
const isToken0OfMarket = `transform(lower(hex(market)), {markets:Array(String)}, {token0s:Array(UInt8)}, toUInt8(0)) = 1`;
/** Events that the pools logged themselves, or their managers: anybody can log any name, also that of another's pool. */
const events = `(SELECT * FROM fact_market_events FINAL WHERE chain_id = {chainId:UInt64} AND ${inMarkets}
    AND manager = ${managerOfMarket}
    AND block_number <= transform(lower(hex(market)), {markets:Array(String)}, {until:Array(UInt64)}, toUInt64(0)))`;

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
  markets: markets.map(({ market: { pool } }) => marketId(pool).slice(2)),
  managers: markets.map(({ market: { created } }) => addressParam(loggedBy(created))),
  token0s: markets.map(({ market: { isToken0 } }) => Number(isToken0)),
  until: markets.map(({ untilBlock }) => untilBlock),
});

/** The base that markets held, by pool, as far as a sale could have taken it out; absent for one that held nothing. */
export const readPeaks = async (
  clickhouse: Clickhouse,
  chainId: number,
  markets: readonly MarketAt[],
): Promise<Map<Hex, MarketPeak>> => {
  if (markets.length === 0) return new Map();
  const rows = await clickhouse.query(peaksSql, paramsOf(chainId, markets), peaksSchema);
  const peaks = new Map(
    rows.map(({ market, peak, drop_tx: largestDropTx }) => [market, { base: peak, largestDropTx }]),
  );
  return new Map(
    markets.flatMap(({ market: { pool } }) => {
      const peak = peaks.get(marketId(pool));
      return peak ? [[pool, peak] as const] : [];
    }),
  );
};
