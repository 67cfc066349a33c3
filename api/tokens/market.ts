import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../shared/chain/block.ts';
import { PROTOCOLS, protocolsOf, sqlProtocols } from '../../shared/chain/protocol.ts';
import {
  HELD_AT_BLOCK_ENDS,
  holdingParams,
  MARKET_EVENTS,
  PAID_IN,
} from '../../shared/market/marketHoldings.ts';
import {
  knownFactories,
  readCreatedMarkets,
  readMarketsOf,
} from '../../shared/market/marketReads.ts';
import { stablePrice } from '../../shared/market/stableCurve.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import type { VerdictDoc } from '../../shared/messages/verdictDoc.ts';
import type { Database } from '../../shared/platform/clickhouse.ts';
import { DAY_S } from '../../shared/platform/durations.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import type { Verdict } from './verdict.ts';

/** Events read for one chart, the newest ones. */
const EVENTS_MAX = 20_000;
const POINTS_MAX = 300;
const MOVES_MAX = 40;
/** Facts of all blocks count. */
const UP_TO = Number.MAX_SAFE_INTEGER;
/** The quote asset of a market without a wrapped token. */
const NATIVE = { token_hex: ZERO_ADDRESS, symbol: 'native coin', decimals: 18 };

/** The market of a token over time. Amounts are whole units of the quote asset. */
export interface MarketHistory {
  /** The quote asset; zero is the native coin. */
  readonly quote: Hex;
  readonly quoteSymbol: string;
  /** Unix seconds, ascending. */
  readonly times: readonly number[];
  /** Price of one whole token. */
  readonly prices: readonly number[];
  /** What can be taken out of the quote side. */
  readonly reserves: readonly number[];
  /** Volume of the last 24 hours. */
  readonly volumeOfDay: number;
  /** When liquidity was added and removed, ascending. */
  readonly moves: readonly { readonly atS: number; readonly isRemoval: boolean }[];
}

/** The market that a verdict is based on. */
type MainMarket = VerdictDoc['market'];

/** Where the events of one market are stored, and what they mean. */
interface MarketEvents {
  readonly quote: Hex;
  readonly isToken0: boolean;
  readonly isStable: boolean;
  /** Price of token0 in token1, raw units, before the first trade; 0 if unknown. */
  readonly firstPrice: number;
  readonly params: Readonly<Record<string, unknown>>;
  /**
   * Rows of `at_s`, `block_number`, `log_index`, `price` (of token0 in token1; 0: unchanged) and `held` (quote side),
   * raw units.
   */
  readonly statesSql: string;
  /** Rows of events that add or remove liquidity. */
  readonly movesSql: string;
  /** One row: the traded volume in the quote asset. */
  readonly volumeSql: string;
}

const POOL_EVENTS = `(SELECT * FROM fact_pool_events FINAL WHERE chain_id = {chainId:UInt64} AND pool = unhex({pool:String}))`;
const SINCE = `timestamp > toDateTime({sinceS:UInt32}, 'UTC')`;

/** A Uniswap V2 pool: the main market, or else the token's first. */
const findPool = async (
  database: Database,
  chainId: number,
  token: Hex,
  main: MainMarket,
): Promise<MarketEvents | undefined> => {
  const [row] = await database.query(
    `SELECT ${hexText('dim_pools.pool')} AS pool_hex,
       ${hexText('other_token')} AS other_hex, token_is_0
     FROM dim_pools FINAL
     WHERE chain_id = {chainId:UInt64} AND token = unhex({token:String})
     ORDER BY pool_hex = {main:String} DESC, created_block, dim_pools.pool LIMIT 1`,
    { chainId, token: token.slice(2), main: main?.market ?? '' },
    z.object({ pool_hex: addressSchema, other_hex: addressSchema, token_is_0: z.number() }),
  );
  if (!row) return undefined;
  const isToken0 = row.token_is_0 === 1;
  const other = isToken0 ? 1 : 0;
  return {
    quote: row.other_hex,
    isToken0,
    isStable: false,
    firstPrice: 0,
    params: { chainId, pool: row.pool_hex.slice(2) },
    statesSql: `SELECT toUnixTimestamp(timestamp) AS at_s, block_number, log_index,
        if(reserve0 = 0, 0, toFloat64(reserve1) / toFloat64(reserve0)) AS price, toFloat64(reserve${other}) AS held
      FROM ${POOL_EVENTS} WHERE kind = 'sync'`,
    movesSql: `SELECT * FROM ${POOL_EVENTS} WHERE kind IN ('mint', 'burn')`,
    volumeSql: `SELECT sum(toFloat64(amount${other}_in) + toFloat64(amount${other}_out)) AS volume
      FROM ${POOL_EVENTS} WHERE kind = 'swap' AND ${SINCE}`,
  };
};

/** Virtuals curves log what moves: the price follows from what they hold, including their initial amounts. */
const heldBySide = (side: 0 | 1): string =>
  `sum(toFloat64(amount${side}_in) - toFloat64(amount${side}_out)) OVER (ORDER BY block_number, log_index ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`;
const BONDING = sqlProtocols(protocolsOf('bonding'));
const PRICES = `(SELECT block_number, argMax(spot, log_index) AS price
    FROM (SELECT block_number, log_index, multiIf(sqrt_price_x96 > 0, pow(toFloat64(sqrt_price_x96) / pow(2, 96), 2),
        kind = 'sync', toFloat64(reserve1) / toFloat64(reserve0), protocol IN ${BONDING}, ${heldBySide(1)} / ${heldBySide(0)},
        protocol IN ${sqlProtocols(protocolsOf('curve'))}, (toFloat64(amount1_in) + toFloat64(amount1_out)) / (toFloat64(amount0_in) + toFloat64(amount0_out)), 0) AS spot
      FROM ${MARKET_EVENTS} WHERE kind IN ('sync', 'swap', 'priced') OR (kind = 'mint' AND protocol IN ${BONDING}))
    WHERE spot > 0 AND isFinite(spot) GROUP BY block_number)`;

/** A market of another protocol: the main one, or else the token's first. */
const findOther = async (
  database: Database,
  chainId: number,
  token: Hex,
  main: MainMarket,
): Promise<MarketEvents | undefined> => {
  const factories = knownFactories(chainId);
  const [created] = main
    ? await readCreatedMarkets(database, {
        chainId,
        markets: [main.market],
        factories,
        upTo: UP_TO,
      })
    : await readMarketsOf(database, {
        chainId,
        tokens: [token],
        bases: [],
        anyOther: true,
        anyTerms: true,
        protocols: PROTOCOLS,
        factories,
        upTo: UP_TO,
        marketsMax: 1,
      });
  if (!created) return undefined;
  const isToken0 = created.token0 === token;
  return {
    quote: isToken0 ? created.token1 : created.token0,
    isToken0,
    isStable: created.terms.stable,
    firstPrice: (Number(created.firstPrice?.sqrtPriceX96 ?? 0n) / 2 ** 96) ** 2,
    params: holdingParams(chainId, [{ created, isToken0, untilBlock: UP_TO }]),
    statesSql: `SELECT toUnixTimestamp(h.timestamp) AS at_s, h.block_number AS block_number, 0 AS log_index, p.price AS price, h.base AS held
      FROM ${HELD_AT_BLOCK_ENDS} AS h LEFT JOIN ${PRICES} AS p ON p.block_number = h.block_number`,
    movesSql: `SELECT * FROM ${MARKET_EVENTS}
      WHERE kind = 'graduated' OR (kind IN ('mint', 'burn') AND (position_liquidity > 0 OR protocol IN ${sqlProtocols(protocolsOf('solidly', 'bonding'))}))`,
    volumeSql: `SELECT sum(abs(${PAID_IN})) AS volume FROM ${MARKET_EVENTS} WHERE kind = 'swap' AND ${SINCE}`,
  };
};

const readUnits = async (database: Database, chainId: number, tokens: readonly Hex[]) => {
  const rows = await database.query(
    `SELECT ${hexText('token')} AS token_hex, symbol, decimals FROM dim_tokens FINAL
     WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')}`,
    { chainId, tokens: tokens.map(addressParam) },
    z.object({ token_hex: addressSchema, symbol: z.string(), decimals: z.number().nullable() }),
  );
  return new Map([NATIVE, ...rows].map((row) => [row.token_hex, row]));
};

/** States of the market in at most 300 steps, the last state of each. */
const stepsSql = (statesSql: string): string =>
  `WITH states AS (${statesSql} ORDER BY block_number DESC, log_index DESC LIMIT ${EVENTS_MAX}),
     (SELECT (min(at_s), greatest(1, intDiv(max(at_s) - min(at_s), ${POINTS_MAX}) + 1)) FROM states) AS span
   SELECT max(at_s) AS time, argMaxIf(price, (block_number, log_index), price > 0) AS price_last,
     argMax(held, (block_number, log_index)) AS held_last
   FROM states GROUP BY intDiv(at_s - span.1, span.2) ORDER BY time`;
const stepRow = z.object({ time: countSchema, price_last: z.number(), held_last: z.number() });

const lastMoves = (movesSql: string): string =>
  `SELECT toUnixTimestamp(timestamp) AS at_s, kind != 'mint' AS is_removal FROM (${movesSql})
   ORDER BY block_number DESC, log_index DESC LIMIT ${MOVES_MAX}`;

/** Price of one whole token in whole quote units, from the price of raw token0 in raw token1. */
const priceOf = (
  { isToken0, isStable }: MarketEvents,
  raw: number,
  [ownDecimals, quoteDecimals]: readonly [number, number],
): number => {
  if (raw === 0) return 0;
  const [digits0, digits1] = isToken0 ? [ownDecimals, quoteDecimals] : [quoteDecimals, ownDecimals];
  // The price in a stable pool depends only on the ratio of its reserves.
  const stable = isStable && stablePrice({ amount0: 1, amount1: raw }, { digits0, digits1 });
  const spot = stable || raw;
  return (isToken0 ? spot : 1 / spot) * 10 ** (ownDecimals - quoteDecimals);
};

/**
 * Price and liquidity of a token's main market after each of its latest trades. For a token without a verdict it is
 * the first market, Uniswap V2 pools before others. Undefined for a token without a market, or if the decimals of its
 * market are unknown.
 */
export const readMarket = async (
  database: Database,
  chainId: number,
  { token, doc }: Pick<Verdict, 'token' | 'doc'>,
  nowMs: number,
): Promise<MarketHistory | undefined> => {
  const main = doc.market;
  const isInPool = main === undefined || main.protocol === 'uniswap_v2';
  const found =
    (isInPool ? await findPool(database, chainId, token, main) : undefined) ??
    (await findOther(database, chainId, token, main));
  if (!found) return undefined;
  const { quote } = found;
  const params = { ...found.params, sinceS: Math.floor(nowMs / 1_000) - DAY_S };
  const [units, steps, moves, [traded]] = await Promise.all([
    readUnits(database, chainId, [token, quote]),
    database.query(stepsSql(found.statesSql), params, stepRow),
    database.query(
      lastMoves(found.movesSql),
      params,
      z.object({ at_s: countSchema, is_removal: z.number() }),
    ),
    database.query(found.volumeSql, params, z.object({ volume: z.number() })),
  ]);
  const [ownDecimals, quoteDecimals] = [units.get(token)?.decimals, units.get(quote)?.decimals];
  if (typeof ownDecimals !== 'number' || typeof quoteDecimals !== 'number') return undefined;
  const quoteUnit = 10 ** quoteDecimals;
  let raw = found.firstPrice;
  return {
    quote,
    quoteSymbol: units.get(quote)?.symbol ?? '',
    times: steps.map(({ time }) => time),
    prices: steps.map((row) => {
      raw = row.price_last || raw;
      return priceOf(found, raw, [ownDecimals, quoteDecimals]);
    }),
    reserves: steps.map((row) => row.held_last / quoteUnit),
    volumeOfDay: (traded?.volume ?? 0) / quoteUnit,
    moves: moves.map((row) => ({ atS: row.at_s, isRemoval: row.is_removal === 1 })).toReversed(),
  };
};

/**
 * US dollars per quote unit as of a verdict: the token's price in the verdict divided by its price in the market
 * then. Undefined if the verdict is based on another market.
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
