import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errors, Pool } from 'undici';
import { errorMessage } from '../errors.ts';
import { RpcError } from './rpcError.ts';

/** Maximum milliseconds from sending to the last byte. */
const REQUEST_TIMEOUT_MS = 20_000;
/** Maximum milliseconds to connect. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Milliseconds for which an idle connection is kept, unless the node announces another time. */
const KEEP_ALIVE_MS = 15_000;
const CONNECTIONS_MAX = 64;
/** Maximum bytes of one answer, after decompression. */
const ANSWER_BYTES_MAX = 48 * 1024 * 1024;
/** Longest wait that a node may ask for. */
const RETRY_AFTER_MS_MAX = 60_000;

/** A complete HTTP answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs: number | undefined;
}

/** Posts JSON to one URL over persistent connections. */
export interface HttpPost {
  /** Host and port, which may be logged. */
  readonly name: string;
  /** @param timeoutMs from sending to the last byte; if absent, the connection's default. */
  post(body: string, timeoutMs?: number): Promise<HttpAnswer>;
  /** Closes all connections; running requests fail. */
  close(): void;
}

export interface HttpPostOptions {
  readonly timeoutMs?: number;
  readonly answerBytesMax?: number;
}

const retryAfterMs = (header: unknown): number | undefined => {
  const seconds = Number(header);
  return header && Number.isFinite(seconds)
    ? Math.min(seconds * 1000, RETRY_AFTER_MS_MAX)
    : undefined;
};

/** The whole body as text. undici's own limit counts bytes before decompression, so they are counted here. */
const readText = async (
  body: Readable,
  isZipped: boolean,
  bytesMax: number,
  name: string,
): Promise<string> => {
  // An error or a premature end on either side ends both.
  const stream = isZipped ? pipeline(body, createGunzip(), () => undefined) : body;
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > bytesMax)
      throw new RpcError('answerTooLarge', name, `answer over ${bytesMax} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
};

/** Whether the node closed the connection before it answered, which happens to persistent ones. */
const isClosed = (error: unknown): boolean =>
  error instanceof errors.SocketError || (error as NodeJS.ErrnoException).code === 'ECONNRESET';

const isTimeout = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError';

/**
 * HTTP with limits against every way in which a node can stall or flood: connect time, total time, bytes. Compressed
 * answers are requested only over TLS: on a local network compression costs more than it saves. A URL may contain
 * user and password, or a key in its path; neither is ever logged.
 */
export const createHttpPost = (address: string, options: HttpPostOptions = {}): HttpPost => {
  const url = new URL(address);
  const { timeoutMs = REQUEST_TIMEOUT_MS, answerBytesMax = ANSWER_BYTES_MAX } = options;
  const name = url.host;
  const pool = new Pool(url.origin, {
    connections: CONNECTIONS_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const request = {
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers: {
      'content-type': 'application/json',
      ...(url.protocol === 'https:' ? { 'accept-encoding': 'gzip' } : {}),
      ...(url.username
        ? { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
        : {}),
    },
  } as const;
  const send = (body: string, signal: AbortSignal) => pool.request({ ...request, body, signal });
  const post = async (body: string, ownTimeoutMs = timeoutMs): Promise<HttpAnswer> => {
    const signal = AbortSignal.timeout(ownTimeoutMs);
    let hasBegun = false;
    try {
      // All calls are reads: if the connection was closed before the answer, the call is sent once more.
      const response = await send(body, signal).catch((error: unknown) => {
        if (isClosed(error)) return send(body, signal);
        throw error;
      });
      hasBegun = true;
      const { statusCode: status, headers } = response;
      const isZipped = headers['content-encoding'] === 'gzip';
      const text = await readText(response.body, isZipped, answerBytesMax, name);
      return { status, body: text, retryAfterMs: retryAfterMs(headers['retry-after']) };
    } catch (error) {
      if (error instanceof RpcError) throw error;
      if (isTimeout(error))
        throw new RpcError('incomplete', name, `no complete answer within ${ownTimeoutMs} ms`);
      throw new RpcError(hasBegun ? 'incomplete' : 'unreachable', name, errorMessage(error));
    }
  };
  return { name, post, close: () => void pool.destroy() };
};
