import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import type { Database } from '../server/database.ts';

/** Events read for one chart, the newest ones. */
const EVENTS_MAX = 20_000;
const POINTS_MAX = 300;

/** The pool a token is traded in, over time. */
export interface MarketHistory {
  readonly pool: Hex;
  /** What the token is traded against. */
  readonly otherToken: Hex;
  /** Unix seconds, ascending. */
  readonly times: readonly number[];
  /** Other token for one token, both in base units. */
  readonly prices: readonly number[];
  /** Reserve of the other token, in its base units. */
  readonly reserves: readonly number[];
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

/**
 * Price and reserve of a token's first pool after each of its latest trades, in at most 300 steps: the
 * last state of each step. Undefined for a token without a pool.
 */
export const readMarket = async (
  database: Database,
  chainId: number,
  token: Hex,
): Promise<MarketHistory | undefined> => {
  const pool = await findPool(database, chainId, token);
  if (!pool) return undefined;
  const [own, other] = pool.token_is_0 ? ['reserve0', 'reserve1'] : ['reserve1', 'reserve0'];
  const rows = await database.query(
    `WITH states AS (
       SELECT toUnixTimestamp(timestamp) AS at_s, block_number, log_index,
         toFloat64(${own}) AS own_reserve, toFloat64(${other}) AS other_reserve
       FROM fact_pool_events FINAL
       WHERE chain_id = {chainId:UInt64} AND pool = unhex({pool:String}) AND kind = 'sync'
       ORDER BY block_number DESC, log_index DESC LIMIT ${EVENTS_MAX}
     ), (SELECT (min(at_s), greatest(1, intDiv(max(at_s) - min(at_s), ${POINTS_MAX}) + 1)) FROM states) AS span
     SELECT max(at_s) AS time, argMax(own_reserve, (block_number, log_index)) AS own_last,
       argMax(other_reserve, (block_number, log_index)) AS other_last
     FROM states GROUP BY intDiv(at_s - span.1, span.2) ORDER BY time`,
    { chainId, pool: pool.pool_hex.slice(2) },
    z.object({ time: countSchema, own_last: z.number(), other_last: z.number() }),
  );
  return {
    pool: pool.pool_hex,
    otherToken: pool.other_hex,
    times: rows.map(({ time }) => time),
    prices: rows.map((row) => (row.own_last === 0 ? 0 : row.other_last / row.own_last)),
    reserves: rows.map((row) => row.other_last),
  };
};
