import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/addressSet.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import type { QueryParams } from '../../shared/platform/clickhouse.ts';
import { earlyStop, POINT_READ } from '../server/pointRead.ts';
import { readBirthCounts, readCounts, type TokenReader } from './countVerdicts.ts';
import {
  countWithin,
  filterParams,
  hasTimes,
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
const entrySchema = z
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
  .tuple([addressSchema, z.number(), entrySchema])
  .transform(([token, isScam, entry]): VerdictSummary => {
    const [name, symbol, confidence, riskScore, model, createdAtS, analyzedAtMs, blockNumber] =
      entry;
    const prediction = isScam === 1 ? 'SCAM' : 'LEGIT';
    const scores = { prediction, confidence, riskScore, model } as const;
    return { token, name, symbol, ...scores, createdAtS, analyzedAtMs, blockNumber };
  });
const listedRow = z.object({ listed }).transform((row) => row.listed);
const countRow = z.object({ total: countSchema });

/** What lists show of a row, for `listed`. */
export const LISTED = `(concat('0x', lower(hex(token))), is_scam, entry)`;
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

/** Where a page begins, as `token_places` has it. */
export const startParams = ({ sort, after }: VerdictPage): QueryParams => {
  if (!after) return {};
  const { value, token } = after;
  const afterToken = token.slice(2);
  if (typeof value === 'string') return { afterValue: '0', afterText: value, afterToken };
  const bits = FLOAT_SORTS.has(sort) ? floatBits(value) : BigInt(Math.trunc(value));
  return { afterValue: bits.toString(), afterText: '', afterToken };
};

/** The key is narrowed by its first column alone; the whole place decides. */
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

/** The rows of an order from the page's start on. */
const rowsAlong = (page: VerdictPage): string =>
  `token_places WHERE chain_id = {chainId:UInt64} AND sort = '${page.sort}'
    AND ${rangeCondition(page.sort, page)} AND ${placeCondition(page)} AND ${startCondition(page)}`;

/** The newest row of each place. */
const newestOf = (rows: string, columns: string, page: VerdictPage): string =>
  `SELECT ${columns}, is_deleted FROM (${rows})
   ORDER BY ${placesOf(page)}, seq DESC LIMIT 1 BY ${PLACE.join(', ')}`;

const PAGE_PART = 'LIMIT {limit:UInt32} OFFSET {offset:UInt32}';

/** Entries of the page's places among the first `rowsMax` rows from its start on. */
const entriesAlong = (page: VerdictPage): string => {
  const rows = `SELECT ${PLACE.join(', ')}, entry, seq, is_deleted FROM ${rowsAlong(page)}
    ORDER BY ${placesOf(page)} LIMIT {rowsMax:UInt64}`;
  return `SELECT ${LISTED} AS listed FROM (${newestOf(rows, 'token, is_scam, entry', page)})
    WHERE is_deleted = 0 ${PAGE_PART}`;
};

/** The same where many rows are passed: what lists show is read of the page's places only, once they are known. */
const entriesApart = (page: VerdictPage): string => {
  const columns = PLACE.join(', ');
  const keys = `SELECT ${columns}, seq, is_deleted FROM ${rowsAlong(page)}
    ORDER BY ${placesOf(page)} LIMIT {rowsMax:UInt64}`;
  const places = `SELECT ${columns} FROM (${newestOf(keys, columns, page)}) WHERE is_deleted = 0 ${PAGE_PART}`;
  const rows = `SELECT ${columns}, entry, seq, is_deleted FROM token_places
    WHERE chain_id = {chainId:UInt64} AND sort = '${page.sort}' AND (${columns}) IN (${places})`;
  return `SELECT ${LISTED} AS listed FROM (${newestOf(rows, 'token, is_scam, entry', page)})
    WHERE is_deleted = 0`;
};

/**
 * Reads `rowsMax` rows along an order from the page's start on, and takes the newest of each place. Of the last
 * place there may be newer ones beyond.
 * @param rows about how many are passed on the way.
 */
const readPart = (
  { database, chainId }: TokenReader,
  page: VerdictPage,
  { rows, rowsMax, apartFrom }: { rows: number; rowsMax: number; apartFrom: number },
): Promise<VerdictSummary[]> => {
  const entries = rows < apartFrom ? entriesAlong(page) : entriesApart(page);
  return database.query(
    `${entries} ${earlyStop(rows, rowsMax)}`,
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
  { rows, apartFrom }: { rows: number; apartFrom: number },
): Promise<VerdictSummary[]> => {
  let rowsMax = rowsFor(page.offset + page.limit);
  for (;;) {
    const entries = await readPart(reader, page, { rows, rowsMax, apartFrom });
    if (entries.length > page.limit) return entries.slice(0, page.limit);
    if (!(await goesOn(reader, page, rowsMax))) return entries;
    rowsMax *= RETRY_FACTOR;
  }
};

/** The sort value of a token, from what any order knows of it, in SQL. */
export const SORT_VALUE: Record<VerdictSort, string> = {
  created_at: 'toUInt64(toUnixTimestamp(created_at))',
  confidence: 'reinterpretAsUInt64(JSONExtractFloat(entry, 3))',
  risk_score: 'reinterpretAsUInt64(JSONExtractFloat(entry, 4))',
  analyzed_at: 'JSONExtractUInt(entry, 7)',
  symbol: 'toUInt64(0)',
};

/** The text a token is sorted by beside that value. */
export const sortText = ({ sort }: VerdictPage): string =>
  sort === 'symbol' ? 'JSONExtractString(entry, 2)' : `''`;

/** Orders whose values a filter can bound. */
type Range = 'created_at' | 'confidence' | 'risk_score';

/** Reads all that a filter leaves of a range of one order, and sorts it. */
const readRange = (
  { database, chainId }: TokenReader,
  page: VerdictPage,
  range: Range,
): Promise<VerdictSummary[]> => {
  return database.query(
    `SELECT ${LISTED} AS listed FROM (
       SELECT token, is_scam, entry, ${SORT_VALUE[page.sort]} AS value, ${sortText(page)} AS text FROM (
         SELECT token, is_scam, created_at, entry FROM token_places FINAL
         WHERE chain_id = {chainId:UInt64} AND sort = '${range}'
           AND ${rangeCondition(range, page)} AND ${placeCondition(page)}
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
};

const RANGES: readonly Range[] = ['created_at', 'confidence', 'risk_score'];

/** The part of a filter that bounds the values of one order. */
const rangeFilter = (page: VerdictFilter, sort: VerdictSort): VerdictFilter => {
  const { minConfidence, maxConfidence, riskLevels, minRisk, maxRisk } = page;
  if (sort === 'confidence') return { minConfidence, maxConfidence };
  if (sort === 'risk_score') return { riskLevels, minRisk, maxRisk };
  if (sort !== 'created_at') return {};
  return { createdFromS: page.createdFromS, createdToS: page.createdToS };
};

const isBounded = (filter: VerdictFilter): boolean =>
  Object.values(filter).some((bound) => bound !== undefined);

/** What ways of reading a page cost, as measured among ten million tokens: see LISTS.md. */
export interface WayCosts {
  /** From so many rows passed along an order on, what lists show is read apart. */
  readonly apartFrom: number;
  /** Rows passed along an order, of which just what is filtered by is read, in the time that one of a range takes. */
  readonly rangeRow: number;
}

/** The same for a row along an order of which all is read. */
const WHOLE_ROW = 7;
const WAY_COSTS: WayCosts = { apartFrom: 100_000, rangeRow: WHOLE_ROW };
/** All is read of so many rows around each that is not just passed: `index_granularity` of `token_places`. */
const BLOCK_ROWS = 256;

/** How to read a page: the rows of one range, or about so many rows along its order. */
type Way = { readonly range: Range } | { readonly rows: number };

/**
 * Along the order, the rows to pass grow as a filter leaves fewer tokens; then there is a range of another
 * order that holds them among fewer rows.
 */
const shortestWay = async (
  reader: TokenReader,
  page: VerdictPage,
  { rangeRow }: WayCosts,
): Promise<Way> => {
  const wanted = page.offset + page.limit;
  const others = RANGES.filter(
    (range) => range !== page.sort && isBounded(rangeFilter(page, range)),
  );
  if (others.length === 0 && page.prediction === undefined) return { rows: wanted };
  const [counts, births] = await Promise.all([
    readCounts(reader),
    hasTimes(page) ? readBirthCounts(reader, page) : [],
  ]);
  const inRange = (sort: VerdictSort): number =>
    sort === 'created_at' && hasTimes(page)
      ? countWithin(births, {})
      : countWithin(counts, rangeFilter(page, sort));
  const left = countWithin(hasTimes(page) ? births : counts, page);
  const rows = (inRange(page.sort) * wanted) / Math.max(1, left);
  const rowsWhole = Math.min(rows, rowsFor(wanted) * BLOCK_ROWS);
  const shortest = others.toSorted((a, b) => inRange(a) - inRange(b))[0];
  const costAlong = rows + rowsWhole * (WHOLE_ROW - 1);
  return shortest && inRange(shortest) * rangeRow < costAlong ? { range: shortest } : { rows };
};

/**
 * The entries of one page; equal sort values are ordered by address, so pages are stable. One query: the
 * rows of an order hold all that lists show.
 */
export const listVerdicts = async (
  reader: TokenReader,
  asked: VerdictPage,
  costs = WAY_COSTS,
): Promise<VerdictSummary[]> => {
  const page = asked.after ? { ...asked, offset: 0 } : asked;
  const way = await shortestWay(reader, page, costs);
  if ('range' in way) return readRange(reader, page, way.range);
  return readAlong(reader, page, { rows: way.rows, apartFrom: costs.apartFrom });
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
