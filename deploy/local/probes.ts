import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { ANSWER_BUFFER_BYTES } from '../../shared/platform/clickhouse.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import { connectNats } from '../../shared/platform/nats.ts';
import { parseJson } from '../../shared/platform/parseJson.ts';
import { openRedis } from '../../shared/platform/redis.ts';
import { LOOPBACK } from './launch.ts';

/** Longest wait for one answer of a probe. */
const PROBE_TIMEOUT_MS = 2_000;

/** Whether a GET of `url` is answered with status 200 in time. */
export const answersHttp = async (url: string, init: RequestInit = {}): Promise<boolean> => {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(url, { ...init, signal });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
};

/** Time limit: a role itself waits for each of its dependencies before it reports that one is down. */
const READINESS_TIMEOUT_MS = 5_000;
const readinessSchema = z.object({ checks: z.record(z.string()) });

/** The dependencies that a role's `/readyz` reports as down; none if it does not answer. */
export const dependenciesDown = async (url: string): Promise<string[]> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(READINESS_TIMEOUT_MS) });
    const { checks } = readinessSchema.parse(await response.json());
    return Object.keys(checks).filter((name) => checks[name] === 'down');
  } catch {
    return [];
  }
};

/**
 * Whether NATS admits the user in `url`, which it does only after JetStream is ready. Of several servers one must.
 */
export const answersNats = (url: string): Promise<boolean> =>
  connectNats(url, 'probe').then(
    (connection) => connection.close().then(() => true),
    () => false,
  );

/**
 * Whether Redis accepts the password in `url`, if there is one, which it does only after its data is loaded.
 */
export const answersRedis = async (url: string): Promise<boolean> => {
  const redis = await openRedis(url).catch(() => undefined);
  try {
    return (await redis?.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    redis?.disconnect();
  }
};

/** User, password and database of a URL. */
const clickhouseHeaders = (url: string): Record<string, string> => {
  const { pathname, username, password } = new URL(url);
  return {
    'X-ClickHouse-User': decodeURIComponent(username),
    'X-ClickHouse-Key': decodeURIComponent(password),
    'X-ClickHouse-Database': pathname.slice(1) || 'default',
  };
};

/** Whether ClickHouse serves the database named in the path of `url` to the user in it. */
export const answersClickhouse = async (url: string): Promise<boolean> =>
  (await clickhouseProblem(url, PROBE_TIMEOUT_MS)) === undefined;

/** Whether a chain node answers `eth_chainId`. */
export const answersRpc = (url: string): Promise<boolean> =>
  answersHttp(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  });

/** Whether something listens on a port of this machine. */
export const isPortTaken = async (port: number): Promise<boolean> =>
  (await tcpProblem(`tcp://${LOOPBACK}:${port}`, port, PROBE_TIMEOUT_MS)) === undefined;

/**
 * The engine's reply in place of an error that it cannot describe, because it may not read its working folder.
 */
const UNREADABLE = 'Cannot print extra info for Poco::Exception';
/** The engine's list of expected words in a syntax error: hundreds. */
const EXPECTED = / Expected one of: .*?(?= \(SYNTAX_ERROR\))/s;
const CONFINED =
  'ClickHouse is confined to its own folder: file() and other functions that read files do not work here';

/** Says why there is no answer, or only a part of it. */
const withoutAnswer =
  (timeoutMs: number) =>
  (cause: Error): never => {
    const isLate = cause.name === 'TimeoutError';
    const message = isLate
      ? `ClickHouse took longer than ${timeoutMs / 1_000} s: ask for fewer rows`
      : 'ClickHouse does not answer: is the stack up? See make status';
    throw new Error(message, { cause });
  };

/** Waiting for the end reports a failure in the middle of a result by the status instead of among the rows. */
const WHOLE_ANSWER = `wait_end_of_query=1&buffer_size=${ANSWER_BUFFER_BYTES}`;

/**
 * Sends one query as the user named in `url`.
 * @throws Error with ClickHouse's own text
 */
const sendQuery = async (
  url: string,
  sql: string,
  timeoutMs: number,
  format: string,
): Promise<Response> => {
  const { origin } = new URL(url);
  const response = await fetch(`${origin}/?${WHOLE_ANSWER}`, {
    method: 'POST',
    body: sql,
    headers: { ...clickhouseHeaders(url), 'X-ClickHouse-Format': format },
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(withoutAnswer(timeoutMs));
  if (response.ok) return response;
  const text = await response.text();
  throw new Error(text.includes(UNREADABLE) ? CONFINED : text.replace(EXPECTED, '').trim());
};

/** The rows of one query as the user named in `url`, tab-separated unless another format is named. */
export const queryRows = async (
  url: string,
  sql: string,
  timeoutMs: number,
  format = 'TabSeparated',
): Promise<string> => {
  const response = await sendQuery(url, sql, timeoutMs, format);
  return response.text().catch(withoutAnswer(timeoutMs));
};

/** The columns of the views that a query names, one line per view; empty if they cannot be read. */
const columnsNamed = async (url: string, sql: string, timeoutMs: number): Promise<string> => {
  const words = [...new Set(sql.match(/\w+/g))].map((word) => `'${word}'`);
  const columns = `SELECT table, arrayStringConcat(groupArray(name), ', ') FROM (SELECT table, name FROM system.columns
    WHERE database = currentDatabase() AND table IN (${words.join(', ')}) ORDER BY table, position) GROUP BY table ORDER BY table`;
  const rows = await queryRows(url, columns, timeoutMs).catch(() => '');
  return rows.replace(/^(\w+)\t/gm, '$1 has ').trimEnd();
};

/** The views that the user in `url` may read, in one line; empty if they cannot be read. */
const viewsThere = async (url: string, timeoutMs: number): Promise<string> => {
  const views = `SELECT arrayStringConcat(arraySort(groupUniqArray(table)), ', ') FROM system.columns
    WHERE database = currentDatabase()`;
  const names = (await queryRows(url, views, timeoutMs).catch(() => '')).trimEnd();
  return names && `There are ${names}`;
};

/**
 * `queryRows` with better errors: for an unknown view or an unreadable table, the error lists all views; for an
 * unknown column, those of the views in the query.
 */
export const askWithHint: typeof queryRows = async (url, sql, timeoutMs, format) => {
  try {
    return await queryRows(url, sql, timeoutMs, format);
  } catch (error) {
    const message = errorMessage(error);
    let hint = '';
    if (/\((?:UNKNOWN_TABLE|ACCESS_DENIED)\)/.test(message))
      hint = await viewsThere(url, timeoutMs);
    if (message.includes('(UNKNOWN_IDENTIFIER)')) hint = await columnsNamed(url, sql, timeoutMs);
    throw new Error(`${message}\n${hint}`.trimEnd(), { cause: error });
  }
};

/** A quoted address or hash as wallets and explorers show it, with capitals, which matches nothing. */
const WITH_CAPITALS = /(?<!lower\()'0x(?=[\da-f]*[A-F])[\da-fA-F]{40,64}'/;

/** The problem of a query that ClickHouse answers without an error; undefined: none known. */
export const warningAbout = (sql: string): string | undefined => {
  const [literal] = WITH_CAPITALS.exec(sql) ?? [];
  return (
    literal && `addresses and hashes are in lower case, ${literal} is none: write lower(${literal})`
  );
};

/** Writes the result of a query that names its format into a file, complete or not at all. Returns its bytes. */
export const queryToFile = async (
  url: string,
  sql: string,
  file: string,
  timeoutMs: number,
): Promise<number> => {
  const { body } = await sendQuery(url, sql, timeoutMs, 'Null');
  if (!body) throw new Error('ClickHouse answers without a body');
  const unfinished = `${file}.part`;
  try {
    await pipeline(body, createWriteStream(unfinished));
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  return statSync(file).size;
};

/** Longest wait for the answer of a node or server that runs elsewhere. */
const ELSEWHERE_TIMEOUT_MS = 5_000;
const ANSWER_SHOWN_CHARS = 200;

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused (nothing listens there)',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name of the host cannot be resolved now',
  ECONNRESET: 'the connection was closed',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  TimeoutError: `no answer within ${ELSEWHERE_TIMEOUT_MS / 1_000} s`,
  ABORT_ERR: `no answer within ${ELSEWHERE_TIMEOUT_MS / 1_000} s`,
};

/** Why a request failed, without the URL, which may hold a password. */
const causeOf = (error: unknown): string => {
  const { cause, code, name } = error as NodeJS.ErrnoException;
  const inner = cause instanceof Error ? (cause as NodeJS.ErrnoException) : undefined;
  const known = [inner?.code, code, name].find((word) => word !== undefined && word in CAUSES);
  return CAUSES[known ?? ''] ?? inner?.code ?? inner?.message ?? String(code ?? name);
};

/** What a node says of itself. */
export type NodeAnswer = { chainId: number; head: number };

const askNode = async (url: string, method: string): Promise<number> => {
  const { origin, pathname, search, username, password } = new URL(url);
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const response = await fetch(`${origin}${pathname}${search}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(username && { authorization: `Basic ${login.toString('base64')}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
    signal: AbortSignal.timeout(ELSEWHERE_TIMEOUT_MS),
  });
  const text = await response.text();
  const { result } = z.object({ result: z.string() }).partial().catch({}).parse(parseJson(text));
  if (result !== undefined && /^0x[0-9a-f]+$/i.test(result)) return Number(result);
  throw new AnswerError(`answers ${method} with HTTP ${response.status} ${shorten(text)}`);
};

/** A server answered, but not as it should. */
class AnswerError extends Error {
  override name = 'AnswerError';
}

const shorten = (text: string): string =>
  text.replace(/\s+/g, ' ').trim().slice(0, ANSWER_SHOWN_CHARS);

const problemOf = (error: unknown): string =>
  error instanceof AnswerError ? error.message : causeOf(error);

/** Chain and head of the node at an http URL; if it does not answer correctly, why. */
export const nodeAnswer = async (url: string): Promise<NodeAnswer | { problem: string }> => {
  try {
    const [chainId, head] = [
      await askNode(url, 'eth_chainId'),
      await askNode(url, 'eth_blockNumber'),
    ];
    return { chainId, head };
  } catch (error) {
    return { problem: problemOf(error) };
  }
};

/** Why the server at `url` accepts no connection; undefined if it does. */
export const tcpProblem = (
  url: string,
  portDefault: number,
  timeoutMs = ELSEWHERE_TIMEOUT_MS,
): Promise<string | undefined> =>
  new Promise((resolve) => {
    const { hostname: host, port } = new URL(url);
    const socket = connect({ host, port: Number(port || portDefault), timeout: timeoutMs });
    const settle = (problem: string | undefined): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => settle(undefined));
    socket.once('timeout', () => settle(CAUSES['TimeoutError']));
    socket.once('error', (error) => settle(causeOf(error)));
  });

/** Why ClickHouse does not serve the database in the path of `url` to the user in it; undefined if it does. */
export const clickhouseProblem = async (
  url: string,
  timeoutMs = ELSEWHERE_TIMEOUT_MS,
): Promise<string | undefined> => {
  try {
    const response = await fetch(`${new URL(url).origin}/?query=SELECT+1`, {
      headers: clickhouseHeaders(url),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return response.ok ? undefined : `HTTP ${response.status} ${shorten(text)}`;
  } catch (error) {
    return causeOf(error);
  }
};
