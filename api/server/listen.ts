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
 * Headers that determine sender, target or end of a message. If one is repeated, a proxy and this service may each
 * believe a different one (RFC 9110 section 5.3).
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
/** `uri-host [":" port]` (RFC 9110 section 7.2), not empty because requests here always have an authority. */
const HOST =
  /^(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)(?::\d{0,5})?$/;

const refusal = (name: string, message: string): ApiError =>
  invalidRequest(`header: ${name} ${message}`, {
    details: [{ in: 'header', path: name, message }],
  });

/** The refusal for headers that make the sender or the target ambiguous; undefined for valid ones. */
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

/** Milliseconds for which a refused connection stays open, so that its client can read the reason. */
const LINGER_MS = 1_000;
/** Milliseconds between two rounds of closing idle connections. */
const CLOSE_IDLE_EVERY_MS = 1_000;

/** Limits of connections. */
export interface ConnectionLimits {
  /** Open connections per address. */
  readonly addressMax: number;
  /** Answers a connection over `addressMax`, and closes it. */
  readonly refuse: (socket: Socket, addressMax: number) => void;
  /** Called for each refused connection. */
  readonly onRefused: (limit: ConcurrencyLimit) => void;
}

/**
 * Limits the connections of each address. Those over the limit are answered with 429, up to twice the limit; further
 * ones are closed without an answer. If the server is at its total limit, connections without a running request are
 * closed.
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

/** Milliseconds for receiving the headers of a request. */
const HEADERS_MS_MAX = 10_000;
/** Milliseconds for receiving a whole request. */
const REQUEST_MS_MAX = 20_000;
/** Milliseconds for which an idle connection is kept open. */
const IDLE_MS_MAX = 65_000;
/**
 * Milliseconds for which a client may read nothing of a response; longer than any wait and any pause of a stream.
 */
const STALLED_MS_MAX = 60_000;
const HEADERS_MAX = 100;
const HEADER_BYTES_MAX = 16 * 1024;
/** Open streams and requests together. */
const CONNECTIONS_MAX = 12_000;
/** Interval in which the limits above are enforced. */
const CHECK_MS = 1_000;
/** Milliseconds to wait for running requests at shutdown. */
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

/** Closes a connection after a refusal in the same shape as all others. */
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

/** Answers data that is not an HTTP request. */
const answerGarbage = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
  else refuse(socket, unreadable(STATUS_OF[error.code ?? ''] ?? 400));
};

/** The refusal for too many or ambiguous headers; undefined for valid ones. */
const headRefusal = (request: IncomingMessage): ApiError | undefined =>
  request.rawHeaders.length > 2 * HEADERS_MAX ? unreadable(431) : headerRefusal(request);

/** Where to listen, and the time limits; each has a default. */
export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Milliseconds for receiving the headers of a request. */
  readonly headersMsMax?: number;
  /** Milliseconds for receiving a whole request. */
  readonly requestMsMax?: number;
  /** Milliseconds between two checks of these limits. */
  readonly checkMs?: number;
  /** Milliseconds for which a client may read nothing of a response. */
  readonly stalledMsMax?: number;
  /** Open connections per client address; unlimited if absent, as behind a proxy. */
  readonly addressConnectionsMax?: number | undefined;
  /** Called for each refused connection. */
  readonly onRefused?: (limit: ConcurrencyLimit) => void;
}

/** Serves an application with limits against slow and oversized requests. */
export const listen = async (app: Koa<RequestState>, options: ListenOptions) => {
  const serve = app.callback();
  const answer: RequestListener = async (request, response) => {
    // A refused connection may still send a request.
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
  // One more than allowed, so that excess headers are refused instead of dropped silently.
  server.maxHeadersCount = HEADERS_MAX + 1;
  server.maxConnections = CONNECTIONS_MAX;
  // Disconnects clients that do not read their response.
  server.timeout = options.stalledMsMax ?? STALLED_MS_MAX;
  limitConnections(server, {
    addressMax: options.addressConnectionsMax ?? CONNECTIONS_MAX,
    refuse: (socket, max) => refuse(socket, tooManyFromAddress('connections', max)),
    onRefused: options.onRefused ?? (() => undefined),
  });
  server.on('clientError', answerGarbage);
  // An unknown expectation is ignored, not refused (RFC 9110 section 10.1.1).
  server.on('checkExpectation', handle);
  // Tunnels are not supported; without a listener the connection would close without an answer.
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
    /** Stops listening, lets running requests end, then closes the remaining connections. */
    close: (): Promise<void> =>
      new Promise((resolve) => {
        const end = setTimeout(() => server.closeAllConnections(), DRAIN_MS_MAX);
        // Otherwise a connection whose request has ended is kept alive for a next one that never comes.
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
