import type { VerdictSort } from '../tokens/verdictPage.ts';
import type { FeatureColumns } from './featureColumns.ts';
import type { ListOrders } from './listOrders.ts';
import type { createKeptSelections } from './selection.ts';
import type { TokenColumns, TokenSelection } from './tokenColumns.ts';

/** A parameter of a statement; bytes stand for addresses. */
export type IndexValue = string | number | Uint8Array;

/** A statement or a part of one, with the values of its placeholders in order. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly IndexValue[];
}

export const condition = (sql: string, ...values: readonly IndexValue[]): Condition => ({
  sql,
  values,
});

export const joined = (conditions: readonly Condition[], by: string): Condition => ({
  sql: conditions.map(({ sql }) => sql).join(by),
  values: conditions.flatMap(({ values }) => values),
});

/** The data that token queries read. */
export interface IndexReader {
  readonly columns: TokenColumns;
  readonly features: FeatureColumns;
  readonly orders: ListOrders<VerdictSort, TokenSelection['bounds']>;
  /** Valid since the last change. */
  readonly selected: ReturnType<typeof createKeptSelections<TokenSelection>>;
  /** Number of rows of a sample that contain a trigram (`textMatch.ts`). */
  readonly trigrams: Map<string, number>;
  /** The single string that a statement returns. */
  read(sql: string, values: readonly IndexValue[]): string;
}

/**
 * The rows of one JSON column as a list in a single string: crossing from the engine to JavaScript costs more than
 * the query.
 */
export const listOf = (column: string, rows: string): string =>
  `SELECT '[' || coalesce(group_concat(${column}, ','), '') || ']' FROM (${rows})`;

/** The tokens of a parameter that is a JSON list. */
export const LISTED_TOKENS = 'token IN (SELECT unhex(substr(value, 3)) FROM json_each(?))';

/** The rows of a parameter that is a JSON list. */
export const LISTED_ROWS = 'id IN (SELECT value FROM json_each(?))';

/** The first and last possible string with a prefix; the last sorts after any letter. */
export const beginningWith = (text: string): readonly [string, string] => [
  text,
  `${text}\u{10ffff}`,
];

/** A string literal for full-text search. */
export const phrase = (text: string): string => `"${text.replaceAll('"', '""')}"`;
