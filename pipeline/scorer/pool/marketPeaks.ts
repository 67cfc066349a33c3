import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import { HELD_AT_BLOCK_ENDS, holdingParams } from '../../../shared/market/marketHoldings.ts';
import { marketId } from '../../../shared/market/marketId.ts';
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

const peaksSql = `SELECT ${hexText('b.market')} AS market, max(b.base) AS peak, ${hexText('argMin(b.fall_tx, b.fall)')} AS drop_tx
  FROM ${HELD_AT_BLOCK_ENDS} AS b GROUP BY b.market HAVING peak > 0`;
const peaksSchema = z.object({ market: hashSchema, peak: z.number(), drop_tx: hashSchema });

/** The base that markets held, by pool, as far as a sale could have taken it out; absent for one that held nothing. */
export const readPeaks = async (
  clickhouse: Clickhouse,
  chainId: number,
  markets: readonly MarketAt[],
): Promise<Map<Hex, MarketPeak>> => {
  if (markets.length === 0) return new Map();
  const held = markets.map(({ market: { created, isToken0 }, untilBlock }) => {
    return { created, isToken0, untilBlock };
  });
  const rows = await clickhouse.query(peaksSql, holdingParams(chainId, held), peaksSchema);
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
