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

/** Markets against the native currency or a stable token whose holdings follow from their events. */
export const HELD_PROTOCOLS = protocolsOf('concentrated', 'managed', 'solidly', 'curve');

/** A market beside Uniswap V2, the side that counts, and the last block whose events do. */
export interface HoldingMarket {
  readonly created: Pick<CreatedMarket, 'market' | 'protocol' | 'factory'>;
  /** Whether the other side, whose amounts count, is token 1. */
  readonly isToken0: boolean;
  readonly untilBlock: number;
}

/** The parameters of `MARKET_EVENTS` and what is made of them. */
export const holdingParams = (chainId: number, markets: readonly HoldingMarket[]) => ({
  chainId,
  markets: markets.map(({ created }) => marketParam(created.market)),
  managers: markets.map(({ created }) => addressParam(loggedBy(created))),
  token0s: markets.map(({ isToken0 }) => Number(isToken0)),
  until: markets.map(({ untilBlock }) => untilBlock),
});

/**
 * Markets of tokens whose holdings follow from their events, of each token the first ones, with what `HELD_AT_BLOCK_ENDS` takes. Those in which
 * others need not be able to trade are left out: what they hold may be made up.
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
/** Events that the pools logged themselves, or their managers: anybody can log any name, also that of another's pool. Takes `holdingParams`. */
export const MARKET_EVENTS = `(SELECT * FROM fact_market_events FINAL WHERE chain_id = {chainId:UInt64} AND market IN ${IN_MARKETS}
    AND manager = ${managerOfMarket}
    AND block_number <= transform(lower(hex(market)), {markets:Array(String)}, {until:Array(UInt64)}, toUInt64(0)))`;

/** As in `saleDepth`: base at prices below a ten-thousandth is none. Square root, as prices are kept. */
const PRICE_FALL_ROOT = 100;
const inOrder = `OVER (PARTITION BY market ORDER BY block_number, log_index ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`;
const place = 'block_number, block_hash, timestamp, log_index, tx_hash';
/** What a trade paid in of the other side, negative: took out. */
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
/** Base between the price and the far end of a range, for one unit of liquidity (`SqrtPriceMath`). */
const baseOfRange = `greatest(0, if(${isToken0OfMarket},
    least(greatest(root, low), high) - greatest(low, root / ${PRICE_FALL_ROOT}),
    1 / least(greatest(root, low), high) - 1 / least(high, root * ${PRICE_FALL_ROOT})))`;

/**
 * What markets held of the other side at the end of each block with an event, raw units, as far as a sale could have taken it out; by what they
 * lost most in it, and what positions moved in it, negative where liquidity was withdrawn. What trades and positions moved adds up to it: the amounts of positions follow from price and range, as V4
 * logs none and what V3 burned leaves later.
 */
export const HELD_AT_BLOCK_ENDS = `(SELECT market, block_number, any(block_hash) AS block_hash, any(timestamp) AS timestamp,
      argMax(base, log_index) AS base, min(flow) AS fall, argMin(tx_hash, flow) AS fall_tx,
      sumIf(flow, what IN ('mint', 'burn')) AS moved
    FROM (SELECT *, sum(flow) ${inOrder} AS base
      FROM (SELECT *, multiIf(what = 'swap', traded, what = 'sync', reserve - lagInFrame(reserve) ${inOrder},
          what = 'mint', liquidity * ${baseOfRange}, what = 'burn', -liquidity * ${baseOfRange}, 0) AS flow
        FROM (SELECT *, ifNull(anyLast(nullIf(priced, 0)) ${inOrder}, 0) AS root FROM (${pricedEvents}))))
    GROUP BY market, block_number)`;

/** `HELD_AT_BLOCK_ENDS` with what buyers paid in each block, and whether all of it went to a pool of another protocol (a curve that graduated). */
export const HELD_AND_BOUGHT = `(SELECT h.*, b.bought AS bought, h.market IN (SELECT market FROM ${MARKET_EVENTS} WHERE kind = 'graduated') AS has_left
    FROM ${HELD_AT_BLOCK_ENDS} AS h
    LEFT JOIN (SELECT market, block_number, sum(greatest(0, ${PAID_IN})) AS bought FROM ${MARKET_EVENTS} WHERE kind = 'swap' GROUP BY market, block_number) AS b
      ON b.market = h.market AND b.block_number = h.block_number)`;
