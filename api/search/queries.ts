import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { marketId } from '../../shared/market/marketId.ts';
import {
  knownFactories,
  loggedByKnown,
  OF_KNOWN_FACTORIES,
} from '../../shared/market/marketReads.ts';
import { addressSchema } from '../../shared/messages/schemas.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { type ListIndex, NO_INDEX } from '../index/createListIndex.ts';
import { searchTokens, searchWallets } from '../index/tokenReads.ts';
import { type Share, unshared } from '../server/sharedReads.ts';
import type { Search } from './search.ts';

const ADDRESS_DIGITS = 40;
/** Decodes the id of a market in its manager. */
const ID_DIGITS = 64;

/** Tokens per pool: two, unless unknown contracts logged that they created it too. */
const POOL_TOKENS_MAX = 10;
const poolTokenRow = z.object({ side_hex: addressSchema, is_base: z.number() });

/** Trades of a Balancer V2 pool that are read, the earliest ones: nearly all its tokens are among them. */
const POOL_TRADES_MAX = 10_000;
/**
 * Tokens of Balancer V2 pools, whose ids begin with the pool's address. Some pools also trade their own shares. Any
 * contract can log a pool's id, so only the vault's logs count.
 */
const ofBalancer = `SELECT arrayJoin([token0, token1]) AS side FROM (SELECT market, token0, token1 FROM fact_market_events FINAL
      WHERE chain_id = {chainId:UInt64} AND protocol = 'balancer_v2' AND ${loggedByKnown('manager')}
        AND market BETWEEN toFixedString(unhex({firstId:String}), 32) AND toFixedString(unhex({lastId:String}), 32)
      ORDER BY chain_id, market, block_number LIMIT ${POOL_TRADES_MAX}) WHERE side != toFixedString(substring(market, 1, 20), 20)`;

/**
 * Uniswap V2 pools are in `dim_pools`, Balancer V2 pools in their trades, all others in `fact_markets`, where rows of
 * Uniswap V2 may be forged logs.
 */
const poolTokens = async (database: Database, chainId: number, pool: Hex): Promise<Hex[]> => {
  const market = marketId(pool).slice(2);
  const rows = await database.query(
    `SELECT DISTINCT ${hexText('side')} AS side_hex,
       side_hex IN (SELECT token FROM base_tokens WHERE chain_id = {chainId:UInt64}) AS is_base
     FROM (SELECT token AS side FROM dim_pools FINAL
         WHERE chain_id = {chainId:UInt64} AND pool = unhex({pool:String})
       UNION ALL SELECT arrayJoin([token0, token1]) AS side FROM fact_markets FINAL
         WHERE chain_id = {chainId:UInt64} AND protocol != 'uniswap_v2' AND market = unhex({market:String})
           AND (protocol = 'asked' OR ${OF_KNOWN_FACTORIES})
       UNION ALL ${ofBalancer})
     WHERE side != toFixedString('', 20)
     ORDER BY side_hex LIMIT ${POOL_TOKENS_MAX} ${POINT_READ}`,
    {
      chainId,
      market,
      firstId: pool.slice(2).padEnd(ID_DIGITS, '0'),
      lastId: pool.slice(2).padEnd(ID_DIGITS, 'f'),
      pool: market.slice(-ADDRESS_DIGITS),
      factories: knownFactories(chainId),
    },
    poolTokenRow,
  );
  const others = rows.filter(({ is_base }) => is_base === 0);
  return (others.length > 0 ? others : rows).map(({ side_hex }) => side_hex);
};

/** Searches of one chain. Requests for the same search share the result. */
export const createSearch = (
  database: Database,
  chainId: number,
  { share = unshared, index = NO_INDEX }: { share?: Share; index?: ListIndex } = {},
): Search => ({
  tokens: (question) =>
    share(`search ${JSON.stringify(question)}`, () => searchTokens(index, question)),
  poolTokens: (pool) => share(`pool ${pool}`, () => poolTokens(database, chainId, pool)),
  wallets: (page) => share(`wallets ${JSON.stringify(page)}`, () => searchWallets(index, page)),
});
