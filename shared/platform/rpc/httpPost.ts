import http from 'node:http';
import https from 'node:https';
import { createGunzip } from 'node:zlib';
import { errorMessage } from '../errors.ts';
import { RpcError } from './rpcError.ts';

/** Milliseconds from sending to the last byte, at the most. */
const REQUEST_TIMEOUT_MS = 20_000;
/** Milliseconds to a connection. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Bytes of one answer, after decompression. */
const ANSWER_BYTES_MAX = 48 * 1024 * 1024;
/** Longest time a node may ask us to wait. */
const RETRY_AFTER_MS_MAX = 60_000;

/** An HTTP answer, whole. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs: number | undefined;
}

/** Posts JSON to one URL over kept connections. */
export interface HttpPost {
  /** Host and port: what may be logged. */
  readonly name: string;
  post(body: string): Promise<HttpAnswer>;
  /** Ends idle connections; a request under way fails. */
  close(): void;
}

export interface HttpPostOptions {
  readonly timeoutMs?: number;
  readonly answerBytesMax?: number;
}

const retryAfterMs = (header: string | undefined): number | undefined => {
  const seconds = Number(header);
  return header && Number.isFinite(seconds)
    ? Math.min(seconds * 1000, RETRY_AFTER_MS_MAX)
    : undefined;
};

const collect = (
  response: http.IncomingMessage,
  bytesMax: number,
  settle: (error: Error | undefined, body: string) => void,
  tooLarge: () => Error,
): void => {
  const zipped = response.headers['content-encoding'] === 'gzip';
  const stream = zipped ? response.pipe(createGunzip()) : response;
  const parts: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes > bytesMax) settle(tooLarge(), '');
    else parts.push(part);
  });
  stream.on('end', () => settle(undefined, Buffer.concat(parts).toString()));
  stream.on('error', (error) => settle(error, ''));
  response.on('error', (error) => settle(error, ''));
  response.on('aborted', () =>
    settle(new Error('connection closed in the middle of an answer'), ''),
  );
};

/** The node had closed a kept connection: the request never arrived and is sent once more. */
class StaleConnection extends Error {}

/** One request over a connection of the agent's, with all limits. */
const exchange = (
  open: () => http.ClientRequest,
  body: string,
  name: string,
  { timeoutMs, answerBytesMax }: Required<HttpPostOptions>,
): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const request = open();
    const fail = (error: Error): void => {
      clearTimeout(total);
      clearTimeout(connect);
      reject(error);
      request.destroy();
    };
    const late = (what: string) => () => fail(new RpcError('unreachable', name, what));
    const total = setTimeout(late(`no whole answer within ${timeoutMs} ms`), timeoutMs);
    const noConnection = late(`no connection within ${CONNECT_TIMEOUT_MS} ms`);
    const connect = setTimeout(noConnection, CONNECT_TIMEOUT_MS);
    request.on('socket', (socket) => {
      if (!socket.connecting) clearTimeout(connect);
      else socket.once('connect', () => clearTimeout(connect));
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      fail(request.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection() : error);
    });
    request.on('response', (response) => {
      const tooLarge = () =>
        new RpcError('answerTooLarge', name, `answer over ${answerBytesMax} bytes`);
      const settle = (error: Error | undefined, text: string): void => {
        if (error) return fail(error);
        clearTimeout(total);
        const wait = retryAfterMs(response.headers['retry-after']);
        resolve({ status: response.statusCode ?? 0, body: text, retryAfterMs: wait });
      };
      collect(response, answerBytesMax, settle, tooLarge);
    });
    request.end(body);
  });

/**
 * HTTP with every limit a node may try: time to connect, time in all, bytes. Answers are asked for
 * compressed only over TLS: on a local network compression costs more than it saves.
 * A URL may carry user and password, or a key in its path; neither is ever logged.
 */
export const createHttpPost = (address: string, options: HttpPostOptions = {}): HttpPost => {
  const url = new URL(address);
  const secure = url.protocol === 'https:';
  const client = secure ? https : http;
  const agent = new client.Agent({ keepAlive: true, keepAliveMsecs: 15_000, maxSockets: 64 });
  const limits = { timeoutMs: REQUEST_TIMEOUT_MS, answerBytesMax: ANSWER_BYTES_MAX, ...options };
  const name = url.host;
  const auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const target = {
    agent,
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    method: 'POST',
    ...(url.username ? { auth } : {}),
  };
  const once = (body: string): Promise<HttpAnswer> => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(secure ? { 'accept-encoding': 'gzip' } : {}),
    };
    return exchange(() => client.request({ ...target, headers }), body, name, limits);
  };
  const post = async (body: string): Promise<HttpAnswer> => {
    try {
      return await once(body).catch((error: unknown) => {
        if (error instanceof StaleConnection) return once(body);
        throw error;
      });
    } catch (error) {
      if (error instanceof RpcError) throw error;
      throw new RpcError('unreachable', name, errorMessage(error));
    }
  };
  return { name, post, close: () => agent.destroy() };
};
