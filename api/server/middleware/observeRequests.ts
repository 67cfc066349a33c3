import { randomInt } from 'node:crypto';
import { parse } from 'node:querystring';
import type { Middleware, ParameterizedContext } from 'koa';
import { monotonicFactory } from 'ulid';
import type { Logger } from '../../../shared/platform/logger.ts';
import { redactSecrets } from '../../../shared/platform/redactSecrets.ts';
import type { Usage } from '../../accounts/usage.ts';
import type { ConcurrencyLimit } from './concurrency.ts';
import type { RequestState } from './requestState.ts';

type Context = ParameterizedContext<RequestState>;

/** Receives the metrics of requests. */
export interface RequestMeter {
  started(): void;
  /** @param route template of the path; never the path itself, which callers choose */
  answered(request: { method: string; route: string; status: number; tookMs: number }): void;
  /** A request was refused because its key's quota is used up. */
  limited(tier: string): void;
  /** A client was refused because it had too many requests in progress. */
  refused(limit: ConcurrencyLimit): void;
}

const HTTP_TOO_MANY_REQUESTS = 429;
const CLIENT_ID = /^[A-Za-z0-9._-]{8,64}$/;
const RANDOM_RANGE = 2 ** 32;
/**
 * Random per millisecond, incremented within it. Node buffers random numbers; ulid's default asks the system for each
 * letter.
 */
const ulid = monotonicFactory(() => randomInt(RANDOM_RANGE) / RANDOM_RANGE);

/** Sets the request id (the client's own if it is harmless) and the headers of every response. */
const nameRequest = (ctx: Context): void => {
  const offered = ctx.headers['x-request-id'];
  const isGood = typeof offered === 'string' && CLIENT_ID.test(offered);
  ctx.state.requestId = isGood ? offered : ulid();
  const { res } = ctx;
  res.setHeader('X-Request-Id', ctx.state.requestId);
  res.setHeader('API-Version', '1');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cache-Control', 'private, no-cache');
};

/**
 * Gives the request a query object of its own. Koa caches parsed queries in a plain object keyed by their text:
 * `?__proto__` would be Object.prototype itself, and validation writes into the object it is given.
 */
const isolateQuery = (ctx: Context): void => {
  if (!ctx.querystring) return;
  Object.defineProperty(ctx.request, 'query', { value: parse(ctx.querystring) });
};

const PATH_LENGTH_MAX = 200;
/** Rounds of percent-decoding: a key that was encoded more often is well hidden anyway. */
const DECODE_ROUNDS = 3;

/** A path for the log: short, decoded so that no secret stays hidden in it, and with secrets removed. */
const shownPath = (path: string): string => {
  let text = path;
  for (let round = 0; round < DECODE_ROUNDS && text.includes('%'); round += 1) {
    text = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  return redactSecrets(text).slice(0, PATH_LENGTH_MAX);
};

/** One log line per request, without its query string and without anything that looks like a key. */
const logRequest = (logger: Logger, ctx: Context, tookMs: number): void => {
  const { requestId, caller, operation, isPublic } = ctx.state;
  const line = {
    requestId,
    method: ctx.method,
    path: shownPath(ctx.path),
    ...(operation ? { operation } : {}),
    status: ctx.status,
    ms: Math.round(tookMs * 10) / 10,
    ...(caller ? { keyId: caller.keyId } : {}),
  };
  if (isPublic) logger.debug(line, 'request');
  else logger.info(line, 'request');
};

/** Stands for paths without a route, requests without an operation and callers without a tier. */
const NONE = 'none';

/** The template of the route that handled the request, as the router names it. */
const routeOf = (ctx: Context): string => {
  const route: unknown = ctx['_matchedRoute'];
  if (typeof route === 'string') return route;
  return ctx.state.isPublic ? 'public' : NONE;
};

const meterRequest = (meter: RequestMeter, ctx: Context, tookMs: number): void => {
  const { method, status, state } = ctx;
  meter.answered({ method, route: routeOf(ctx), status, tookMs });
  if (status === HTTP_TOO_MANY_REQUESTS) meter.limited(state.quota?.tier ?? NONE);
};

/** Records a request with a valid key for the usage statistics. */
const countUsage = (
  usage: Pick<Usage, 'record'>,
  ctx: Context,
  { tookMs, atMs }: { tookMs: number; atMs: number },
): void => {
  const { caller, operation = NONE } = ctx.state;
  if (!caller) return;
  const { family, keyId } = caller;
  usage.record({ family, keyId, operation, status: ctx.status, ms: tookMs, atMs });
};

/**
 * What is recorded of every request, whatever its outcome: its id, a log line, metrics and the usage of its key. Once
 * `draining` has aborted, each response asks the client for a new connection, which leads to another process.
 */
export const observeRequests =
  (ports: {
    logger: Logger;
    meter: RequestMeter | undefined;
    usage: Pick<Usage, 'record'>;
    now: () => number;
    draining: AbortSignal | undefined;
  }): Middleware<RequestState> =>
  async (ctx, next) => {
    const { logger, meter, usage, now, draining } = ports;
    const startMs = performance.now();
    meter?.started();
    nameRequest(ctx);
    isolateQuery(ctx);
    try {
      await next();
      if (draining?.aborted) ctx.set('Connection', 'close');
      const tookMs = performance.now() - startMs;
      countUsage(usage, ctx, { tookMs, atMs: now() });
      logRequest(logger, ctx, tookMs);
    } finally {
      if (meter) meterRequest(meter, ctx, performance.now() - startMs);
    }
  };
