import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { describeFile, type TableBackup } from './manifest.ts';

/** Longest one table may take. */
const TABLE_TIMEOUT_MS = 6 * 3_600_000;
/** The table of applied migrations: a restore creates it by migrating. */
export const LEDGER_TABLE = 'schema_migrations';

const tableSchema = z.object({ name: z.string(), engine: z.string(), query: z.string() });
const columnSchema = z.object({ table: z.string(), name: z.string() });

const TABLES_SQL = `SELECT name, engine, create_table_query AS query FROM system.tables
  WHERE database = currentDatabase() ORDER BY name`;
const COLUMNS_SQL = `SELECT table, name FROM system.columns
  WHERE database = currentDatabase() AND default_kind NOT IN ('ALIAS', 'MATERIALIZED')
  ORDER BY table, position`;

/** A table with its writable columns. */
export type SourceTable = {
  table: string;
  columns: string[];
  /** Whether rows expire. */
  expires: boolean;
};

const holdsRows = (engine: string): boolean =>
  engine.endsWith('MergeTree') || engine === 'Distributed';

/** The table behind a Distributed one: Distributed('cluster', 'database', 'table', …). */
const distributedOver = (query: string): string | undefined =>
  /Distributed\([^,]+,\s*[^,]+,\s*'?([A-Za-z0-9_]+)/.exec(query)?.[1];

/** Tables that hold rows of their own. For a sharded table, the Distributed table over all shards counts. */
export const sourceTables = async (database: Clickhouse): Promise<SourceTable[]> => {
  const all = await database.query(TABLES_SQL, {}, tableSchema);
  const shards = all
    .filter(({ engine }) => engine === 'Distributed')
    .map(({ query }) => distributedOver(query));
  const left = new Set<string | undefined>([...shards, LEDGER_TABLE]);
  const columns = await database.query(COLUMNS_SQL, {}, columnSchema);
  return all
    .filter(({ name, engine }) => holdsRows(engine) && !left.has(name))
    .map(({ name: table, query }) => ({
      table,
      expires: / TTL /.test(query),
      columns: columns.filter((column) => column.table === table).map(({ name }) => name),
    }));
};

/**
 * Sends a statement to the HTTP interface as the user in `url`. Resolves when the server has ended it, so that a
 * failure half-way does not pass for the end.
 * @throws Error with ClickHouse's own text
 */
const send = async (
  url: string,
  what: string,
  statement: {
    readonly sql: string;
    readonly settings: Readonly<Record<string, string>>;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: Readable;
  },
): Promise<Dispatcher.ResponseData> => {
  const { origin, pathname, username, password } = new URL(url);
  const { sql, settings, headers, body = null } = statement;
  const answer = await request(origin, {
    method: 'POST',
    query: {
      database: pathname.slice(1) || 'default',
      query: sql,
      max_execution_time: TABLE_TIMEOUT_MS / 1_000,
      wait_end_of_query: 1,
      ...settings,
    },
    headers: {
      'X-ClickHouse-User': decodeURIComponent(username),
      'X-ClickHouse-Key': decodeURIComponent(password),
      ...headers,
    },
    body,
    headersTimeout: TABLE_TIMEOUT_MS,
    bodyTimeout: TABLE_TIMEOUT_MS,
  });
  if (answer.statusCode === 200) return answer;
  throw new Error(`${what}: ${(await answer.body.text()).trim()}`);
};

const countText = z.string().regex(/^\d+$/).transform(Number);
const summarySchema = z.object({ result_rows: countText, written_rows: countText });
const summaryOf = ({ headers }: Dispatcher.ResponseData): z.output<typeof summarySchema> =>
  summarySchema.parse(JSON.parse(String(headers['x-clickhouse-summary'])));

/** How many rows a restore would find in a file. */
const rowsInFile = async (url: string, folder: string, file: string): Promise<number> => {
  const answer = await send(url, `reading ${file} back`, {
    sql: "INSERT INTO FUNCTION null('auto') FORMAT Native",
    settings: {},
    headers: { 'content-encoding': 'zstd' },
    body: createReadStream(join(folder, file)),
  });
  await answer.body.dump();
  return summaryOf(answer).written_rows;
};

/**
 * Writes the rows of a table to `<table>.native.zst`, in ClickHouse's own format, which its client can read. The rows
 * that arrived are counted: the server buffers answers on its disk, and if that is full, it sends a truncated answer
 * with status 200.
 * @throws Error with ClickHouse's own text, or if rows are missing.
 */
export const dumpTable = async (
  url: string,
  folder: string,
  { table, columns }: Pick<SourceTable, 'table' | 'columns'>,
): Promise<TableBackup> => {
  const answer = await send(url, `reading ${table}`, {
    sql: `SELECT ${columns.join(', ')} FROM ${table} FINAL FORMAT Native`,
    settings: { enable_http_compression: '1' },
    headers: { 'accept-encoding': 'zstd' },
  });
  const { result_rows: rows } = summaryOf(answer);
  const file = `${table}.native.zst`;
  await pipeline(answer.body, createWriteStream(join(folder, file), { mode: 0o600 }));
  const arrived = rows === 0 ? 0 : await rowsInFile(url, folder, file);
  if (arrived !== rows) {
    throw new Error(
      `reading ${table}: ${arrived} of ${rows} rows arrived: is the disk of ClickHouse full?`,
    );
  }
  return { table, columns, rows, ...(await describeFile(folder, file)) };
};

/** Writes the rows of a file to their table. */
export const loadTable = async (
  url: string,
  folder: string,
  { table, columns, rows, file }: TableBackup,
): Promise<void> => {
  if (rows === 0) return;
  const answer = await send(url, `writing ${table}`, {
    sql: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT Native`,
    settings: { distributed_foreground_insert: '1' },
    headers: { 'content-encoding': 'zstd' },
    body: createReadStream(join(folder, file)),
  });
  await answer.body.dump();
};

const countSchema = z.object({ rows: z.number() });

/** The number of current rows of a table. */
export const countRows = async (database: Clickhouse, table: string): Promise<number> => {
  const [row] = await database.query(`SELECT count() AS rows FROM ${table} FINAL`, {}, countSchema);
  return row?.rows ?? 0;
};

/** Removes every table and view, dependent ones first. */
export const dropTables = async (database: Clickhouse): Promise<void> => {
  const all = await database.query(TABLES_SQL, {}, tableSchema);
  const hangsOnOthers = (engine: string): boolean =>
    engine.endsWith('View') || engine === 'Distributed';
  const own = all.filter(({ name }) => !name.startsWith('.'));
  const inOrder = own.toSorted(
    (a, b) => Number(hangsOnOthers(b.engine)) - Number(hangsOnOthers(a.engine)),
  );
  for (const { name } of inOrder) await database.exec(`DROP TABLE IF EXISTS \`${name}\` SYNC`);
};
