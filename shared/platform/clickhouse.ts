import * as http from 'node:http';
import * as https from 'node:https';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
} from '@clickhouse/client';
import { ZodError, type z } from 'zod';
import { errorMessage, FatalError, RetryableError } from './errors.ts';
import { createLookup } from './lastKnownAddress.ts';

/**
 * Maximum characters of a list passed as a parameter. The server refuses fields over 131,072
 * (`http_max_field_value_size`). The client also encodes parameters character by character into a URL, which takes
 * longer than putting the list into the statement.
 */
const LIST_CHARS_MAX = 2_048;
/** Maximum bytes of a statement with lists; the server's default is 262,144. */
const STATEMENT_BYTES_MAX = 256 * 1024 * 1024;

/** A statement, its remaining parameters, and the settings it needs to be accepted. */
interface Statement {
  readonly sql: string;
  readonly params: Record<string, unknown>;
  readonly settings: { readonly max_query_size?: string };
}

const literalOf = (value: unknown): string => {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value !== 'string') throw new Error('a long list holds texts and numbers only');
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
};

/**
 * One joined string, which the server splits faster than it parses literals: 860 addresses take 0.9 ms less of a core
 * each time a statement uses them.
 */
const listOf = (list: readonly unknown[], type: string): string =>
  type === 'Array(String)' && list.every((value) => !String(value).includes(','))
    ? `splitByChar(',', ${literalOf(list.join(','))})`
    : `CAST([${list.map(literalOf).join(',')}], '${type}')`;

const charsOf = (list: readonly unknown[]): number =>
  list.reduce<number>((sum, value) => sum + String(value).length + 3, 0);

/** Puts lists that are too long for a parameter into the statement, in place of `{name:Type}`. */
const withLongLists = (sql: string, params: QueryParams): Statement => {
  const long = new Map(
    Object.entries(params).filter(
      (entry): entry is [string, readonly unknown[]] =>
        Array.isArray(entry[1]) && charsOf(entry[1]) > LIST_CHARS_MAX,
    ),
  );
  if (long.size === 0) return { sql, params: { ...params }, settings: {} };
  const rest = Object.fromEntries(Object.entries(params).filter(([name]) => !long.has(name)));
  // In one pass, so that text in one list that looks like another list's placeholder stays text.
  const text = sql.replace(
    /\{(\w+):(Array\(\w+\))\}/g,
    (placeholder, name: string, type: string) => {
      const list = long.get(name);
      return list === undefined ? placeholder : listOf(list, type);
    },
  );
  return { sql: text, params: rest, settings: { max_query_size: String(STATEMENT_BYTES_MAX) } };
};

/** Values of `{name:Type}` placeholders in a query. */
export type QueryParams = Readonly<Record<string, unknown>>;

/** The database interface of this service. Every call has a time limit and throws classified errors. */
export interface Clickhouse {
  /** Rows of a SELECT, each validated by `row`. 64-bit integers arrive as numbers. */
  query<S extends z.ZodTypeAny>(sql: string, params: QueryParams, row: S): Promise<z.output<S>[]>;
  /** One atomic insert of at most `INSERT_ROWS_MAX` objects. */
  insert(table: string, rows: readonly Readonly<Record<string, unknown>>[]): Promise<void>;
  /** One atomic insert of rows already encoded as RowBinary. */
  insertBinary(table: string, columns: readonly string[], rows: Uint8Array): Promise<void>;
  /** A statement without a result, such as DDL or INSERT … SELECT. */
  exec(sql: string, params?: QueryParams): Promise<void>;
  /**
   * The bytes of a SELECT that names its format, once the server has produced all of them; limited by the given
   * settings.
   */
  stream(sql: string, settings: StreamSettings, signal: AbortSignal): Promise<Readable>;
  /** Resolves when the server answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Limits of a query whose result is passed on unchanged. */
export interface StreamSettings {
  readonly max_execution_time: number;
  readonly max_memory_usage: string;
  readonly max_threads: number;
  readonly max_result_rows: string;
}

/** Kinds of requests. */
export type ClickhouseOperation = 'query' | 'insert' | 'exec' | 'ping';

/** Receives the metrics of the database. */
export interface ClickhouseMeter {
  /** @param rows as counted by the server */
  inserted(table: string, rows: number, tookMs: number): void;
  queried(tookMs: number): void;
  failed(operation: ClickhouseOperation, kind: 'retry' | 'fatal'): void;
}

interface ClickhouseOptions {
  /** `http://user:password@host:port/database`. */
  readonly url: string;
  /** Milliseconds that one request may take. */
  readonly timeoutMs?: number;
  /** Maximum open connections. */
  readonly connectionsMax?: number;
  readonly meter?: ClickhouseMeter;
}

const TIMEOUT_MS = 30_000;
const CONNECTIONS_MAX = 10;
const PING_TIMEOUT_MS = 2_000;
/**
 * How long an idle connection is kept: less than the server's `keep_alive_timeout` (10 s by default), else a request
 * may use a connection that the server just closed.
 */
const IDLE_SOCKET_MS = 8_000;
/** Maximum rows of one insert: below the server's insert block size, so that an insert is atomic. */
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
    http_agent: new (url.protocol === 'https:' ? https : http).Agent({
      keepAlive: true,
      maxSockets: options.connectionsMax ?? CONNECTIONS_MAX,
      lookup: createLookup(),
    }),
    keep_alive: { enabled: true, idle_socket_ttl: IDLE_SOCKET_MS },
    // The client's own log lines repeat what the thrown errors say.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      max_execution_time: Math.ceil(timeoutMs / 1000),
      output_format_json_quote_64bit_integers: 0,
      output_format_json_quote_denormals: 1,
      // Output threads take 1.3 of the 3.8 ms of CPU time of a small query, and half a million rows arrive no faster
      // with them.
      output_format_parallel_formatting: 0,
      date_time_output_format: 'iso',
      // Key conditions are evaluated first even with FINAL: other columns are read only for rows that match them.
      optimize_move_to_prewhere_if_final: 1,
      max_insert_block_size: String(INSERT_ROWS_MAX * 2),
      min_insert_block_size_rows: '0',
      min_insert_block_size_bytes: '0',
    },
  });
};

const writtenRows = (answer: { summary?: { written_rows: string } }): number =>
  Number(answer.summary?.written_rows ?? 0);

/**
 * How much of an answer the server buffers in memory until its end. It buffers the rest on its disk and, if that is
 * full, sends a truncated answer with status 200.
 */
export const ANSWER_BUFFER_BYTES = String(64 * 1024 * 1024);

const openStream = async (
  client: ClickHouseClient,
  ...[query, settings, signal]: Parameters<Clickhouse['stream']>
): Promise<Readable> => {
  const { stream } = await client.exec({
    query,
    abort_signal: signal,
    clickhouse_settings: {
      ...settings,
      result_overflow_mode: 'throw',
      wait_end_of_query: 1,
      http_response_buffer_size: ANSWER_BUFFER_BYTES,
    },
  });
  return stream;
};

/** Opens a connection pool. Nothing is sent before the first call. */
export const createClickhouse = (options: ClickhouseOptions): Clickhouse => {
  const client = connect(options);
  const { meter } = options;
  const guarded = async <T>(operation: ClickhouseOperation, work: () => Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    try {
      const result = await work();
      if (operation !== 'insert') meter?.queried(performance.now() - startedMs);
      return result;
    } catch (error) {
      const failure = classifyClickhouseError(error);
      meter?.failed(operation, failure instanceof RetryableError ? 'retry' : 'fatal');
      throw failure;
    }
  };
  const guardedInsert = (table: string, send: () => Promise<number>): Promise<void> =>
    guarded('insert', async () => {
      const startedMs = performance.now();
      const rows = await send();
      meter?.inserted(table, rows, performance.now() - startedMs);
    });
  return {
    query: (sql, params, row) =>
      guarded('query', async () => {
        const statement = withLongLists(sql, params);
        const result = await client.query({
          query: statement.sql,
          query_params: statement.params,
          clickhouse_settings: statement.settings,
          format: 'JSONEachRow',
        });
        return row.array().parse(await result.json());
      }),
    insert: async (table, rows) => {
      if (rows.length === 0) return;
      await guardedInsert(table, async () => {
        const format = 'JSONEachRow';
        return writtenRows(await client.insert({ table, values: [...rows], format }));
      });
    },
    insertBinary: (table, columns, rows) =>
      guardedInsert(table, async () => {
        const query = `INSERT INTO ${table} (${columns.join(', ')}) FORMAT RowBinary`;
        const answer = await client.exec({ query, values: Readable.from([rows]) });
        await text(answer.stream);
        return writtenRows(answer);
      }),
    exec: (sql, params) =>
      guarded('exec', async () => {
        const statement = withLongLists(sql, params ?? {});
        await client.command({
          query: statement.sql,
          query_params: statement.params,
          clickhouse_settings: statement.settings,
        });
      }),
    stream: (...query) => guarded('query', () => openStream(client, ...query)),
    ping: () =>
      guarded('ping', async () => {
        await client.query({
          query: 'SELECT 1',
          abort_signal: AbortSignal.timeout(PING_TIMEOUT_MS),
        });
      }),
    close: () => client.close(),
  };
};

/**
 * Transient server errors: time-outs, memory and concurrency limits, too many parts, read-only or missing replicas, a
 * full disk, a connection cut during a request. Codes: ClickHouse `src/Common/ErrorCodes.cpp`.
 */
const PASSING_CODES: ReadonlySet<string> = new Set([
  '3', // UNEXPECTED_END_OF_FILE
  '33', // CANNOT_READ_ALL_DATA
  '159', // TIMEOUT_EXCEEDED
  '164', // READONLY
  '202', // TOO_MANY_SIMULTANEOUS_QUERIES
  '209', // SOCKET_TIMEOUT
  '210', // NETWORK_ERROR
  '236', // ABORTED
  '241', // MEMORY_LIMIT_EXCEEDED
  '242', // TABLE_IS_READ_ONLY
  '243', // NOT_ENOUGH_SPACE
  '252', // TOO_MANY_PARTS
  '279', // ALL_CONNECTION_TRIES_FAILED
  '319', // UNKNOWN_STATUS_OF_INSERT
  '394', // QUERY_WAS_CANCELLED
  '425', // SYSTEM_ERROR
  '999', // KEEPER_EXCEPTION
]);

/** A wrong statement or row shape is a bug and stops the process; every other error is retryable. */
export const classifyClickhouseError = (error: unknown): Error => {
  if (error instanceof ZodError) {
    return new FatalError(`unexpected row from ClickHouse: ${error.message}`, { cause: error });
  }
  if (error instanceof ClickHouseError && !PASSING_CODES.has(error.code)) {
    return new FatalError(`ClickHouse ${error.code}: ${error.message.slice(0, 500)}`, {
      cause: error,
    });
  }
  return new RetryableError(`ClickHouse: ${errorMessage(error).slice(0, 500)}`, { cause: error });
};

const failedWith =
  (...codes: readonly string[]) =>
  (error: unknown): boolean =>
    error instanceof FatalError &&
    error.cause instanceof ClickHouseError &&
    codes.includes(error.cause.code);

/** Whether a query was refused because it would have read more rows than its `max_rows_to_read`. */
export const isTooManyRows = failedWith('158');
/** Whether a query was refused because its result has more rows than its `max_result_rows`. */
export const isTooLargeResult = failedWith('396');
/** Whether a query failed because a table, or the database, does not exist. */
export const isNoTable = failedWith('60', '81');

/** What queries need of the database. */
export type Database = Pick<Clickhouse, 'query'>;

/**
 * Suffix for a query that reads a few ranges of a primary key: more threads for such a read cost more than the read,
 * and those of many concurrent requests contend for the same cores.
 */
export const POINT_READ = 'SETTINGS max_threads = 1';
