import type { Hex } from '../../shared/chain/block.ts';
import type { Traits } from '../search/search.ts';
import type { VerdictFilter, VerdictPage } from '../tokens/verdictPage.ts';
import {
  type Condition,
  condition,
  type IndexReader,
  LISTED_ROWS,
  LISTED_TOKENS,
  listOf,
} from './indexReader.ts';
import { namedSelection, rowsOf } from './selection.ts';
import { bytesOf } from './sortColumns.ts';
import { textMatch } from './textMatch.ts';
import type { TokenSelection } from './tokenColumns.ts';

/** Filters that the index supports: a text of at least three letters, and features that were loaded. */
export interface IndexFilter extends VerdictFilter {
  readonly traits?: Traits | undefined;
}

/** Rows that a statement returns. */
const rowsFound = (reader: IndexReader, { sql, values }: Condition): Uint32Array =>
  Uint32Array.from(
    JSON.parse(reader.read(`SELECT json_group_array(id) FROM (${sql})`, values)) as number[],
  );

const HOLDING = `SELECT id FROM tokens NOT INDEXED WHERE ${LISTED_ROWS}
  AND (instr(symbol_term, ?) > 0 OR instr(name_term, ?) > 0)`;

/** Those rows of a selection whose names contain a text. */
const holding = (reader: IndexReader, selection: TokenSelection, text: string): TokenSelection => {
  const looked = JSON.stringify([...rowsOf(selection)]);
  return namedSelection(selection, rowsFound(reader, condition(HOLDING, looked, text, text)));
};

const BY_CREATOR = 'SELECT id FROM creators WHERE creator = ?';
const BY_TEXT = 'SELECT rowid AS id FROM parts WHERE parts MATCH ?';

/** The rows that a filter accepts. Names are compared last because each must be read. */
const selectAnew = (
  reader: IndexReader,
  filter: VerdictFilter,
  { creator, text, checks, features }: Traits,
): TokenSelection => {
  const { columns } = reader;
  const passed = features && reader.features.within(features, columns.end());
  if (creator) {
    const made = rowsFound(reader, condition(BY_CREATOR, bytesOf(creator)));
    const selection = columns.select(filter, checks, passed, made);
    return text === undefined ? selection : holding(reader, selection, text);
  }
  if (text === undefined) return columns.select(filter, checks, passed);
  const left = (found: number): number => found * columns.shareOf(filter, checks);
  const { match, isExact } = textMatch(reader, text, left);
  const named = rowsFound(reader, condition(BY_TEXT, match));
  const selection = columns.select(filter, checks, passed, named);
  return isExact ? selection : holding(reader, selection, text);
};

const select = (reader: IndexReader, filter: IndexFilter): TokenSelection => {
  const { prediction, minConfidence, maxConfidence, riskLevels, minRisk, maxRisk } = filter;
  const { createdFromS, createdToS, traits = {} } = filter;
  const scores = { prediction, minConfidence, maxConfidence, riskLevels, minRisk, maxRisk };
  const asked = { ...scores, createdFromS, createdToS, traits };
  return reader.selected.of(asked, () => selectAnew(reader, asked, traits));
};

/** How many tokens a filter accepts, as JSON. */
export const countPage = (reader: IndexReader, filter: IndexFilter): string =>
  JSON.stringify(select(reader, filter).total);

/** Entries of rows, in the order of the rows. */
const ENTRIES = listOf(
  'entry',
  'SELECT entry FROM json_each(?) AS listed JOIN shown ON shown.id = listed.value ORDER BY listed.key',
);

/** The entries of a page as JSON; ties are ordered by address, so pages are stable. */
export const listPage = (reader: IndexReader, page: IndexFilter & VerdictPage): string => {
  const selection = select(reader, page);
  if (selection.total === 0) return '[]';
  const after = page.after && ([page.after.value, page.after.token] as const);
  const rows = reader.orders.page(selection, { ...page, after });
  return reader.read(ENTRIES, [JSON.stringify(rows)]);
};

const FOUND = listOf(
  'entry',
  `SELECT entry FROM tokens JOIN shown USING (id) WHERE ${LISTED_TOKENS}`,
);

/** The entries of those requested tokens that exist, in any order, as JSON. */
export const findTokens = (reader: IndexReader, tokens: readonly Hex[]): string =>
  reader.read(FOUND, [JSON.stringify(tokens)]);
