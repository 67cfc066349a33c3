import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import type { z } from 'zod';
import { classifyClickhouseError } from './clickhouseErrors.ts';

/** Values of `{name:Type}` placeholders in a query. */
export type QueryParams = Readonly<Record<string, unknown>>;

/** The database as this service uses it. Every call has a timeout and throws classified errors. */
export interface Clickhouse {
  /** Rows of a SELECT, each checked by `row`. 64-bit integers arrive as numbers. */
  query<S extends z.ZodTypeAny>(sql: string, params: QueryParams, row: S): Promise<z.output<S>[]>;
  /** One atomic insert of objects, at most `INSERT_ROWS_MAX` of them. */
  insert(table: string, rows: readonly Readonly<Record<string, unknown>>[]): Promise<void>;
  /** One atomic insert of rows already encoded as RowBinary. */
  insertBinary(table: string, columns: readonly string[], rows: Uint8Array): Promise<void>;
  /** A statement without an answer, such as DDL or INSERT … SELECT. */
  exec(sql: string, params?: QueryParams): Promise<void>;
  /** Resolves when the server answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface ClickhouseOptions {
  /** `http://user:password@host:port/database`. */
  readonly url: string;
  /** Milliseconds one request may take. */
  readonly timeoutMs?: number;
  /** Connections held open at the most. */
  readonly connectionsMax?: number;
}

const TIMEOUT_MS = 30_000;
const CONNECTIONS_MAX = 10;
const PING_TIMEOUT_MS = 2_000;
/** Rows of one insert: below the server's insert block, so that an insert is atomic. */
const INSERT_ROWS_MAX = 500_000;

const connect = (options: ClickhouseOptions): ClickHouseClient => {
  const url = new URL(options.url);
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  return createClient({
    url: `${url.protocol}//${url.host}`,
    username: decodeURIComponent(url.username) || 'default',
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1) || 'default',
    request_timeout: timeoutMs,
    max_open_connections: options.connectionsMax ?? CONNECTIONS_MAX,
    // Idle sockets are dropped before the server does it, else a reused one may be reset.
    keep_alive: { enabled: true, idle_socket_ttl: 1_500 },
    log: { LoggerClass: SilentLogger },
    clickhouse_settings: {
      max_execution_time: Math.ceil(timeoutMs / 1000),
      output_format_json_quote_64bit_integers: 0,
      output_format_json_quote_denormals: 1,
      date_time_output_format: 'iso',
      // Conditions on the key come first with FINAL too: other columns are read of rows that meet them only.
      optimize_move_to_prewhere_if_final: 1,
      max_insert_block_size: String(INSERT_ROWS_MAX * 2),
      min_insert_block_size_rows: '0',
      min_insert_block_size_bytes: '0',
    },
  });
};

/** The client's own log lines repeat what the thrown errors say. */
class SilentLogger {
  trace(): void {}
  debug(): void {}
  info(): void {}
  warn(): void {}
  error(): void {}
}

/** Opens a pool of connections. Nothing is sent before the first call. */
export const createClickhouse = (options: ClickhouseOptions): Clickhouse => {
  const client = connect(options);
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw classifyClickhouseError(error);
    }
  };
  return {
    query: (sql, params, row) =>
      guarded(async () => {
        const result = await client.query({
          query: sql,
          query_params: { ...params },
          format: 'JSONEachRow',
        });
        return row.array().parse(await result.json());
      }),
    insert: (table, rows) =>
      guarded(async () => {
        if (rows.length === 0) return;
        await client.insert({ table, values: [...rows], format: 'JSONEachRow' });
      }),
    insertBinary: (table, columns, rows) =>
      guarded(async () => {
        const query = `INSERT INTO ${table} (${columns.join(', ')}) FORMAT RowBinary`;
        const { stream } = await client.exec({ query, values: Readable.from([rows]) });
        await text(stream);
      }),
    exec: (sql, params) =>
      guarded(async () => {
        await client.command({ query: sql, query_params: { ...params } });
      }),
    ping: () =>
      guarded(async () => {
        await client.query({
          query: 'SELECT 1',
          abort_signal: AbortSignal.timeout(PING_TIMEOUT_MS),
        });
      }),
    close: () => client.close(),
  };
};
