import { z } from 'zod';
import { addressParam, asAddress } from '../../shared/chain/address.ts';
import { countSchema } from '../../shared/messages/schemas.ts';
import { POINT_READ, type QueryParams } from '../../shared/platform/clickhouse.ts';
import { tokensOfCreators } from '../../shared/platform/graphNeighbours.ts';
import { foldSql } from '../../shared/rules/foldText.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { COUNTED, type TokenReader, tokenCount } from '../tokens/countVerdicts.ts';
import {
  direction,
  earlyStop,
  LISTED,
  listed,
  PLACE,
  placesOf,
  SORT_VALUE,
  sortText,
  sortValue,
  startCondition,
  startParams,
  type VerdictPage,
  type VerdictPosition,
  type VerdictSort,
} from '../tokens/listVerdicts.ts';
import {
  countWithin,
  filterParams,
  hasRiskBounds,
  hasTimes,
  placeCondition,
  rangeCondition,
  type VerdictFilter,
} from '../tokens/tokenFilter.ts';
import type { VerdictSummary } from '../tokens/verdict.ts';
import type { Traits } from './search.ts';

const HAS_TEXT = `(position(${foldSql('JSONExtractString(summary_json, 1)')}, {text:String}) > 0
  OR position(${foldSql('JSONExtractString(summary_json, 2)')}, {text:String}) > 0)`;
const HAS_FEATURES = `arrayAll((name, low, high) -> mapContains(features, name)
    AND features[name] >= low AND features[name] <= high,
  {names:Array(String)}, {lows:Array(Float64)}, {highs:Array(Float64)})`;

/** Whether any is asked for. */
const isAsked = (ids: readonly unknown[] | undefined): boolean => (ids?.length ?? 0) > 0;
/** Whether bounds of features are asked for. */
const hasFeatures = ({ features = {} }: Traits): boolean => isAsked(Object.keys(features));

/** What a row with `failed` and `summary_json` must satisfy, in SQL. */
const ownCondition = ({ checks = {}, text }: Traits): string =>
  [
    '1',
    ...(isAsked(checks.all) ? ['hasAll(failed, {all:Array(String)})'] : []),
    ...(isAsked(checks.any) ? ['hasAny(failed, {any:Array(String)})'] : []),
    ...(isAsked(checks.none) ? ['NOT hasAny(failed, {none:Array(String)})'] : []),
    ...(text === undefined ? [] : [HAS_TEXT]),
  ].join(' AND ');

/**
 * What a row with `token`, and what `ownCondition` needs, must satisfy, in SQL.
 * @param candidates a query of the tokens that may be found: only their features are read.
 */
const traitCondition = (traits: Traits, candidates: string): string => {
  const own = ownCondition(traits);
  if (!hasFeatures(traits)) return own;
  return `${own} AND token IN (SELECT token FROM token_verdicts FINAL
    WHERE chain_id = {chainId:UInt64} AND token IN (${candidates}) AND ${HAS_FEATURES})`;
};

/** Values for the placeholders of that condition, and `creator`. */
const traitParams = ({ checks = {}, features = {}, text, creator }: Traits): QueryParams => {
  const bounds = Object.values(features);
  return {
    all: checks.all ?? [],
    any: checks.any ?? [],
    none: checks.none ?? [],
    text: text ?? '',
    names: Object.keys(features),
    lows: bounds.map(({ min }) => min ?? -Number.MAX_VALUE),
    highs: bounds.map(({ max }) => max ?? Number.MAX_VALUE),
    ...(creator ? { creator: addressParam(creator) } : {}),
  };
};

// Searches by failed checks, features, parts of names and creators. No document is read: what fails is kept with
// every place and by check, features by token.

/** Rows of one check that are all read, and rows of an order that are looked at. */
const ROWS_MAX = 20_000;
/** The same where each row costs the folding of its name. */
const TEXT_ROWS_MAX = 4_000;
/** The same where each row costs a look-up of its features in every part of `token_verdicts`: a third of a millisecond of a core where there are seven. */
const FEATURE_ROWS_MAX = 250;
const TOKENS_OF_CREATOR_MAX = 10_000;
/** Part of what a search finds. */
export interface Examined {
  readonly found: VerdictSummary[];
  /** Where the next part begins; undefined at the end. */
  readonly next: VerdictPosition | undefined;
  /** All there are; undefined where only a part was looked at. */
  readonly total: number | undefined;
}

const rowsMaxOf = (traits: Traits): number => {
  if (hasFeatures(traits)) return FEATURE_ROWS_MAX;
  return traits.text === undefined ? ROWS_MAX : TEXT_ROWS_MAX;
};

const paramsOf = (reader: TokenReader, page: VerdictPage, traits: Traits): QueryParams => ({
  ...filterParams(page),
  ...startParams(page),
  ...traitParams(traits),
  chainId: reader.chainId,
  limit: page.limit,
  offset: page.offset,
});

/** Rows of tokens among which all that can be found are, and a query of their addresses. */
interface Source {
  readonly rows: string;
  readonly tokens: string;
}

/** What conditions and answers need of a row. */
const SHOWN = 'token, is_scam, percent, risk, created_at, failed, summary_json';

const ofChecks = (final: 'FINAL' | ''): string =>
  `token_sort_index ${final} WHERE chain_id = {chainId:UInt64} AND sort = 'check' AND value = 0
    AND text IN {ids:Array(String)}`;
/** Tokens that fail any of the checks `ids`. */
const CHECK_SOURCE: Source = {
  tokens: `SELECT token FROM ${ofChecks('')}`,
  rows: `SELECT ${SHOWN} FROM ${ofChecks('FINAL')} LIMIT 1 BY token`,
};

const CREATED = `${tokensOfCreators(`(SELECT ${asAddress('creator')})`)} LIMIT ${TOKENS_OF_CREATOR_MAX}`;
const ofCreator = (final: 'FINAL' | ''): string =>
  `token_verdicts ${final} WHERE chain_id = {chainId:UInt64} AND token IN (${CREATED}) AND is_deleted = 0`;
const CREATOR_SOURCE: Source = {
  tokens: `SELECT token FROM ${ofCreator('')}`,
  rows: `SELECT ${SHOWN} FROM ${ofCreator('FINAL')}`,
};

const rangeRow = z.object({ total: countSchema, entries: z.array(listed) });

/** Reads all rows of a source, keeps what satisfies everything, and sorts it. */
const readSource = async (
  reader: TokenReader,
  page: VerdictPage,
  traits: Traits,
  { source, ids = [] }: { source: Source; ids?: readonly string[] },
): Promise<Examined> => {
  const rows = await reader.database.query(
    `SELECT count() AS total, arraySlice(groupArrayIf(${LISTED}, ${startCondition(page)}),
        {offset:UInt32} + 1, {limit:UInt32} + 1) AS entries
     FROM (
       SELECT ${SHOWN}, ${SORT_VALUE[page.sort]} AS value, ${sortText(page)} AS text FROM (${source.rows})
       WHERE ${placeCondition(page)} AND ${traitCondition(traits, source.tokens)}
       ORDER BY ${placesOf(page)}
     ) ${POINT_READ}`,
    { ...paramsOf(reader, page, traits), ids },
    rangeRow,
  );
  const { total, entries } = rows[0] ?? { total: 0, entries: [] };
  const found = entries.slice(0, page.limit);
  const last = found.at(-1);
  const next = last && entries.length > page.limit ? positionOf(last, page.sort) : undefined;
  return { found, next, total };
};

const positionOf = (verdict: VerdictSummary, sort: VerdictSort): VerdictPosition => ({
  value: sortValue(verdict, sort),
  token: verdict.token,
});

/** The sort value of a place, as cursors have it. */
const PLACE_VALUE: Record<VerdictSort, string> = {
  created_at: 'value',
  confidence: 'reinterpretAsFloat64(value)',
  risk_score: 'reinterpretAsFloat64(value)',
  analyzed_at: 'value',
  symbol: 'text',
};

const partRow = z.object({
  rows_read: countSchema,
  entries: z.array(listed),
  /** The last place looked at; empty where there is none. */
  end: z.tuple([z.union([z.number(), z.string()]), z.string()]),
});

/** Looks at `rowsMax` rows along the order; the last place is left out, as newer rows of it may be beyond. */
const readPart = async (
  reader: TokenReader,
  page: VerdictPage,
  traits: Traits,
  rowsMax: number,
): Promise<z.output<typeof partRow>> => {
  const columns = PLACE.join(', ');
  const key = PLACE.map((column) => `${column} ${direction(page)}`).join(', ');
  const places = `token_sort_index
    WHERE chain_id = {chainId:UInt64} AND sort = '${page.sort}' AND ${rangeCondition(page.sort, page)}
      AND ${startCondition(page)}
    ORDER BY ${key} LIMIT ${rowsMax}`;
  const candidates = `SELECT token FROM (SELECT ${columns}, failed, summary_json FROM ${places})
    WHERE ${placeCondition(page)} AND ${ownCondition(traits)}`;
  const rows = await reader.database.query(
    `SELECT sum(versions) AS rows_read,
       arraySlice(groupArrayIf(${LISTED}, gone = 0 AND last_row < ${rowsMax} AND ${placeCondition(page)}
         AND ${traitCondition(traits, candidates)}), {offset:UInt32} + 1, {limit:UInt32} + 1) AS entries,
       argMaxIf((${PLACE_VALUE[page.sort]}, ${hexText('token')}), last_row, last_row < ${rowsMax}) AS end
     FROM (
       SELECT ${columns}, count() AS versions, max(row) AS last_row,
         argMax(newest, seq) AS summary_json, argMax(failing, seq) AS failed, argMax(is_deleted, seq) AS gone
       FROM (
         SELECT *, rowNumberInAllBlocks() + 1 AS row FROM (
           SELECT ${columns}, summary_json AS newest, failed AS failing, seq, is_deleted
           FROM ${places}
         )
       ) GROUP BY ${columns} ORDER BY ${key}
     ) ${earlyStop(rowsMax, rowsMax)}`,
    paramsOf(reader, page, traits),
    partRow,
  );
  const part = rows[0];
  if (!part) throw new Error('an aggregate without a row');
  return part;
};

const readAlong = async (
  reader: TokenReader,
  page: VerdictPage,
  traits: Traits,
): Promise<Examined> => {
  const rowsMax = rowsMaxOf(traits);
  const { entries, rows_read, end } = await readPart(reader, page, traits, rowsMax);
  const found = entries.slice(0, page.limit);
  const last = found.at(-1);
  if (last && entries.length > page.limit) {
    return { found, next: positionOf(last, page.sort), total: undefined };
  }
  const [value, token] = end;
  if (rows_read >= rowsMax) return { found, next: { value, token }, total: undefined };
  const isWhole = !page.after && (found.length > 0 || page.offset === 0);
  return { found, next: undefined, total: isWhole ? page.offset + found.length : undefined };
};

const countRow = tokenCount.extend({ id: z.string() });
type CheckCount = z.output<typeof countRow>;

/** Tokens that fail each of these checks, by what lists filter by. */
const readCheckCounts = (
  { database, chainId, share }: TokenReader,
  ids: readonly string[],
): Promise<CheckCount[]> =>
  share(`checks ${JSON.stringify(ids)}`, () =>
    database.query(
      `SELECT check_id AS id, ${COUNTED} FROM token_totals AS t
       WHERE chain_id = {chainId:UInt64} AND span = 'check' AND start = toDate(0) AND risk = 0 AND check_id IN {ids:Array(String)}
       GROUP BY check_id, is_scam, level, percent ${POINT_READ}`,
      { chainId, ids },
      countRow,
    ),
  );

/** Checks whose rows hold all that can be found, how many those are, and how many of them the filter leaves. */
interface CheckRange {
  readonly ids: readonly string[];
  readonly tokens: number;
  readonly left: number;
}

const checkRange = (
  ids: readonly string[],
  counts: readonly CheckCount[],
  filter: VerdictFilter,
): CheckRange => {
  const own = counts.filter(({ id }) => ids.includes(id));
  return { ids, tokens: countWithin(own, {}), left: countWithin(own, filter) };
};

/** The rarest of the checks that must fail, or all those of which one must. */
const shortestCheckRange = async (
  reader: TokenReader,
  page: VerdictPage,
  { checks = {} }: Traits,
): Promise<CheckRange | undefined> => {
  const { all = [], any = [] } = checks;
  const sets = [...all.map((id) => [id]), ...(any.length > 0 ? [any] : [])];
  if (sets.length === 0) return undefined;
  const counts = await readCheckCounts(reader, [...new Set([...all, ...any])].toSorted());
  return sets
    .map((ids) => checkRange(ids, counts, page))
    .toSorted((a, b) => a.tokens - b.tokens)[0];
};

/** How many there are, where counters know it: of one check, and what they are kept by. */
const knownTotal = (
  page: VerdictPage,
  traits: Traits,
  range: CheckRange | undefined,
): number | undefined => {
  const { checks = {}, text } = traits;
  const isOne = (checks.all?.length ?? 0) + (checks.any?.length ?? 0) === 1;
  const isMore =
    isAsked(checks.none) ||
    hasFeatures(traits) ||
    text !== undefined ||
    hasTimes(page) ||
    hasRiskBounds(page);
  return isOne && !isMore ? range?.left : undefined;
};

/**
 * Tokens of a list that have some traits. Reads at most `ROWS_MAX` rows: those of a check, of a creator, or
 * those along the order, where the answer may be a part from whose end the caller goes on.
 */
export const examineTokens = async (
  reader: TokenReader,
  asked: VerdictPage,
  traits: Traits,
): Promise<Examined> => {
  const page = asked.after ? { ...asked, offset: 0 } : asked;
  if (traits.creator) return readSource(reader, page, traits, { source: CREATOR_SOURCE });
  const range = await shortestCheckRange(reader, page, traits);
  if (range && range.tokens <= rowsMaxOf(traits)) {
    return readSource(reader, page, traits, { source: CHECK_SOURCE, ids: range.ids });
  }
  const examined = await readAlong(reader, page, traits);
  return { ...examined, total: examined.total ?? knownTotal(page, traits, range) };
};
