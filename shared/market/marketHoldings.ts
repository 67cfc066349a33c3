import { addressParam } from '../chain/address.ts';
import type { Hex } from '../chain/block.ts';
import { protocolsOf, sqlProtocols } from '../chain/protocol.ts';
import type { Database } from '../platform/clickhouse.ts';
import {
  type CreatedMarket,
  IN_MARKETS,
  knownFactories,
  loggedBy,
  marketParam,
  readMarketsOf,
} from './marketReads.ts';

/** Markets against the native currency or a stablecoin, whose holdings follow from their events. */
export const HELD_PROTOCOLS = protocolsOf('concentrated', 'managed', 'solidly', 'curve');

/**
 * A market of another protocol than Uniswap V2, the side that counts, and the last block whose events count.
 */
export interface HoldingMarket {
  readonly created: Pick<CreatedMarket, 'market' | 'protocol' | 'factory'>;
  /** Whether the quote side, whose amounts count, is token 1. */
  readonly isToken0: boolean;
  readonly untilBlock: number;
}

/** The parameters of `MARKET_EVENTS`, and how its rows are read. */
export const holdingParams = (chainId: number, markets: readonly HoldingMarket[]) => ({
  chainId,
  markets: markets.map(({ created }) => marketParam(created.market)),
  managers: markets.map(({ created }) => addressParam(loggedBy(created))),
  token0s: markets.map(({ isToken0 }) => Number(isToken0)),
  until: markets.map(({ untilBlock }) => untilBlock),
});

/**
 * Markets of tokens whose holdings follow from their events, the first ones of each token, as parameters of
 * `HELD_AT_BLOCK_ENDS`. Markets that can exclude traders are left out because their holdings may be made up.
 */
export const readHeldMarkets = async (
  clickhouse: Database,
  place: {
    readonly chainId: number;
    readonly tokens: readonly Hex[];
    readonly bases: readonly Hex[];
    readonly upTo: number;
    readonly marketsMax: number;
  },
) => {
  const markets = await readMarketsOf(clickhouse, {
    ...place,
    anyOther: false,
    anyTerms: false,
    protocols: HELD_PROTOCOLS,
    factories: knownFactories(place.chainId),
  });
  const held = markets.map(({ asset, ...created }) => {
    return { created, isToken0: asset === created.token0, untilBlock: place.upTo };
  });
  return { markets, params: holdingParams(place.chainId, held) };
};

const managerOfMarket = `toFixedString(unhex(transform(lower(hex(market)), {markets:Array(String)}, {managers:Array(String)}, '')), 20)`;
const isToken0OfMarket = `transform(lower(hex(market)), {markets:Array(String)}, {token0s:Array(UInt8)}, toUInt8(0)) = 1`;
/**
 * Events that the pools logged themselves, or their managers: any contract can log any id, also that of another's
 * pool. Takes `holdingParams`.
 */
export const MARKET_EVENTS = `(SELECT * FROM fact_market_events FINAL WHERE chain_id = {chainId:UInt64} AND market IN ${IN_MARKETS}
    AND manager = ${managerOfMarket}
    AND block_number <= transform(lower(hex(market)), {markets:Array(String)}, {until:Array(UInt64)}, toUInt64(0)))`;

/**
 * As in `saleDepth`: base tokens at prices below a ten-thousandth do not count. Square root, in the form of pool
 * prices.
 */
const PRICE_FALL_ROOT = 100;
const inOrder = `OVER (PARTITION BY market ORDER BY block_number, log_index ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`;
const place = 'block_number, block_hash, timestamp, log_index, tx_hash';
/** Quote amount that a trade paid in; negative: took out. */
export const PAID_IN = `if(${isToken0OfMarket}, toFloat64(amount1_in) - toFloat64(amount1_out), toFloat64(amount0_in) - toFloat64(amount0_out))`;
/** A creation with a price counts as an event with one. */
const pricedEvents = `SELECT market, ${place}, toString(kind) AS what, toFloat64(sqrt_price_x96) / pow(2, 96) AS priced,
    pow(1.0001, tick_lower / 2) AS low, pow(1.0001, tick_upper / 2) AS high, toFloat64(position_liquidity) AS liquidity,
    ${PAID_IN} AS traded,
    toFloat64(if(${isToken0OfMarket}, reserve1, reserve0)) AS reserve
  FROM ${MARKET_EVENTS} WHERE if(protocol IN ${sqlProtocols(protocolsOf('solidly'))}, kind = 'sync', kind IN ('swap', 'priced', 'mint', 'burn'))
  UNION ALL SELECT market, ${place}, 'priced', toFloat64(sqrt_price_x96) / pow(2, 96), 1, 1, 0, 0, 0
  FROM fact_markets FINAL
  WHERE chain_id = {chainId:UInt64} AND market IN ${IN_MARKETS} AND protocol IN ${sqlProtocols(protocolsOf('managed'))} AND factory = ${managerOfMarket}`;
/** Base tokens between the price and the far end of a range, for one unit of liquidity (`SqrtPriceMath`). */
const baseOfRange = `greatest(0, if(${isToken0OfMarket},
    least(greatest(root, low), high) - greatest(low, root / ${PRICE_FALL_ROOT}),
    1 / least(greatest(root, low), high) - 1 / least(high, root * ${PRICE_FALL_ROOT})))`;

/**
 * Quote holdings of markets at the end of each block with an event, raw units, as far as a sale could take them out;
 * the largest loss within the block, and the change from positions (negative if liquidity was withdrawn). Holdings
 * are the sum of what trades and positions moved. Amounts of positions are computed from price and range because V4
 * logs none, and what V3 burns leaves later.
 */
export const HELD_AT_BLOCK_ENDS = `(SELECT market, block_number, any(block_hash) AS block_hash, any(timestamp) AS timestamp,
      argMax(base, log_index) AS base, min(flow) AS fall, argMin(tx_hash, flow) AS fall_tx,
      sumIf(flow, what IN ('mint', 'burn')) AS moved
    FROM (SELECT *, sum(flow) ${inOrder} AS base
      FROM (SELECT *, multiIf(what = 'swap', traded, what = 'sync', reserve - lagInFrame(reserve) ${inOrder},
          what = 'mint', liquidity * ${baseOfRange}, what = 'burn', -liquidity * ${baseOfRange}, 0) AS flow
        FROM (SELECT *, ifNull(anyLast(nullIf(priced, 0)) ${inOrder}, 0) AS root FROM (${pricedEvents}))))
    GROUP BY market, block_number)`;

/**
 * `HELD_AT_BLOCK_ENDS` with the payments of buyers per block, and whether everything moved to a pool of another
 * protocol (a graduated curve).
 */
export const HELD_AND_BOUGHT = `(SELECT h.*, b.bought AS bought, h.market IN (SELECT market FROM ${MARKET_EVENTS} WHERE kind = 'graduated') AS has_left
    FROM ${HELD_AT_BLOCK_ENDS} AS h
    LEFT JOIN (SELECT market, block_number, sum(greatest(0, ${PAID_IN})) AS bought FROM ${MARKET_EVENTS} WHERE kind = 'swap' GROUP BY market, block_number) AS b
      ON b.market = h.market AND b.block_number = h.block_number)`;
