import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import { POINT_READ, type QueryParams } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { readCounts, readCreationCounts, type TokenReader } from './countVerdicts.ts';
import {
  countWithin,
  filterParams,
  hasTimes,
  isFiltered,
  placeCondition,
  rangeCondition,
  type VerdictFilter,
} from './tokenFilter.ts';
import type { VerdictSummary } from './verdict.ts';

export const VERDICT_SORTS = [
  'created_at',
  'confidence',
  'risk_score',
  'analyzed_at',
  'symbol',
] as const;
export type VerdictSort = (typeof VERDICT_SORTS)[number];

/** The place after which a page begins: the sort value and the address of the last entry before. */
export interface VerdictPosition {
  readonly value: number | string;
  readonly token: string;
}

/** One page of a list. */
export interface VerdictPage extends VerdictFilter {
  readonly sort: VerdictSort;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
  readonly after?: VerdictPosition | undefined;
}

/** The value an entry is sorted by. */
export const sortValue = (verdict: VerdictSummary, sort: VerdictSort): number | string => {
  switch (sort) {
    case 'created_at':
      return verdict.createdAtS;
    case 'confidence':
      return verdict.confidence;
    case 'risk_score':
      return verdict.riskScore;
    case 'analyzed_at':
      return verdict.analyzedAtMs;
    case 'symbol':
      return verdict.symbol;
  }
};

/** What lists show of a token, as `token_verdicts` has it. */
const summarySchema = z
  .string()
  .transform((text) => JSON.parse(text) as unknown)
  .pipe(
    z.tuple([
      z.string(),
      z.string(),
      z.number(),
      z.number(),
      z.string(),
      z.coerce.number(),
      z.coerce.number(),
      z.coerce.number(),
    ]),
  );

/** What `LISTED` selects. */
export const listed = z
  .tuple([addressSchema, z.number(), summarySchema])
  .transform(([token, isScam, summary]): VerdictSummary => {
    const [name, symbol, confidence, riskScore, model, createdAtS, analyzedAtMs, blockNumber] =
      summary;
    const prediction = isScam === 1 ? 'SCAM' : 'LEGIT';
    const scores = { prediction, confidence, riskScore, model } as const;
    return { token, name, symbol, ...scores, createdAtS, analyzedAtMs, blockNumber };
  });
const listedRow = z.object({ listed }).transform((row) => row.listed);
const countRow = z.object({ total: countSchema });

/** What lists show of a row, for `listed`. */
export const LISTED = `(${hexText('token')}, is_scam, summary_json)`;
/** The key of a place; rows of one place differ in nothing but their age and what they show. */
export const PLACE = ['value', 'text', 'token', 'is_scam', 'percent', 'risk', 'created_at'];

export const direction = ({ order }: VerdictPage): 'ASC' | 'DESC' =>
  order === 'asc' ? 'ASC' : 'DESC';

const FLOAT_SORTS: ReadonlySet<VerdictSort> = new Set(['confidence', 'risk_score']);

/** The bits of a float that is not negative sort like the float itself. */
const floatBits = (value: number): bigint => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0);
};

/** Where a page begins, as `token_sort_index` has it. */
export const startParams = ({ sort, after }: VerdictPage): QueryParams => {
  if (!after) return {};
  const { value, token } = after;
  const afterToken = token.slice(2);
  if (typeof value === 'string') return { afterValue: '0', afterText: value, afterToken };
  const bits = FLOAT_SORTS.has(sort) ? floatBits(value) : BigInt(Math.trunc(value));
  return { afterValue: bits.toString(), afterText: '', afterToken };
};

/** The key is narrowed by its first column alone; the complete place decides. */
export const startCondition = (page: VerdictPage): string => {
  if (!page.after) return '1';
  const sign = page.order === 'asc' ? '>' : '<';
  const [column, value] =
    page.sort === 'symbol' ? ['text', '{afterText:String}'] : ['value', '{afterValue:UInt64}'];
  return `${column} ${sign}= ${value} AND (value, text, token) ${sign}
    ({afterValue:UInt64}, {afterText:String}, toFixedString(unhex({afterToken:String}), 20))`;
};

/** How the entries of a page are sorted. */
export const placesOf = (page: VerdictPage): string =>
  ['value', 'text', 'token'].map((column) => `${column} ${direction(page)}`).join(', ');

const BLOCK_ROWS_MIN = 1_024;
const BLOCK_ROWS_MAX = 65_536;

/**
 * Ends a query that reads along a key and stops early: no steps that pay only where much is read. Indices are looked
 * at once, beforehand: while the rows are read it is done again for every few of them, 110 ms of a core instead of 11
 * where 4 of 5 million rows are skipped. Without buffers each part of a table is read only as far as it is needed:
 * 19 ms instead of 41 where there are ten parts and a filter leaves an eighth.
 * @param rows about how many are read, in blocks of a fraction: every part of a table reads one at least, and each
 *   costs 26 microseconds beside its rows.
 * @param limit of the query: smaller blocks are read over and over in ascending order.
 */
export const earlyStop = (rows: number, limit: number): string => {
  const wanted = Math.max(limit, Math.ceil(rows / 8));
  const blockRows = Math.min(BLOCK_ROWS_MAX, Math.max(BLOCK_ROWS_MIN, wanted));
  return `${POINT_READ}, max_block_size = ${blockRows}, read_in_order_use_buffering = 0,
    query_plan_optimize_lazy_materialization = 0, use_top_k_dynamic_filtering = 0, use_skip_indexes_on_data_read = 0`;
};

/** The rows of an order from the page's start on. */
const rowsAlong = (page: VerdictPage): string =>
  `token_sort_index WHERE chain_id = {chainId:UInt64} AND sort = '${page.sort}'
    AND ${rangeCondition(page.sort, page)} AND ${placeCondition(page)} AND ${startCondition(page)}`;

const PAGE_PART = 'LIMIT {limit:UInt32} OFFSET {offset:UInt32}';

/**
 * Reads `rowsMax` rows along an order from the page's start on, and takes the newest of each place. Of the last
 * place there may be newer ones beyond.
 * @param rows about how many are passed on the way.
 */
const readPart = (
  { database, chainId }: TokenReader,
  page: VerdictPage,
  { rows, rowsMax }: { rows: number; rowsMax: number },
): Promise<VerdictSummary[]> => {
  const first = `SELECT ${PLACE.join(', ')}, summary_json, seq, is_deleted FROM ${rowsAlong(page)}
    ORDER BY ${placesOf(page)} LIMIT {rowsMax:UInt64}`;
  return database.query(
    `SELECT ${LISTED} AS listed FROM (
       SELECT token, is_scam, summary_json, is_deleted FROM (${first})
       ORDER BY ${placesOf(page)}, seq DESC LIMIT 1 BY ${PLACE.join(', ')}
     ) WHERE is_deleted = 0 ${PAGE_PART} ${earlyStop(rows, rowsMax)}`,
    {
      ...filterParams(page),
      ...startParams(page),
      chainId,
      rowsMax,
      limit: page.limit + 1,
      offset: page.offset,
    },
    listedRow,
  );
};

/** Whether an order goes on after `rowsMax` rows from the page's start on. */
const goesOn = async (
  { database, chainId }: TokenReader,
  page: VerdictPage,
  rowsMax: number,
): Promise<boolean> => {
  const rows = await database.query(
    `SELECT count() AS total FROM (SELECT 1 FROM ${rowsAlong(page)} LIMIT {rowsMax:UInt64}) ${POINT_READ}`,
    { ...filterParams(page), ...startParams(page), chainId, rowsMax },
    countRow,
  );
  return (rows[0]?.total ?? 0) >= rowsMax;
};

/** Rows read for each entry wanted, and beside them: places left behind are some of the rows. */
const ROWS_FACTOR = 1.25;
const ROWS_EXTRA = 250;
const rowsFor = (wanted: number): number => Math.ceil(wanted * ROWS_FACTOR) + ROWS_EXTRA;
/** How much further each next attempt reads, where more places than usual were left behind. */
const RETRY_FACTOR = 8;

/** One entry more than the page holds shows that all versions of those on it were read. */
const readAlong = async (
  reader: TokenReader,
  page: VerdictPage,
  rows: number,
): Promise<VerdictSummary[]> => {
  let rowsMax = rowsFor(page.offset + page.limit);
  for (;;) {
    const entries = await readPart(reader, page, { rows, rowsMax });
    if (entries.length > page.limit) return entries.slice(0, page.limit);
    if (!(await goesOn(reader, page, rowsMax))) return entries;
    rowsMax *= RETRY_FACTOR;
  }
};

/** The sort value of a token, from what any order knows of it, in SQL. */
export const SORT_VALUE: Record<VerdictSort, string> = {
  created_at: 'toUInt64(toUnixTimestamp(created_at))',
  confidence: 'reinterpretAsUInt64(JSONExtractFloat(summary_json, 3))',
  risk_score: 'reinterpretAsUInt64(JSONExtractFloat(summary_json, 4))',
  analyzed_at: 'JSONExtractUInt(summary_json, 7)',
  symbol: 'toUInt64(0)',
};

/** The text a token is sorted by beside that value. */
export const sortText = ({ sort }: VerdictPage): string =>
  sort === 'symbol' ? 'JSONExtractString(summary_json, 2)' : `''`;

/** Reads all tokens that a filter leaves of the creation times it bounds, and sorts them. */
const readCreationRange = (
  { database, chainId }: TokenReader,
  page: VerdictPage,
): Promise<VerdictSummary[]> =>
  database.query(
    `SELECT ${LISTED} AS listed FROM (
       SELECT token, is_scam, summary_json, ${SORT_VALUE[page.sort]} AS value, ${sortText(page)} AS text FROM (
         SELECT token, is_scam, created_at, summary_json FROM token_sort_index FINAL
         WHERE chain_id = {chainId:UInt64} AND sort = 'created_at'
           AND ${rangeCondition('created_at', page)} AND ${placeCondition(page)}
       )
     ) WHERE ${startCondition(page)}
     ORDER BY ${placesOf(page)} ${PAGE_PART} ${POINT_READ}`,
    {
      ...filterParams(page),
      ...startParams(page),
      chainId,
      limit: page.limit,
      offset: page.offset,
    },
    listedRow,
  );

/**
 * Tokens of a range of creation times that are all read: 20 ms of a core. Along another order nearly all tokens would
 * be passed for so few: of ten million, 0.3 s.
 */
const RANGE_TOKENS_MAX = 100_000;

/**
 * The entries of one page, along its order; equal sort values are ordered by address, so pages are stable. One query: the
 * rows of an order hold all that lists show.
 * @param rangeTokensMax tokens of a range of creation times that are all read instead
 */
export const listVerdicts = async (
  reader: TokenReader,
  asked: VerdictPage,
  rangeTokensMax = RANGE_TOKENS_MAX,
): Promise<VerdictSummary[]> => {
  const page = asked.after ? { ...asked, offset: 0 } : asked;
  const wanted = page.offset + page.limit;
  if (!isFiltered(page)) return readAlong(reader, page, wanted);
  // Totals read the same counts, and share them.
  const counts = hasTimes(page) ? await readCreationCounts(reader, page) : await readCounts(reader);
  const tokens = countWithin(counts, {});
  if (hasTimes(page) && page.sort !== 'created_at' && tokens <= rangeTokensMax) {
    return readCreationRange(reader, page);
  }
  const share = countWithin(counts, page) / Math.max(1, tokens);
  return readAlong(reader, page, wanted / Math.max(share, Number.MIN_VALUE));
};

/** The verdicts in force of several tokens, in any order; tokens without one are left out. */
export const findVerdicts = async (
  { database, chainId }: Pick<TokenReader, 'database' | 'chainId'>,
  tokens: readonly Hex[],
): Promise<VerdictSummary[]> => {
  if (tokens.length === 0) return [];
  return database.query(
    `SELECT ${LISTED} AS listed FROM token_verdicts FINAL
     WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')} ${POINT_READ}`,
    { chainId, tokens: tokens.map(addressParam) },
    listedRow,
  );
};
