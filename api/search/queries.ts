import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import { POINT_READ } from '../server/pointRead.ts';
import { type Share, unshared } from '../server/sharedReads.ts';
import type { TokenReader } from '../tokens/countVerdicts.ts';
import type { Database } from '../tokens/verdict.ts';
import type { Range, Search, TermHit, WalletFilter, WalletPage } from './search.ts';

/** Hits of each kind that a search looks at. */
const HITS_MAX = 1_000;
/** Shorter texts are in too many names for the index to help. */
const INSIDE_LENGTH_MIN = 3;
/** So many names that begin with a text leave no interest in those that hold it elsewhere. */
const STARTING_ENOUGH = 100;
/** Rows looked at for a text: of names that hold its letters elsewhere, and of names that were left. */
const LOOKED_AT_MAX = 200_000;
/** Rows of a block: as many as a part of the table has in one mark. */
const BLOCK_ROWS = 256;
const ADDRESS_DIGITS = 40;

const HEX_TOKEN = `concat('0x', lower(hex(token))) AS token_hex`;
const tokenRow = z.object({ token_hex: addressSchema });

/** Address, field, whether it is the whole term, length of the term: a thousand hits in one text are read soonest. */
const HIT = /^([0-9a-f]{40})([12])([01])(\d+)$/;
const hitsRow = z.object({ hits: z.array(z.string()) });

/**
 * Reads along the key and stops early. To prepare a read of columns after others costs by every block of rows in the
 * range, and so does to ask the text index for each of them while reading: of ten million tokens, 60 and 120 ms of a core.
 */
const ALONG_TERMS = `${POINT_READ}, max_block_size = ${BLOCK_ROWS}, read_in_order_use_buffering = 0,
  optimize_move_to_prewhere = 0, optimize_move_to_prewhere_if_final = 0, use_skip_indexes_on_data_read = 0,
  max_rows_to_read = ${LOOKED_AT_MAX}, read_overflow_mode = 'break'`;

/** Terms in the order of the table. */
const readTerms = async (
  { database, chainId }: TokenReader,
  folded: string,
  { condition, settings, place }: { condition: string; settings: string; place: TermHit['place'] },
): Promise<TermHit[]> => {
  const rows = await database.query(
    `SELECT groupArray(concat(lower(hex(token)), toString(toUInt8(field)),
       toString(folded = {folded:String}), toString(lengthUTF8(folded)))) AS hits
     FROM (
       SELECT folded, field, token FROM token_terms FINAL
       WHERE chain_id = {chainId:UInt64} AND ${condition}
       ORDER BY folded, field, token LIMIT ${HITS_MAX}
     ) ${ALONG_TERMS}, ${settings}`,
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

/** Exact ones and those that begin so are one range of the key, exact ones first. */
const termsThatStart = (reader: TokenReader, folded: string): Promise<TermHit[]> =>
  readTerms(reader, folded, {
    condition: 'startsWith(folded, {folded:String})',
    settings: 'use_skip_indexes = 0',
    place: 'prefix',
  });

/**
 * Parts of terms: the index names blocks of rows, which are looked at. Who begins with the text is left out by a
 * function that is not looked for in the key: 60 ms of a core among ten million tokens.
 */
const termsThatHold = (reader: TokenReader, folded: string): Promise<TermHit[]> =>
  readTerms(reader, folded, {
    condition: 'folded LIKE {pattern:String} AND position(folded, {folded:String}) > 1',
    // All rows of a term agree on what is looked for: none need be read because of others.
    settings: 'use_skip_indexes_if_final_exact_mode = 0',
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
  const [rows, totals] = await Promise.all([
    database.query(
      `SELECT concat('0x', lower(hex(wallet))) AS wallet_hex, role, risk_score ${from}
       ORDER BY ${WALLET_SORT[page.sort]} ${direction}, wallet ${direction}
       LIMIT {limit:UInt32} OFFSET {offset:UInt32}`,
      params,
      z.object({ wallet_hex: addressSchema, role: z.string(), risk_score: z.number() }),
    ),
    database.query(`SELECT count() AS total ${from}`, params, z.object({ total: countSchema })),
  ]);
  return {
    wallets: rows.map(({ wallet_hex: address, role, risk_score: riskScore }) => ({
      address,
      role,
      riskScore,
    })),
    total: totals[0]?.total ?? 0,
  };
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
