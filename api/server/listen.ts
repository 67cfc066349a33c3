import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { ulid } from 'ulid';
import { FatalError } from '../../shared/platform/errors.ts';
import { createUpgrade, type RequestListener } from '../streams/upgrade.ts';
import { type ApiError, invalidRequest } from './apiError.ts';
import { addressGroup } from './middleware/clientAddress.ts';
import {
  type ConcurrencyLimit,
  createSemaphore,
  tooManyFromAddress,
} from './middleware/concurrency.ts';
import type { RequestState } from './middleware/requestState.ts';
import { errorBody } from './middleware/shapeErrors.ts';

/**
 * Headers that say who sends a request, to whom and where a message ends: with two of them, a proxy and this service may
 * each believe another one (RFC 9110 section 5.3).
 */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'x-api-key',
  'idempotency-key',
  'content-type',
  'content-length',
  'transfer-encoding',
]);
/** `uri-host [":" port]` (RFC 9110 section 7.2), not empty: what is asked for here always has an authority. */
const HOST =
  /^(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)(?::\d{0,5})?$/;

const refusal = (name: string, message: string): ApiError =>
  invalidRequest(`header: ${name} ${message}`, {
    details: [{ in: 'header', path: name, message }],
  });

/** The refusal of headers that leave open whom they are for or from; undefined for good ones. */
const headerRefusal = ({
  rawHeaders,
  headers,
  httpVersion,
}: IncomingMessage): ApiError | undefined => {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const lower = name.toLowerCase();
    if (!SINGLE_HEADERS.has(lower)) continue;
    if (seen.has(lower)) return refusal(name, 'must be sent once');
    seen.add(lower);
  }
  const { host } = headers;
  if (host === undefined) {
    return httpVersion === '1.1' ? refusal('Host', 'is required') : undefined;
  }
  return HOST.test(host)
    ? undefined
    : refusal('Host', 'must be a host name with or without a port');
};

/** Milliseconds a refused connection stays, so that its client reads why. */
const LINGER_MS = 1_000;
/** Milliseconds between two rounds that close idle connections. */
const CLOSE_IDLE_EVERY_MS = 1_000;

/** What connections are limited by. */
export interface ConnectionLimits {
  /** Open connections of one address. */
  readonly addressMax: number;
  /** Answers a connection over `addressMax`, and ends it. */
  readonly refuse: (socket: Socket, addressMax: number) => void;
  /** Called for each connection refused. */
  readonly onRefused: (limit: ConcurrencyLimit) => void;
}

/**
 * Bounds the connections of each address. Those over the limit are answered with 429, up to as many again; the others are
 * closed without an answer. Where the server has all it can bear, connections that carry no request are closed.
 */
const limitConnections = (server: Server, limits: ConnectionLimits): void => {
  const { addressMax, refuse, onRefused } = limits;
  const open = createSemaphore(addressMax);
  const refused = createSemaphore(addressMax);
  server.on('connection', (socket: Socket) => {
    const address = addressGroup(socket.remoteAddress ?? '');
    const release = open(address);
    if (release) {
      socket.once('close', release);
      return;
    }
    onRefused('address_connections');
    const releaseRefused = refused(address);
    if (!releaseRefused) {
      socket.destroy();
      return;
    }
    refuse(socket, addressMax);
    const end = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => {
      clearTimeout(end);
      releaseRefused();
    });
  });
  let closedIdleMs = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    onRefused('connections');
    const nowMs = performance.now();
    if (nowMs - closedIdleMs < CLOSE_IDLE_EVERY_MS) return;
    closedIdleMs = nowMs;
    server.closeIdleConnections();
  });
};

/** Milliseconds for the headers of a request to arrive. */
const HEADERS_MS_MAX = 10_000;
/** Milliseconds for a whole request to arrive. */
const REQUEST_MS_MAX = 20_000;
/** Milliseconds an idle connection is kept. */
const IDLE_MS_MAX = 65_000;
/** Milliseconds a client may take nothing of an answer; longer than any wait and any pause of a stream. */
const STALLED_MS_MAX = 60_000;
const HEADERS_MAX = 100;
const HEADER_BYTES_MAX = 16 * 1024;
/** Open streams and requests together. */
const CONNECTIONS_MAX = 12_000;
/** How often the limits above are looked after. */
const CHECK_MS = 1_000;
/** Milliseconds running requests are waited for at the end. */
const DRAIN_MS_MAX = 8_000;
const IDLE_CHECK_MS = 50;

const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
};

const UNREADABLE: Readonly<Record<number, string>> = {
  408: 'The request did not arrive in time',
  431: `The headers must be at most ${HEADERS_MAX}, together ${HEADER_BYTES_MAX} bytes`,
};

const unreadable = (status: number): ApiError =>
  invalidRequest(UNREADABLE[status] ?? 'The request cannot be read', { status });

/** Ends a connection with a refusal in the same shape as every other. */
const refuse = (socket: Duplex, refusal: ApiError): void => {
  const { status, headers } = refusal.options;
  const body = JSON.stringify(errorBody(refusal, ulid(), Date.now()));
  const sent = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
    Connection: 'close',
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${REASONS[status]}`, ...lines, '', body].join('\r\n'));
};

/** Answers what is no HTTP request. */
const answerGarbage = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
  else refuse(socket, unreadable(STATUS_OF[error.code ?? ''] ?? 400));
};

/** The refusal of headers that are too many or ambiguous; undefined for good ones. */
const headRefusal = (request: IncomingMessage): ApiError | undefined =>
  request.rawHeaders.length > 2 * HEADERS_MAX ? unreadable(431) : headerRefusal(request);

/** Where to listen, and how patiently; each limit has a default. */
export interface ListenOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Milliseconds for the headers of a request to arrive. */
  readonly headersMsMax?: number;
  /** Milliseconds for a whole request to arrive. */
  readonly requestMsMax?: number;
  /** Milliseconds between two looks at these limits. */
  readonly checkMs?: number;
  /** Milliseconds a client may take nothing of an answer. */
  readonly stalledMsMax?: number;
  /** Open connections of one client address; unlimited where absent, as behind a proxy. */
  readonly addressConnectionsMax?: number | undefined;
  /** Called for each connection refused. */
  readonly onRefused?: (limit: ConcurrencyLimit) => void;
}

/** Serves an application with limits against slow and oversized requests. */
export const listen = async (app: Koa<RequestState>, options: ListenOptions) => {
  const serve = app.callback();
  const answer: RequestListener = async (request, response) => {
    // A connection that is refused may still carry a request.
    if (!request.socket.writable) return;
    const refusal = headRefusal(request);
    if (refusal) refuse(request.socket, refusal);
    else await serve(request, response);
  };
  const handle = (request: IncomingMessage, response: ServerResponse): void =>
    void answer(request, response);
  const server = createServer(
    {
      headersTimeout: options.headersMsMax ?? HEADERS_MS_MAX,
      requestTimeout: options.requestMsMax ?? REQUEST_MS_MAX,
      keepAliveTimeout: IDLE_MS_MAX,
      connectionsCheckingInterval: options.checkMs ?? CHECK_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
      requireHostHeader: false,
    },
    handle,
  );
  // One more than allowed is kept, so that headers are refused rather than left out.
  server.maxHeadersCount = HEADERS_MAX + 1;
  server.maxConnections = CONNECTIONS_MAX;
  // Who takes nothing of an answer is cut off.
  server.timeout = options.stalledMsMax ?? STALLED_MS_MAX;
  limitConnections(server, {
    addressMax: options.addressConnectionsMax ?? CONNECTIONS_MAX,
    refuse: (socket, max) => refuse(socket, tooManyFromAddress('connections', max)),
    onRefused: options.onRefused ?? (() => undefined),
  });
  server.on('clientError', answerGarbage);
  // An expectation that is not known is not met, and not refused: RFC 9110 10.1.1.
  server.on('checkExpectation', handle);
  // Nothing is tunnelled; without a listener the connection would end without an answer.
  server.on('connect', (_request, socket) => answerGarbage(new Error('CONNECT'), socket));
  const upgrade = createUpgrade();
  server.on('upgrade', (request, socket, head) => void upgrade(answer, request, socket, head));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new FatalError(`HOST or PORT: ${cause.message}`)));
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    server,
    /** Stops listening, lets running requests end, then closes what is left. */
    close: (): Promise<void> =>
      new Promise((resolve) => {
        const end = setTimeout(() => server.closeAllConnections(), DRAIN_MS_MAX);
        // A connection whose request has ended is kept alive for the next one, which never comes.
        const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
        server.close(() => {
          clearTimeout(end);
          clearInterval(idle);
          resolve();
        });
      }),
  };
};
/** A listening application. */
export type Listening = Awaited<ReturnType<typeof listen>>;
