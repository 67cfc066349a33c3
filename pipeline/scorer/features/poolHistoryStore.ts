import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { HELD_AT_BLOCK_ENDS, readHeldMarkets } from '../../../shared/market/marketHoldings.ts';
import { marketId } from '../../../shared/market/marketId.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { DAY_S } from '../../../shared/platform/durations.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { ReadCache } from '../readCache.ts';
import { DRAINED_TO_PEAK_MAX, type PoolLife } from './creatorRecord.ts';
import { LP_TRANSFERS_MAX } from './lpFeatures.ts';
import { FEATURE_WINDOW_S } from './poolFeatures.ts';
import { UP_TO } from './transferStore.ts';

const poolRows = `(SELECT * FROM dim_pools FINAL WHERE chain_id = {chainId:UInt64}
    AND token IN ${inAddresses('tokens')} AND other_token IN ${inAddresses('bases')})`;

/**
 * Transfers of the pools' liquidity tokens in their first day, in chain order. In these rows the token is the pool's
 * own address, so they are read by primary key. Amounts are decimal text, converted once.
 */
const lpSql = `SELECT ${hexText('l.token')} AS pool_address, arraySort(x -> (x.2, x.3), groupArray(
      (toUnixTimestamp(l.timestamp), l.block_number, l.log_index, ${hexText('l.from_address')},
        ${hexText('l.to_address')}, toString(l.value)))) AS transfers
  FROM (SELECT token, timestamp, block_number, log_index, from_address, to_address, value,
      min(timestamp) OVER (PARTITION BY token) AS first_at
    FROM fact_transfers FINAL WHERE chain_id = {chainId:UInt64} AND ${UP_TO} AND token IN ${inAddresses('pools')}
    ORDER BY token, block_number, log_index LIMIT {transfersMax:UInt32} BY token) AS l
  WHERE l.timestamp <= l.first_at + ${FEATURE_WINDOW_S}
  GROUP BY l.token`;
const lpSchema = z.object({
  pool_address: addressSchema,
  /** Unix seconds, block, log index, from, to, raw amount. */
  transfers: z.array(
    z.tuple([z.number(), z.number(), z.number(), addressSchema, addressSchema, z.string()]),
  ),
});

/** Transfers of one liquidity token: Unix seconds, block, log index, from, to, raw amount. */
export type StoredLpTransfer = z.infer<typeof lpSchema>['transfers'][number];

/**
 * Daily history of pools after their first Sync, as in `poolDays`; reserves are raw, of the base and of the token. A
 * pool of many years has some thousand days, whatever its trading volume.
 */
const daysSql = `SELECT ${hexText('d.pool')} AS pool_address, d.base_is_1 AS base_is_1, arraySort(x -> x.1, groupArray((d.day, d.last_s, d.base_left,
      d.token_left, d.peak, d.events, d.bought, d.sold, d.removals, d.removed, d.units))) AS days
  FROM (SELECT pool, base_is_1, day, toUnixTimestamp(max(timestamp)) AS last_s, argMax(base, (block_number, log_index)) AS base_left,
      argMax(amount, (block_number, log_index)) AS token_left, max(base) AS peak, count() AS events,
      sumIf(base - base_before, base > base_before AND amount < amount_before) AS bought,
      sumIf(base_before - base, base < base_before AND amount > amount_before) AS sold,
      countIf(base < base_before AND amount < amount_before) AS removals,
      maxIf((base_before - base) / base_before, base < base_before AND amount < amount_before) AS removed,
      exp(sumIf(log(base / base_before), base_before > 0 AND ((base < base_before AND amount < amount_before)
        OR (base > base_before AND amount > amount_before)))) AS units
    FROM (SELECT pool, base_is_1, timestamp, block_number, log_index, base, amount, lagInFrame(base, 1, 0) OVER life AS base_before,
        lagInFrame(amount, 1, 0) OVER life AS amount_before,
        intDiv(toUnixTimestamp(timestamp) - toUnixTimestamp(min(timestamp) OVER (PARTITION BY pool, base_is_1)), ${DAY_S}) AS day
      FROM (SELECT e.pool AS pool, timestamp, block_number, log_index, s.2 AS base_is_1,
          toFloat64(if(base_is_1 = 1, reserve1, reserve0)) AS base, toFloat64(if(base_is_1 = 1, reserve0, reserve1)) AS amount
        FROM (SELECT * FROM fact_pool_events FINAL WHERE chain_id = {chainId:UInt64} AND kind = 'sync' AND ${UP_TO} AND pool IN ${inAddresses('pools')}) AS e
        ARRAY JOIN arrayFilter(x -> x.1 = lower(hex(pool)), arrayZip({pools:Array(String)}, {basesAre1:Array(UInt8)})) AS s)
      WINDOW life AS (PARTITION BY pool, base_is_1 ORDER BY block_number, log_index ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))
    GROUP BY pool, base_is_1, day) AS d
  GROUP BY d.pool, d.base_is_1`;
const daysSchema = z.object({
  pool_address: addressSchema,
  base_is_1: z.number(),
  /** The fields of `PoolDay` in their order. */
  days: z.array(
    z.tuple([
      z.number(),
      z.number(),
      z.number(),
      z.number(),
      z.number(),
      z.number(),
      z.number(),
      z.number(),
      z.number(),
      z.number(),
      z.number(),
    ]),
  ),
});
/** A day of a pool with raw reserves. */
export type StoredDay = z.infer<typeof daysSchema>['days'][number];

/** A pool as seen from one of its tokens: a pool of two base tokens has days for each. */
export interface PoolSide {
  readonly pool: Hex;
  /** Whether the base is token 1 of the pool. */
  readonly isBase1: boolean;
}
export type SideKey = `${Hex} ${0 | 1}`;
export const sideKey = ({ pool, isBase1 }: PoolSide): SideKey => `${pool} ${isBase1 ? 1 : 0}`;
const sideOf = (key: SideKey): PoolSide => {
  const [pool, side] = key.split(' ') as [Hex, string];
  return { pool, isBase1: side === '1' };
};

/** When each pool of the tokens was created, and when it was drained or recovered since. */
const drainsSql = `SELECT ${hexText('f.token')} AS address, ${hexText('f.pool')} AS pool_address, min(f.at) AS first_sync_s,
    arraySort(x -> (x.3, x.4), groupArrayIf((f.at, f.is_drained, f.block_number, f.log_index), f.is_drained != f.before)) AS turns
  FROM (SELECT token, pool, at, block_number, log_index, is_drained, lagInFrame(is_drained, 1, 0) OVER (
        PARTITION BY token, pool ORDER BY block_number, log_index ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS before
    FROM (SELECT p.token AS token, e.pool AS pool, toUnixTimestamp(e.timestamp) AS at, e.block_number AS block_number,
        e.log_index AS log_index, toFloat64(if(p.token_is_0 = 1, e.reserve1, e.reserve0)) AS base,
        toUInt8(base <= ${DRAINED_TO_PEAK_MAX} * max(base) OVER (PARTITION BY p.token, e.pool
          ORDER BY e.block_number, e.log_index ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)) AS is_drained
      FROM (SELECT * FROM fact_pool_events FINAL WHERE chain_id = {chainId:UInt64} AND kind = 'sync' AND ${UP_TO}
        AND pool IN (SELECT pool FROM ${poolRows})) AS e
      INNER JOIN ${poolRows} AS p ON p.pool = e.pool)) AS f
  GROUP BY f.token, f.pool`;
/**
 * The same for markets of other protocols than Uniswap V2, from the first block at whose end they held anything.
 */
const marketDrainsSql = `SELECT ${hexText('b.market')} AS id, toUnixTimestamp(min(b.timestamp)) AS first_sync_s,
    arraySort(x -> x.3, groupArrayIf((toUnixTimestamp(b.timestamp), b.is_drained, b.block_number, 0), b.is_drained != b.before)) AS turns
  FROM (SELECT *, lagInFrame(is_drained, 1, 0) OVER (
        PARTITION BY market ORDER BY block_number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS before
    FROM (SELECT *, max(base) OVER (PARTITION BY market ORDER BY block_number ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS peak,
        toUInt8(base <= ${DRAINED_TO_PEAK_MAX} * peak) AS is_drained
      FROM ${HELD_AT_BLOCK_ENDS})
    WHERE peak > 0) AS b
  GROUP BY b.market`;
const turnsSchema = z.object({
  first_sync_s: z.number(),
  /** Unix seconds, whether drained from then on, block, log index. */
  turns: z.array(z.tuple([z.number(), z.number(), z.number(), z.number()])),
});
const marketDrainsSchema = turnsSchema.extend({ id: hashSchema });
const drainsSchema = turnsSchema.extend({
  address: addressSchema,
  pool_address: addressSchema,
});

/** Markets of other protocols than Uniswap V2 examined per token. */
const MARKETS_PER_TOKEN_MAX = 8;
const lifeOf = ({ first_sync_s: firstSyncS, turns }: z.output<typeof turnsSchema>): PoolLife => ({
  firstSyncS,
  turns: turns.map(([atS, flag]) => [atS, flag === 1] as const),
});

/** Lives of markets of other protocols than Uniswap V2. */
const marketLives = async (
  clickhouse: Clickhouse,
  { chainId, tokens, bases, upTo }: HistoryQuery,
): Promise<[Hex, PoolLife][]> => {
  const { markets, params } = await readHeldMarkets(clickhouse, {
    chainId,
    tokens: tokens.filter((token) => !bases.includes(token)),
    bases: [...bases, ZERO_ADDRESS],
    upTo,
    marketsMax: MARKETS_PER_TOKEN_MAX,
  });
  if (markets.length === 0) return [];
  const rows = await clickhouse.query(marketDrainsSql, params, marketDrainsSchema);
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  return markets.flatMap(({ asset, market }): [Hex, PoolLife][] => {
    const row = rowOf.get(marketId(market));
    return row ? [[asset, lifeOf(row)]] : [];
  });
};

export interface HistoryQuery {
  readonly chainId: number;
  readonly tokens: readonly Hex[];
  readonly bases: readonly Hex[];
  /** Last block whose facts are stored in full; later ones are left out. */
  readonly upTo: number;
}

const paramsOf = ({ chainId, tokens, bases, upTo }: HistoryQuery) => ({
  chainId,
  tokens: tokens.map(addressParam),
  bases: bases.map(addressParam),
  upTo,
});

export const createPoolHistoryStore = (clickhouse: Clickhouse, cache: ReadCache) => ({
  /** Transfers of the liquidity tokens of pools, by pool. */
  lpTransfers: (
    chainId: number,
    pools: readonly Hex[],
    upTo: number,
  ): Promise<Map<Hex, readonly StoredLpTransfer[]>> =>
    cache.read({
      of: 'liquidity',
      keys: pools,
      upTo,
      dependsOn: (pool) => [`transfers ${pool}`],
      read: async (missing) => {
        const asked = missing.map(addressParam);
        const params = { chainId, pools: asked, upTo, transfersMax: LP_TRANSFERS_MAX };
        const rows = await clickhouse.query(lpSql, params, lpSchema);
        return new Map(rows.map((row) => [row.pool_address, row.transfers]));
      },
    }),
  /** Days of Uniswap V2 pools as seen from one of their tokens, by `sideKey`. */
  days: async (
    chainId: number,
    sides: readonly PoolSide[],
    upTo: number,
  ): Promise<Map<SideKey, readonly StoredDay[]>> =>
    cache.read({
      of: 'days',
      keys: [...new Set(sides.map(sideKey))],
      upTo,
      dependsOn: (key) => [`events ${sideOf(key).pool}`],
      read: async (missing) => {
        const asked = missing.map(sideOf);
        const params = {
          chainId,
          upTo,
          pools: asked.map(({ pool }) => addressParam(pool)),
          basesAre1: asked.map(({ isBase1 }) => (isBase1 ? 1 : 0)),
        };
        const rows = await clickhouse.query(daysSql, params, daysSchema);
        return new Map(
          rows.map(({ pool_address: pool, base_is_1, days }) => [
            sideKey({ pool, isBase1: base_is_1 === 1 }),
            days,
          ]),
        );
      },
    }),
  /** Lives of the pools of tokens, of any protocol, by token. */
  drains: async (query: HistoryQuery): Promise<Map<Hex, readonly PoolLife[]>> => {
    const pools = new Map<Hex, PoolLife[]>();
    if (query.tokens.length === 0) return pools;
    const [rows, others] = await Promise.all([
      clickhouse.query(drainsSql, paramsOf(query), drainsSchema),
      marketLives(clickhouse, query),
    ]);
    const lives = [...rows.map((row) => [row.address, lifeOf(row)] as const), ...others];
    for (const [token, life] of lives) pools.set(token, [...(pools.get(token) ?? []), life]);
    return pools;
  },
});
