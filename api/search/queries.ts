import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { marketId } from '../../shared/market/marketId.ts';
import {
  knownFactories,
  loggedByKnown,
  OF_KNOWN_FACTORIES,
} from '../../shared/market/marketReads.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { NO_INDEX, type TokenIndex } from '../index/createTokenIndex.ts';
import { searchTokens } from '../index/tokenReads.ts';
import { joinLookups, type Share, unshared } from '../server/sharedReads.ts';
import type { Range, Search, WalletFilter, WalletHit, WalletPage } from './search.ts';

const ADDRESS_DIGITS = 40;
/** Of the id of a market in its manager. */
const ID_DIGITS = 64;

/** Tokens of one pool: two, unless unknown contracts logged that they created it too. */
const POOL_TOKENS_MAX = 10;
const poolTokenRow = z.object({ side_hex: addressSchema, is_base: z.number() });

/** Trades of a pool of Balancer V2 that are looked at, the first: all its tokens are among them, or nearly. */
const POOL_TRADES_MAX = 10_000;
/**
 * Tokens of pools of Balancer V2, whose ids begin with the address of the pool. Those of some are traded against shares of the pool too. Any
 * contract can log the name of a pool: only the vault's logs count.
 */
const ofBalancer = `SELECT arrayJoin([token0, token1]) AS side FROM (SELECT market, token0, token1 FROM fact_market_events FINAL
      WHERE chain_id = {chainId:UInt64} AND protocol = 'balancer_v2' AND ${loggedByKnown('manager')}
        AND market BETWEEN toFixedString(unhex({firstId:String}), 32) AND toFixedString(unhex({lastId:String}), 32)
      ORDER BY chain_id, market, block_number LIMIT ${POOL_TRADES_MAX}) WHERE side != toFixedString(substring(market, 1, 20), 20)`;

/**
 * Pools of Uniswap V2 are in `dim_pools`, those of Balancer V2 in their trades, all others in `fact_markets`, where those of Uniswap V2 show
 * what anyone may have logged.
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

/**
 * Conditions, all of which must hold, with their values bound as parameters.
 * @param number of the search in its query, which can hold several
 */
const walletConditions = (filter: WalletFilter, number: number) => {
  const conditions = ['1'];
  const params: Record<string, unknown> = {};
  /** Nothing is required where the value is undefined. @param sqlOf takes the parameter as it stands in SQL */
  const require = (sqlOf: (param: string) => string, type: string, value: unknown): void => {
    if (value === undefined) return;
    const name = `p${number}_${conditions.length}`;
    conditions.push(sqlOf(`{${name}:${type}}`));
    params[name] = value;
  };
  const requireRange = (column: string, range: Range | undefined): void => {
    require((param) => `${column} >= ${param}`, 'Float64', range?.min);
    require((param) => `${column} <= ${param}`, 'Float64', range?.max);
  };
  requireRange('risk_score', filter.riskScore);
  requireRange('tokens_created', filter.tokensCreated);
  requireRange('if(tokens_created = 0, 0, scams / tokens_created)', filter.scamRate);
  requireRange('stolen_usd', filter.stolenUsd);
  require((roles) => `role IN ${roles}`, 'Array(String)', filter.roles);
  require((id) => `cluster_id = ${id}`, 'String', filter.clusterId);
  require((isKnown) => `is_known_scammer = ${isKnown}`, 'Bool', filter.isKnownScammer);
  return { sql: conditions.join(' AND '), params };
};

const WALLET_SORT: Record<WalletPage['sort'], string> = {
  created_at: 'first_seen',
  risk_score: 'risk_score',
  tokens_created: 'tokens_created',
  total_stolen: 'stolen_usd',
};

/** Searches counted in one query: to find which row of a wallet is its last costs as much as a hundred counts. */
const COUNTS = { queriesMax: 1, keysMax: 32 };

/** Numbers of wallets that meet filters, each written as JSON. */
const countWallets = async (
  database: Database,
  chainId: number,
  filters: readonly string[],
): Promise<Map<string, number>> => {
  const conditions = filters.map((text, number) =>
    walletConditions(JSON.parse(text) as WalletFilter, number),
  );
  const [row] = await database.query(
    `SELECT [${conditions.map(({ sql }) => `countIf(${sql})`).join(', ')}] AS totals
     FROM dim_wallets FINAL WHERE chain_id = {chainId:UInt64}`,
    Object.assign({ chainId }, ...conditions.map(({ params }) => params)),
    z.object({ totals: z.array(countSchema) }),
  );
  return new Map(filters.map((filter, number) => [filter, row?.totals[number] ?? 0]));
};

const walletRow = z.object({ address: addressSchema, role: z.string(), riskScore: z.number() });

/** Rows that a page looks up to see whether they are the last of their wallets; to compare all rows costs as much as a thousand. */
const LOOKED_UP_MAX = 1_000;

/** A page of wallets. `isNear`: only of the rows that come first in its order, of which some may have been replaced: it may lack some. */
const readWallets = (
  database: Database,
  chainId: number,
  page: WalletPage,
  isNear: boolean,
): Promise<WalletHit[]> => {
  const { limit, offset } = page;
  const { sql, params } = walletConditions(page, 0);
  const matching = `chain_id = {chainId:UInt64} AND ${sql}`;
  const [column, direction] = [WALLET_SORT[page.sort], page.order === 'asc' ? 'ASC' : 'DESC'];
  const inOrder = `ORDER BY ${column} ${direction}, wallet ${direction}`;
  // A row is taken where it is the last of its wallet and at its place: what comes before it has been looked up too.
  const near = `(wallet, ${column}) IN (SELECT wallet, ${column} FROM dim_wallets
    WHERE ${matching} AND is_deleted = 0 ${inOrder} LIMIT {near:UInt32}) AND`;
  return database.query(
    `SELECT ${hexText('wallet')} AS address, role, risk_score AS riskScore
     FROM dim_wallets FINAL WHERE ${isNear ? near : ''} ${matching}
     ${inOrder} LIMIT {limit:UInt32} OFFSET {offset:UInt32} ${POINT_READ}`,
    { chainId, ...params, near: nearOf(page), limit, offset },
    walletRow,
  );
};

/** Twice as many as the page ends at: some have been replaced. */
const nearOf = ({ limit, offset }: WalletPage): number => 2 * (offset + limit);

const listWallets = async (
  database: Database,
  chainId: number,
  page: WalletPage,
  count: (filter: string) => Promise<number | undefined>,
) => {
  const { sort: _sort, order: _order, limit, offset, ...filter } = page;
  const isNear = nearOf(page) <= LOOKED_UP_MAX;
  const [found, total = 0] = await Promise.all([
    readWallets(database, chainId, page, isNear),
    count(JSON.stringify(filter)),
  ]);
  const isWhole = !isNear || found.length >= Math.min(limit, total - offset);
  return { wallets: isWhole ? found : await readWallets(database, chainId, page, false), total };
};

/** Searches of one chain. What is found is shared by those who ask for the same. */
export const createSearch = (
  database: Database,
  chainId: number,
  { share = unshared, index = NO_INDEX }: { share?: Share; index?: TokenIndex } = {},
): Search => {
  const count = joinLookups(
    (filters: readonly string[]) => countWallets(database, chainId, filters),
    COUNTS,
  );
  return {
    tokens: (question) =>
      share(`search ${JSON.stringify(question)}`, () => searchTokens(index, question)),
    poolTokens: (pool) => share(`pool ${pool}`, () => poolTokens(database, chainId, pool)),
    wallets: (page) =>
      share(`wallets ${JSON.stringify(page)}`, () => listWallets(database, chainId, page, count)),
  };
};
