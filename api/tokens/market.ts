import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import type { VerdictDoc } from '../../shared/messages/verdictDoc.ts';
import type { Database } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';

/** Events read for one chart, the newest ones. */
const EVENTS_MAX = 20_000;
const POINTS_MAX = 300;
const MOVES_MAX = 40;
const DAY_S = 86_400;

/** The pool a token is traded in, over time. Amounts are whole units of what it is traded against. */
export interface MarketHistory {
  readonly pool: Hex;
  /** What the token is traded against. */
  readonly quote: Hex;
  readonly quoteSymbol: string;
  /** Unix seconds, ascending. */
  readonly times: readonly number[];
  /** Of one whole token. */
  readonly prices: readonly number[];
  /** Reserve of the other token. */
  readonly reserves: readonly number[];
  /** What changed hands in the last 24 hours. */
  readonly volumeOfDay: number;
  /** When liquidity came and went, ascending. */
  readonly moves: readonly { readonly atS: number; readonly isRemoval: boolean }[];
}

const findPool = async (database: Database, chainId: number, token: Hex) => {
  const [row] = await database.query(
    `SELECT ${hexText('dim_pools.pool')} AS pool_hex,
       ${hexText('other_token')} AS other_hex, token_is_0
     FROM dim_pools FINAL
     WHERE chain_id = {chainId:UInt64} AND token = unhex({token:String})
     ORDER BY created_block, dim_pools.pool LIMIT 1`,
    { chainId, token: token.slice(2) },
    z.object({ pool_hex: addressSchema, other_hex: addressSchema, token_is_0: z.number() }),
  );
  return row;
};

/** Symbols and decimals of tokens. */
const readUnits = async (database: Database, chainId: number, tokens: readonly Hex[]) => {
  const rows = await database.query(
    `SELECT ${hexText('token')} AS token_hex, symbol, decimals FROM dim_tokens FINAL
     WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')}`,
    { chainId, tokens: tokens.map(addressParam) },
    z.object({ token_hex: addressSchema, symbol: z.string(), decimals: z.number().nullable() }),
  );
  return new Map(rows.map((row) => [row.token_hex, row]));
};

const OF_POOL = 'chain_id = {chainId:UInt64} AND pool = unhex({pool:String})';

/** States of the pool in at most 300 steps, the last of each. */
const stepsSql = (own: string, other: string): string =>
  `WITH states AS (
     SELECT toUnixTimestamp(timestamp) AS at_s, block_number, log_index,
       toFloat64(${own}) AS own_reserve, toFloat64(${other}) AS other_reserve
     FROM fact_pool_events FINAL WHERE ${OF_POOL} AND kind = 'sync'
     ORDER BY block_number DESC, log_index DESC LIMIT ${EVENTS_MAX}
   ), (SELECT (min(at_s), greatest(1, intDiv(max(at_s) - min(at_s), ${POINTS_MAX}) + 1)) FROM states) AS span
   SELECT max(at_s) AS time, argMax(own_reserve, (block_number, log_index)) AS own_last,
     argMax(other_reserve, (block_number, log_index)) AS other_last
   FROM states GROUP BY intDiv(at_s - span.1, span.2) ORDER BY time`;

const movesSql = `SELECT toUnixTimestamp(timestamp) AS at_s, kind = 'burn' AS is_removal
  FROM fact_pool_events FINAL WHERE ${OF_POOL} AND kind IN ('mint', 'burn')
  ORDER BY block_number DESC, log_index DESC LIMIT ${MOVES_MAX}`;

const volumeSql = (side: 0 | 1): string =>
  `SELECT sum(toFloat64(amount${side}_in) + toFloat64(amount${side}_out)) AS volume
   FROM fact_pool_events FINAL
   WHERE ${OF_POOL} AND kind = 'swap' AND timestamp > toDateTime({sinceS:UInt32}, 'UTC')`;

/**
 * Price and reserve of a token's first pool after each of its latest trades. Undefined for a token without a pool of
 * Uniswap V2, or with one whose units are not known.
 */
export const readMarket = async (
  database: Database,
  chainId: number,
  token: Hex,
  nowMs: number,
): Promise<MarketHistory | undefined> => {
  const found = await findPool(database, chainId, token);
  if (!found) return undefined;
  const { pool_hex: pool, other_hex: quote, token_is_0: isToken0 } = found;
  const [own, other] = isToken0 ? ['reserve0', 'reserve1'] : ['reserve1', 'reserve0'];
  const params = { chainId, pool: pool.slice(2), sinceS: Math.floor(nowMs / 1_000) - DAY_S };
  const [units, steps, moves, [traded]] = await Promise.all([
    readUnits(database, chainId, [token, quote]),
    database.query(
      stepsSql(own, other),
      params,
      z.object({ time: countSchema, own_last: z.number(), other_last: z.number() }),
    ),
    database.query(movesSql, params, z.object({ at_s: countSchema, is_removal: z.number() })),
    database.query(volumeSql(isToken0 ? 1 : 0), params, z.object({ volume: z.number() })),
  ]);
  const [ownDecimals, quoteDecimals] = [units.get(token)?.decimals, units.get(quote)?.decimals];
  if (typeof ownDecimals !== 'number' || typeof quoteDecimals !== 'number') return undefined;
  const [ownUnit, quoteUnit] = [10 ** ownDecimals, 10 ** quoteDecimals];
  return {
    pool,
    quote,
    quoteSymbol: units.get(quote)?.symbol ?? '',
    times: steps.map(({ time }) => time),
    prices: steps.map((row) =>
      row.own_last === 0 ? 0 : row.other_last / quoteUnit / (row.own_last / ownUnit),
    ),
    reserves: steps.map((row) => row.other_last / quoteUnit),
    volumeOfDay: (traded?.volume ?? 0) / quoteUnit,
    moves: moves.map((row) => ({ atS: row.at_s, isRemoval: row.is_removal === 1 })).toReversed(),
  };
};

/**
 * US dollars for one unit of what a pool trades against, as of a verdict: what the verdict says of the token's price, by the
 * pool's own price then. Undefined where the verdict rests on another market.
 */
export const quotePriceUsd = (
  { features, market, provenance }: VerdictDoc,
  { quote, times, prices }: MarketHistory,
): number | undefined => {
  const priceUsd = features['price_usd'];
  if (priceUsd === undefined || market?.quote !== quote) return undefined;
  const asOfS = provenance.as_of_s ?? Number.POSITIVE_INFINITY;
  const at = times.findLastIndex((time, i) => time <= asOfS && (prices[i] ?? 0) > 0);
  const price = prices[at];
  const usd = price === undefined ? 0 : priceUsd / price;
  return Number.isFinite(usd) && usd > 0 ? usd : undefined;
};
