import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { type Share, unshared } from '../server/sharedReads.ts';
import type { TokenReader } from '../tokens/countVerdicts.ts';
import type { Range, Search, TermHit, WalletFilter, WalletPage } from './search.ts';

/** Hits of each kind that a search looks at. */
const HITS_MAX = 1_000;
/** Shorter texts are in too many names for the index to help. */
const INSIDE_LENGTH_MIN = 3;
/** So many names that begin with a text leave no interest in those that hold it elsewhere. */
const STARTING_ENOUGH = 100;
/** Rows of a block: as many as a part of the table has in one mark. */
const BLOCK_ROWS = 256;
const ADDRESS_DIGITS = 40;

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

const rangeConditions = (column: string, name: string, range: Range | undefined): string[] => [
  ...(range?.min === undefined ? [] : [`${column} >= {${name}Min:Float64}`]),
  ...(range?.max === undefined ? [] : [`${column} <= {${name}Max:Float64}`]),
];

const walletConditions = (filter: WalletFilter): string =>
  [
    'chain_id = {chainId:UInt64}',
    ...rangeConditions('risk_score', 'risk', filter.riskScore),
    ...rangeConditions('tokens_created', 'tokens', filter.tokensCreated),
    ...rangeConditions(
      'if(tokens_created = 0, 0, scams / tokens_created)',
      'rate',
      filter.scamRate,
    ),
    ...rangeConditions('stolen_usd', 'stolen', filter.stolenUsd),
    ...(filter.roles ? ['role IN {roles:Array(String)}'] : []),
    ...(filter.clusterId === undefined ? [] : ['cluster_id = {clusterId:String}']),
    ...(filter.isKnownScammer === undefined ? [] : ['is_known_scammer = {isScammer:UInt8}']),
  ].join(' AND ');

const WALLET_SORT: Record<WalletPage['sort'], string> = {
  created_at: 'first_seen',
  risk_score: 'risk_score',
  tokens_created: 'tokens_created',
  total_stolen: 'stolen_usd',
};

const walletRow = z.object({
  address: addressSchema,
  role: z.string(),
  riskScore: z.number(),
  total: countSchema,
});

const listWallets = async (database: Database, chainId: number, page: WalletPage) => {
  const params = {
    chainId,
    riskMin: page.riskScore?.min ?? 0,
    riskMax: page.riskScore?.max ?? 0,
    tokensMin: page.tokensCreated?.min ?? 0,
    tokensMax: page.tokensCreated?.max ?? 0,
    rateMin: page.scamRate?.min ?? 0,
    rateMax: page.scamRate?.max ?? 0,
    stolenMin: page.stolenUsd?.min ?? 0,
    stolenMax: page.stolenUsd?.max ?? 0,
    roles: page.roles ?? [],
    clusterId: page.clusterId ?? '',
    isScammer: page.isKnownScammer ? 1 : 0,
    limit: page.limit,
    offset: page.offset,
  };
  const from = `FROM dim_wallets FINAL WHERE ${walletConditions(page)}`;
  const direction = page.order === 'asc' ? 'ASC' : 'DESC';
  // All wallets are read: once, for the page and its total.
  const wallets = await database.query(
    `SELECT ${hexText('wallet')} AS address, role, risk_score AS riskScore, count() OVER () AS total ${from}
     ORDER BY ${WALLET_SORT[page.sort]} ${direction}, wallet ${direction}
     LIMIT {limit:UInt32} OFFSET {offset:UInt32}`,
    params,
    walletRow,
  );
  const [found] = wallets;
  if (found || page.offset === 0) return { wallets, total: found?.total ?? 0 };
  const sql = `SELECT count() AS total ${from}`;
  const [counted] = await database.query(sql, params, z.object({ total: countSchema }));
  return { wallets, total: counted?.total ?? 0 };
};

/** Searches of one chain. What is found is shared by those who ask for the same. */
export const createSearch = (
  database: Database,
  chainId: number,
  share: Share = unshared,
): Search => {
  const reader = { database, chainId, share };
  return {
    terms: (folded) => share(`terms ${folded}`, () => findTerms(reader, folded)),
    tokensAt: (digits) => share(`tokens at ${digits}`, () => tokensAt(database, chainId, digits)),
    wallets: (page) =>
      share(`wallets ${JSON.stringify(page)}`, () => listWallets(database, chainId, page)),
  };
};
