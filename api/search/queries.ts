import assert from 'node:assert/strict';
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
import { joinLookups, type Share, unshared } from '../server/sharedReads.ts';
import type { TokenReader } from '../tokens/countVerdicts.ts';
import type { Range, Search, TermHit, WalletFilter, WalletHit, WalletPage } from './search.ts';

/** Hits of each kind that a search looks at. */
const HITS_MAX = 1_000;
/** Shorter texts are in too many names for the index to help. */
const INSIDE_LENGTH_MIN = 3;
/** So many names that begin with a text leave no interest in those that hold it elsewhere. */
const STARTING_ENOUGH = 100;
/** Rows of a block: as many as a part of the table has in one mark. */
const BLOCK_ROWS = 256;
const ADDRESS_DIGITS = 40;
/** Of the id of a market in its manager. */
const ID_DIGITS = 64;

const HEX_TOKEN = `${hexText('token')} AS token_hex`;
const tokenRow = z.object({ token_hex: addressSchema });

/** Address, field, whether it is the whole term, length of the term: a thousand hits in one text are read soonest. */
const HIT = /^([0-9a-f]{40})([12])([01])(\d+)$/;
const hitsRow = z.object({ hits: z.array(z.string()) });

const SYMBOLS = "sort = 'symbol_term'";
const NAMES = "sort = 'name_term'";

/** Terms that fit, `HITS_MAX` of each field at the most. All rows of a term agree on it: what fits is selected before versions are compared. */
const readTerms = async (
  { database, chainId }: TokenReader,
  folded: string,
  { condition, settings, place }: { condition: string; settings: string; place: TermHit['place'] },
): Promise<TermHit[]> => {
  const fitting = (field: string): string =>
    `SELECT * FROM (SELECT sort, text, token FROM token_sort_index FINAL
       WHERE chain_id = {chainId:UInt64} AND ${field} AND value = 0 AND ${condition}
       ORDER BY text, token LIMIT ${HITS_MAX})`;
  const rows = await database.query(
    `SELECT groupArray(concat(lower(hex(token)), if(${SYMBOLS}, '1', '2'),
       toString(text = {folded:String}), toString(lengthUTF8(text)))) AS hits
     FROM (${fitting(SYMBOLS)} UNION ALL ${fitting(NAMES)})
     ${POINT_READ}, ${settings}`,
    { chainId, folded, pattern: likePattern(folded) },
    hitsRow,
  );
  return (rows[0]?.hits ?? []).map((text) => termHit(text, place));
};

/** `%`, `_` and `\` of a text searched for stand for themselves. */
const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

const termHit = (text: string, place: TermHit['place']): TermHit => {
  const [, token, field, isExact, length] = HIT.exec(text) ?? [];
  assert.ok(token !== undefined, `unknown form of a hit: ${text}`);
  return {
    token: `0x${token}`,
    field: field === '1' ? 'symbol' : 'name',
    place: isExact === '1' ? 'exact' : place,
    length: Number(length),
  };
};

/** Exact ones and those that begin so are one range of the key of each field, exact ones first. */
const termsThatStart = (reader: TokenReader, folded: string): Promise<TermHit[]> =>
  readTerms(reader, folded, {
    condition: 'startsWith(text, {folded:String})',
    settings: `max_block_size = ${BLOCK_ROWS}, read_in_order_use_buffering = 0`,
    place: 'prefix',
  });

/**
 * Parts of terms: of granules with a term that has all trigrams of the text, until there are enough. No version of a term is
 * in a granule that is left out, so none need be read to compare versions. `NOT startsWith` would be looked up in the key,
 * granule by granule: 65 ms of a core among ten million tokens.
 */
const termsThatHold = (reader: TokenReader, folded: string): Promise<TermHit[]> =>
  readTerms(reader, folded, {
    condition: 'text LIKE {pattern:String} AND position(text, {folded:String}) > 1',
    settings: `max_block_size = ${4 * BLOCK_ROWS}, read_in_order_use_buffering = 0,
      use_skip_indexes_on_data_read = 0, use_skip_indexes_if_final_exact_mode = 0`,
    place: 'inside',
  });

const findTerms = async (reader: TokenReader, folded: string): Promise<TermHit[]> => {
  const starting = await termsThatStart(reader, folded);
  const isEnough =
    starting.length >= STARTING_ENOUGH || Array.from(folded).length < INSIDE_LENGTH_MIN;
  return isEnough ? starting : [...starting, ...(await termsThatHold(reader, folded))];
};

const tokensAt = async (database: Database, chainId: number, digits: string): Promise<Hex[]> => {
  const rows = await database.query(
    `SELECT DISTINCT ${HEX_TOKEN} FROM token_verdicts
     WHERE chain_id = {chainId:UInt64}
       AND token BETWEEN toFixedString(unhex({from:String}), 20) AND toFixedString(unhex({to:String}), 20)
     LIMIT ${HITS_MAX} ${POINT_READ}`,
    {
      chainId,
      from: digits.padEnd(ADDRESS_DIGITS, '0'),
      to: digits.padEnd(ADDRESS_DIGITS, 'f'),
    },
    tokenRow,
  );
  return rows.map(({ token_hex }) => token_hex);
};

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

/** A condition on wallets whose parameters bear a number, so that one query can hold those of several searches. */
interface WalletCondition {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const walletCondition = (filter: WalletFilter, number: number): WalletCondition => {
  const conditions: string[] = [];
  const params: Record<string, unknown> = {};
  const require = (left: string, type: string, value: unknown): void => {
    if (value === undefined) return;
    const name = `p${number}_${conditions.length}`;
    conditions.push(`${left} {${name}:${type}}`);
    params[name] = value;
  };
  const requireRange = (column: string, range: Range | undefined): void => {
    require(`${column} >=`, 'Float64', range?.min);
    require(`${column} <=`, 'Float64', range?.max);
  };
  requireRange('risk_score', filter.riskScore);
  requireRange('tokens_created', filter.tokensCreated);
  requireRange('if(tokens_created = 0, 0, scams / tokens_created)', filter.scamRate);
  requireRange('stolen_usd', filter.stolenUsd);
  require('role IN', 'Array(String)', filter.roles);
  require('cluster_id =', 'String', filter.clusterId);
  require('is_known_scammer =', 'Bool', filter.isKnownScammer);
  return { sql: ['1', ...conditions].join(' AND '), params };
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
    walletCondition(JSON.parse(text) as WalletFilter, number),
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
  const { sql, params } = walletCondition(page, 0);
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
  share: Share = unshared,
): Search => {
  const reader = { database, chainId, share };
  const count = joinLookups(
    (filters: readonly string[]) => countWallets(database, chainId, filters),
    COUNTS,
  );
  return {
    terms: (folded) => share(`terms ${folded}`, () => findTerms(reader, folded)),
    tokensAt: (digits) => share(`tokens at ${digits}`, () => tokensAt(database, chainId, digits)),
    poolTokens: (pool) => share(`pool ${pool}`, () => poolTokens(database, chainId, pool)),
    wallets: (page) =>
      share(`wallets ${JSON.stringify(page)}`, () => listWallets(database, chainId, page, count)),
  };
};
