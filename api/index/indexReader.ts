import type { VerdictSort } from '../tokens/verdictPage.ts';
import type { FeatureColumns } from './featureColumns.ts';
import type { ListOrders } from './listOrders.ts';
import type { createKeptSelections } from './selection.ts';
import type { TokenColumns, TokenSelection } from './tokenColumns.ts';

/** A value that a statement is given; bytes stand for addresses. */
export type IndexValue = string | number | Uint8Array;

/** A statement, or a part of one, and the values of its placeholders in their order. */
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

/** What questions about tokens are answered from. */
export interface IndexReader {
  readonly columns: TokenColumns;
  readonly features: FeatureColumns;
  readonly orders: ListOrders<VerdictSort, TokenSelection['bounds']>;
  /** Since the last change. */
  readonly selected: ReturnType<typeof createKeptSelections<TokenSelection>>;
  /** Rows of a sample that hold a trigram (`textMatch.ts`). */
  readonly trigrams: Map<string, number>;
  /** The only value of a statement, a text. */
  read(sql: string, values: readonly IndexValue[]): string;
}

/** Rows of one column of JSON as a list. One text for all of them: to cross from the engine costs more than to find. */
export const listOf = (column: string, rows: string): string =>
  `SELECT '[' || coalesce(group_concat(${column}, ','), '') || ']' FROM (${rows})`;

/** The tokens of a parameter that is a list in JSON. */
export const LISTED_TOKENS = 'token IN (SELECT unhex(substr(value, 3)) FROM json_each(?))';

/** The rows of a parameter that is a list in JSON. */
export const LISTED_ROWS = 'id IN (SELECT value FROM json_each(?))';

/** The first and the last of all texts that begin with one, the last beyond any letter. */
export const beginningWith = (text: string): readonly [string, string] => [
  text,
  `${text}\u{10ffff}`,
];

/** A text for full text search. */
export const phrase = (text: string): string => `"${text.replaceAll('"', '""')}"`;
