import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { foldText } from '../../shared/rules/foldText.ts';
import { VERDICT_SORTS } from '../tokens/verdictPage.ts';
import { createFeatureColumns, type FeatureValues } from './featureColumns.ts';
import { type IndexReader, type IndexValue, listOf } from './indexReader.ts';
import { createListOrders } from './listOrders.ts';
import { countPage, findTokens, listPage } from './listPage.ts';
import { openUnnamed } from './openUnnamed.ts';
import { openWallets } from './openWallets.ts';
import { rowsBelow } from './rowArrays.ts';
import { searchNames } from './searchNames.ts';
import { createKeptSelections } from './selection.ts';
import { bytesOf, createSortColumns } from './sortColumns.ts';
import {
  createTokenColumns,
  type Filterable,
  TOKEN_RANGES,
  type TokenSelection,
} from './tokenColumns.ts';

/** What lists show of a token, and what it is found by. */
export interface IndexedVerdict extends Filterable {
  readonly name: string;
  readonly creator: Hex;
  /** The column `summary_json`. */
  readonly summary: string;
  /** All loaded features that were observed; undefined if none is loaded. */
  readonly features?: FeatureValues | undefined;
}

/** The current row of a token. */
export interface IndexedToken {
  readonly token: Hex;
  /** Undefined: the token has no verdict any more. */
  readonly verdict: IndexedVerdict | undefined;
}

/** Observed values of some features. */
export interface FilledFeatures {
  readonly names: readonly string[];
  readonly tokens: readonly { readonly token: Hex; readonly features: FeatureValues }[];
}

/**
 * No journal: the file is an unlinked cache that ends with its process, and any error ends the index. The page cache
 * is at most 4 MiB: with 16 MiB the process takes 20 MiB more, and only reads inside names get cheaper, by an eighth
 * of their CPU time.
 */
const SETTINGS = `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA cache_size = -4096;`;

const COLUMNS = ['token', 'name_term', 'symbol_term', 'creator'] as const;

/**
 * Search terms are folded. What is only shown (JSON of some hundred bytes) has a table of its own, which keeps the
 * searched table small. Look-ups use tables instead of indexes: SQLite would sort an index at once, in memory, and
 * never free that memory, 50 bytes per token.
 */
const TABLES = `CREATE TABLE tokens (id INTEGER PRIMARY KEY, token BLOB NOT NULL UNIQUE, name_term TEXT NOT NULL, symbol_term TEXT NOT NULL,
    creator BLOB NOT NULL);
  CREATE TABLE shown (id INTEGER PRIMARY KEY, entry TEXT NOT NULL, failed TEXT NOT NULL);
  CREATE TABLE symbols (term TEXT, token BLOB, id INTEGER, PRIMARY KEY (term, token)) WITHOUT ROWID;
  CREATE TABLE names (term TEXT, token BLOB, id INTEGER, PRIMARY KEY (term, token)) WITHOUT ROWID;
  CREATE TABLE creators (creator BLOB, id INTEGER, PRIMARY KEY (creator, id)) WITHOUT ROWID;
  CREATE VIRTUAL TABLE parts USING fts5(symbol_term, name_term, content = 'tokens', content_rowid = 'id',
    tokenize = 'trigram case_sensitive 1');`;

/** Tokens sorted at a time. */
const SORTED_TOKENS = 500_000;
/**
 * Fills the look-up tables with rows from a given one on, in key order: any other order takes several times as long.
 */
const fillFrom = (row: number): string => {
  const those = `FROM tokens WHERE id BETWEEN ${row} AND ${row + SORTED_TOKENS - 1}`;
  return `INSERT INTO symbols SELECT symbol_term, token, id ${those} ORDER BY symbol_term, token;
    INSERT INTO names SELECT name_term, token, id ${those} ORDER BY name_term, token;
    INSERT INTO creators SELECT creator, id ${those} ORDER BY creator;`;
};

const ADD = `INSERT INTO parts (rowid, symbol_term, name_term) VALUES (new.id, new.symbol_term, new.name_term);
  INSERT INTO symbols VALUES (new.symbol_term, new.token, new.id);
  INSERT INTO names VALUES (new.name_term, new.token, new.id);
  INSERT INTO creators VALUES (new.creator, new.id);`;
const TAKE = `INSERT INTO parts (parts, rowid, symbol_term, name_term)
    VALUES ('delete', old.id, old.symbol_term, old.name_term);
  DELETE FROM symbols WHERE term = old.symbol_term AND token = old.token;
  DELETE FROM names WHERE term = old.name_term AND token = old.token;
  DELETE FROM creators WHERE creator = old.creator AND id = old.id;`;

/**
 * Run once all tokens are loaded: adding trigrams one token at a time takes several times as long. No ANALYZE:
 * statistics of an index built while empty make the cost of each later insert proportional to its size.
 */
const SEAL = `INSERT INTO parts (parts) VALUES ('rebuild');
  CREATE TRIGGER added AFTER INSERT ON tokens BEGIN ${ADD} END;
  CREATE TRIGGER removed AFTER DELETE ON tokens BEGIN ${TAKE} DELETE FROM shown WHERE id = old.id; END;
  CREATE TRIGGER renamed AFTER UPDATE ON tokens BEGIN ${TAKE} ${ADD} END;`;

const INSERT = `INSERT INTO tokens (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`;
const CHANGEABLE = COLUMNS.slice(1);
/** Returns the row that was added or changed. Rows are often read again without a change. */
const UPSERT = `${INSERT} ON CONFLICT (token) DO UPDATE SET ${CHANGEABLE.map((column) => `${column} = excluded.${column}`).join(', ')}
  WHERE (${CHANGEABLE.join(', ')}) IS NOT (${CHANGEABLE.map((column) => `excluded.${column}`).join(', ')}) RETURNING id`;
/** The row, then the columns in the order of `COLUMNS`. */
const LOAD = `INSERT INTO tokens (id, ${COLUMNS.join(', ')}) VALUES (?, ${COLUMNS.map(() => '?').join(', ')})`;
const SHOW = 'INSERT INTO shown (id, entry, failed) VALUES (?, ?, ?)';
const SHOW_ANEW = `INSERT INTO shown (entry, failed, id) SELECT ?, ?, id FROM tokens WHERE token = ?
  ON CONFLICT (id) DO UPDATE SET entry = excluded.entry, failed = excluded.failed
  WHERE (entry, failed) IS NOT (excluded.entry, excluded.failed) RETURNING id`;
const ROW_OF = 'SELECT id FROM tokens WHERE token = ?';
/** The rows of a parameter that is a JSON list of tokens, in its order; 0 for an unknown token. */
const ROWS_OF = listOf(
  'row',
  `SELECT coalesce(tokens.id, 0) AS row FROM json_each(?) AS listed LEFT JOIN tokens ON token = unhex(substr(listed.value, 3))
   ORDER BY listed.key`,
);
const REMOVE = 'DELETE FROM tokens WHERE id = ?';
const ADDRESS_OF = "SELECT '0x' || lower(hex(token)) FROM tokens WHERE id = ?";

/** In the order of `COLUMNS`. */
const valuesOf = (token: Hex, verdict: IndexedVerdict): IndexValue[] => [
  bytesOf(token),
  foldText(verdict.name),
  foldText(verdict.symbol),
  bytesOf(verdict.creator),
];
/**
 * In the order of `SHOW`, in the form that `tokenReads.ts` reads: the summary is already JSON, and its numbers stay
 * unchanged.
 */
const shownOf = (token: Hex, { isScam, failed, summary }: IndexedVerdict): IndexValue[] => [
  `["${token.slice(2)}",${isScam},${summary}]`,
  JSON.stringify(failed),
];

const openDatabase = () =>
  openUnnamed((folder) => {
    const database = new sqlite.Database(join(folder, 'tokens.db'));
    database.exec(SETTINGS);
    database.exec(TABLES);
    return database;
  });

type Connection = ReturnType<typeof openDatabase>;

/**
 * The first column of the first row of a statement; undefined if there is none. Statements stay prepared: there are
 * only as many as forms of queries.
 */
const createValueReader = (database: Connection) => {
  const statements = new Map<string, ReturnType<Connection['prepare']>>();
  const prepared = (sql: string) => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const forget = (sql: string): void => {
    try {
      statements.get(sql)?.finalize();
    } catch {
      // Otherwise reset would report the error of the last run again.
    }
    statements.delete(sql);
  };
  return (sql: string, values: readonly IndexValue[]): unknown => {
    try {
      // Reads all rows: an unfinished statement would keep its transaction open.
      return Object.values(prepared(sql).all([...values])[0] ?? {})[0];
    } catch (error) {
      forget(sql);
      throw error;
    }
  };
};

const fillFeatures = (reader: IndexReader, { names, tokens }: FilledFeatures): void => {
  const listed = JSON.stringify(tokens.map(({ token }) => token));
  const rows = JSON.parse(reader.read(ROWS_OF, [listed])) as number[];
  for (const [at, { features }] of tokens.entries()) {
    reader.features.set(rows[at] ?? 0, features, names);
  }
};

const rowNumber = z.number().int().positive();

/** Adds and changes tokens. */
const createWriter = (
  database: Connection,
  valueOf: ReturnType<typeof createValueReader>,
  { columns, features, orders, selected }: IndexReader,
  sorted: ReturnType<typeof createSortColumns>,
) => {
  const rowOf = (sql: string, values: readonly IndexValue[]): number | undefined =>
    rowNumber.optional().parse(valueOf(sql, values));
  let lastAdded = '';
  const add = (token: Hex, verdict: IndexedVerdict): void => {
    if (token <= lastAdded) throw new Error(`${token} is loaded after ${lastAdded}`);
    lastAdded = token;
    const row = columns.end();
    valueOf(LOAD, [row, ...valuesOf(token, verdict)]);
    valueOf(SHOW, [row, ...shownOf(token, verdict)]);
    columns.set(row, verdict);
    orders.move(row, () => sorted.set(row, token, verdict));
  };
  const put = (token: Hex, verdict: IndexedVerdict): void => {
    const changed = rowOf(UPSERT, valuesOf(token, verdict));
    const shown = rowOf(SHOW_ANEW, [...shownOf(token, verdict), bytesOf(token)]);
    // If nothing else changed, recently loaded features may still be new.
    const row = shown ?? changed ?? (verdict.features && rowOf(ROW_OF, [bytesOf(token)]));
    if (row === undefined) return;
    columns.set(row, verdict);
    orders.move(row, () => sorted.set(row, token, verdict));
    features.set(row, verdict.features ?? {});
  };
  const remove = (token: Hex): void => {
    const row = rowOf(ROW_OF, [bytesOf(token)]);
    if (row === undefined) return;
    columns.remove(row);
    orders.remove(row);
    valueOf(REMOVE, [row]);
  };
  const write = (
    tokens: readonly IndexedToken[],
    store: (token: Hex, verdict: IndexedVerdict) => void,
  ): void => {
    selected.clear();
    database.exec('BEGIN');
    for (const { token, verdict } of tokens) {
      if (verdict) store(token, verdict);
      else remove(token);
    }
    database.exec('COMMIT');
  };
  return {
    load: (tokens: readonly IndexedToken[]): void => write(tokens, add),
    change: (tokens: readonly IndexedToken[]): void => write(tokens, put),
  };
};

/**
 * Tokens and wallets of one chain; tokens are in SQLite. Everything is loaded first, then the index is sealed; after
 * that it answers queries and follows changes. After an error in a change, its answers must not be used.
 */
export const openIndex = () => {
  const database = openDatabase();
  const valueOf = createValueReader(database);
  const columns = createTokenColumns({
    created: (bounds, test): number => orders.countBetween('created_at', bounds, test),
    few: (selection): number | undefined => orders.countFew(selection),
  });
  const features = createFeatureColumns();
  const read: IndexReader['read'] = (sql, values) => z.string().parse(valueOf(sql, values));
  const sorted = createSortColumns((row) => read(ADDRESS_OF, [row]));
  const orders = createListOrders(VERDICT_SORTS, sorted, TOKEN_RANGES);
  const kept = { selected: createKeptSelections<TokenSelection>(), trigrams: new Map() };
  const reader: IndexReader = { columns, features, orders, ...kept, read };
  const writer = createWriter(database, valueOf, reader, sorted);
  const wallets = openWallets();
  return {
    /** Reserves space for a number of tokens. */
    reserve: (tokens: number): void => {
      columns.reserve(tokens + 1);
      sorted.reserve(tokens + 1);
    },
    /** Adds tokens, each once, in the order of addresses, before the index is sealed. */
    load: (tokens: readonly IndexedToken[]): void => writer.load(tokens),
    seal: (): void => {
      for (let row = 1; row < columns.end(); row += SORTED_TOKENS) database.exec(fillFrom(row));
      database.exec(SEAL);
      orders.seal(rowsBelow(columns.end()));
      // Computed now, since otherwise the first page that needs them would wait for seconds.
      orders.eachBlock(columns.summarize);
    },
    /** Applies changes: all of them or, if it throws, some. */
    change: (tokens: readonly IndexedToken[]): void => writer.change(tokens),
    /** Loads features from now on: changes carry them at once, other tokens once they are filled in. */
    hold: (names: readonly string[]): void => features.hold(names, columns.end()),
    /** Values of loaded features, for tokens that have not changed since. */
    fill: (filled: FilledFeatures): void => fillFeatures(reader, filled),
    list: (question: Parameters<typeof listPage>[1]): string => listPage(reader, question),
    count: (question: Parameters<typeof countPage>[1]): string => countPage(reader, question),
    search: (question: Parameters<typeof searchNames>[1]): string => searchNames(reader, question),
    find: (tokens: Parameters<typeof findTokens>[1]): string => findTokens(reader, tokens),
    reserveWallets: wallets.reserve,
    loadWallets: wallets.load,
    sealWallets: wallets.seal,
    changeWallets: wallets.change,
    wallets: wallets.page,
    close: (): void => {
      database.close();
      features.close();
    },
  };
};

export type OpenIndex = ReturnType<typeof openIndex>;
/** Methods that answer with JSON and change nothing. */
export const INDEX_READS = [
  'list',
  'count',
  'search',
  'find',
  'wallets',
] as const satisfies (keyof OpenIndex)[];
export type IndexRead = (typeof INDEX_READS)[number];
