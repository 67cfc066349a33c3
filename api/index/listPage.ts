import type { Hex } from '../../shared/chain/block.ts';
import type { Traits } from '../search/search.ts';
import type { VerdictFilter, VerdictPage, VerdictSort } from '../tokens/verdictPage.ts';
import {
  bytesOf,
  type Condition,
  condition,
  ENTRY,
  type IndexReader,
  type IndexValue,
  joined,
  LISTED_ROWS,
  LISTED_TOKENS,
  listOf,
} from './indexReader.ts';
import { rowsOfPage } from './sortKeys.ts';
import { textMatch } from './textMatch.ts';
import type { Selection } from './tokenColumns.ts';

/** What the index can filter by: a text of three letters or more. */
export interface IndexFilter extends VerdictFilter {
  readonly traits?: Pick<Traits, 'checks' | 'text' | 'creator'> | undefined;
}

/** Rows that a statement finds. */
const rowsFound = (reader: IndexReader, { sql, values }: Condition): Uint32Array =>
  Uint32Array.from(
    JSON.parse(reader.read(`SELECT json_group_array(id) FROM (${sql})`, values)) as number[],
  );

const HOLDING = `SELECT id FROM tokens NOT INDEXED WHERE ${LISTED_ROWS}
  AND (instr(symbol_term, ?) > 0 OR instr(name_term, ?) > 0)`;

/** Of a selection, those whose names hold a text. */
const holding = (reader: IndexReader, selection: Selection, text: string): Selection => {
  const looked = JSON.stringify([...selection.rows()]);
  const rows = rowsFound(reader, condition(HOLDING, looked, text, text));
  return { ...selection, rows: () => rows, total: rows.length };
};

const BY_CREATOR = 'SELECT id FROM tokens WHERE creator = ?';
const BY_TEXT = 'SELECT rowid AS id FROM parts WHERE parts MATCH ?';

/** What a filter leaves. Names are compared last: each has to be read. */
const selectAnew = (
  reader: IndexReader,
  filter: VerdictFilter,
  { creator, text, checks }: NonNullable<IndexFilter['traits']>,
): Selection => {
  const { columns } = reader;
  if (creator) {
    const made = rowsFound(reader, condition(BY_CREATOR, bytesOf(creator)));
    const selection = columns.select(filter, checks, made);
    return text === undefined ? selection : holding(reader, selection, text);
  }
  if (text === undefined) return columns.select(filter, checks);
  const left = (found: number): number => found * columns.shareOf(filter, checks);
  const { match, isExact } = textMatch(reader, text, left);
  const named = rowsFound(reader, condition(BY_TEXT, match));
  const selection = columns.select(filter, checks, named);
  return isExact ? selection : holding(reader, selection, text);
};

/** Filters whose selections are kept until something changes: a list and its total, and its next pages, ask for the same. */
const SELECTED_MAX = 4;

const select = (reader: IndexReader, filter: IndexFilter): Selection => {
  const { prediction, minConfidence, maxConfidence, riskLevels, minRisk, maxRisk } = filter;
  const { createdFromS, createdToS, traits = {} } = filter;
  const scores = { prediction, minConfidence, maxConfidence, riskLevels, minRisk, maxRisk };
  const asked = { ...scores, createdFromS, createdToS, traits };
  const key = JSON.stringify(asked);
  const known = reader.selected.get(key);
  if (known) return known;
  const selected = selectAnew(reader, asked, traits);
  if (reader.selected.size >= SELECTED_MAX) reader.selected.clear();
  reader.selected.set(key, selected);
  return selected;
};

/** How many tokens a filter leaves, in JSON. */
export const countPage = (reader: IndexReader, filter: IndexFilter): string =>
  JSON.stringify(select(reader, filter).total);

/** Above every text, as SQLite orders values. */
const ABOVE_TEXTS = new Uint8Array();

/** Between which values of an order all that is accepted lies; risk and confidence are rounded in the columns. */
const RANGES: Record<
  VerdictSort,
  (bounds: Selection['bounds']) => readonly [from: IndexValue, to: IndexValue]
> = {
  created_at: ({ created }) => created,
  confidence: ({ percent: [from, to] }) => [(from - 1) / 100, (to + 1) / 100],
  risk_score: ({ risk: [from, to] }) => [(from - 1) / 100, (to + 1) / 100],
  analyzed_at: () => [0, Number.MAX_SAFE_INTEGER],
  symbol: () => ['', ABOVE_TEXTS],
};

const placeCondition = ({ sort, order, after }: VerdictPage, { bounds }: Selection) => {
  const [from, to] = RANGES[sort](bounds);
  const [notBelow, notAbove] = [condition(`${sort} >= ?`, from), condition(`${sort} <= ?`, to)];
  if (!after) return joined([notBelow, notAbove], ' AND ');
  const isAscending = order === 'asc';
  const sql = `(${sort}, token) ${isAscending ? '>' : '<'} (?, ?)`;
  const beyond = condition(sql, after.value, bytesOf(after.token));
  return joined([beyond, isAscending ? notAbove : notBelow], ' AND ');
};

/** What it costs to test a row in memory, to find its place there and to look it up, in steps along an order. */
const TESTED_COST = 0.006;
const PLACED_COST = 0.01;
const LOOKED_UP_COST = 5;
/** What is accepted may lie at the far end of an order: going along it must be so many times cheaper. */
const CHEAPER = 2;

/** Whether the page is found in memory: few rows were named, or to go along the order until it is full would cost more. */
const isFoundInMemory = (
  { columns }: IndexReader,
  { sort, limit, offset, createdFromS, createdToS }: IndexFilter & VerdictPage,
  { total, accepts }: Selection,
): boolean => {
  if (!accepts) return true;
  const wanted = limit + offset;
  // Tokens of a time were examined at a time.
  const isOfTime = createdFromS !== undefined || createdToS !== undefined;
  if (isOfTime && sort === 'analyzed_at') return true;
  const steps = (wanted * columns.end()) / total;
  const cost = TESTED_COST * columns.end() + PLACED_COST * total + LOOKED_UP_COST * wanted;
  return CHEAPER * steps > cost;
};

/** The entries of a page, in JSON; equal sort values are ordered by address, so pages are stable. */
export const listPage = (reader: IndexReader, page: IndexFilter & VerdictPage): string => {
  const selection = select(reader, page);
  if (selection.total === 0) return '[]';
  const { sort, order, limit, offset } = page;
  const inOrder = `ORDER BY ${sort} ${order}, token ${order}`;
  const place = placeCondition(page, selection);
  const ends = `AND ${place.sql} ${inOrder} LIMIT ? OFFSET ?`;
  const inMemory = isFoundInMemory(reader, page, selection)
    ? rowsOfPage(selection.rows(), reader.columns.keysOf(sort), page)
    : undefined;
  const rows = inMemory
    ? condition(`NOT INDEXED WHERE ${LISTED_ROWS} ${ends}`, JSON.stringify(inMemory.rows))
    : condition(`INDEXED BY by_${sort} WHERE accepted(id) ${ends}`);
  // The index of an order has all that a page is found by: of each of its tokens one row is looked up, the one of `shown`.
  const found = `SELECT id, token, ${sort} FROM tokens ${rows.sql}`;
  const entries = `SELECT ${ENTRY} AS entry FROM (${found}) JOIN shown USING (id) ${inOrder}`;
  const skipped = inMemory?.skipped ?? (page.after ? 0 : offset);
  const values = [...rows.values, ...place.values, limit, skipped];
  return reader.read(listOf('entry', entries), values, selection.accepts);
};

/** The entries of those tokens that there are, in any order, in JSON. */
export const findTokens = (reader: IndexReader, tokens: readonly Hex[]): string =>
  reader.read(
    listOf(
      'entry',
      `SELECT ${ENTRY} AS entry FROM tokens JOIN shown USING (id) WHERE ${LISTED_TOKENS}`,
    ),
    [JSON.stringify(tokens)],
  );
