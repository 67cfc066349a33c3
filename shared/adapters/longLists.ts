import type { QueryParams } from './clickhouse.ts';

/** Characters of a list that travels as a parameter: the server refuses fields over 131,072 (`http_max_field_value_size`). */
const LIST_CHARS_MAX = 65_536;
/** Bytes of a statement that holds lists; the server takes 262,144 unless told. */
const STATEMENT_BYTES_MAX = 256 * 1024 * 1024;

/** A statement, the parameters that it still needs, and settings without which the server refuses it. */
export interface Statement {
  readonly sql: string;
  readonly params: Record<string, unknown>;
  readonly settings: { readonly max_query_size?: string };
}

const literalOf = (value: unknown): string => {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value !== 'string') throw new Error('a long list holds texts and numbers only');
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
};

const charsOf = (list: readonly unknown[]): number =>
  list.reduce<number>((sum, value) => sum + String(value).length + 3, 0);

/** Writes lists that are too long for a parameter into the statement, in place of `{name:Type}`. */
export const withLongLists = (sql: string, params: QueryParams): Statement => {
  const long = Object.entries(params).filter(
    (entry): entry is [string, readonly unknown[]] =>
      Array.isArray(entry[1]) && charsOf(entry[1]) > LIST_CHARS_MAX,
  );
  if (long.length === 0) return { sql, params: { ...params }, settings: {} };
  const rest = { ...params };
  let text = sql;
  for (const [name, list] of long) {
    delete rest[name];
    const literal = `[${list.map(literalOf).join(',')}]`;
    text = text.replace(
      new RegExp(`\\{${name}:(Array\\(\\w+\\))\\}`, 'g'),
      (_, type: string) => `CAST(${literal}, '${type}')`,
    );
  }
  return { sql: text, params: rest, settings: { max_query_size: String(STATEMENT_BYTES_MAX) } };
};
