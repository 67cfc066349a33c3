import type { Middleware } from 'koa';
import type { Usage } from '../../accounts/usage.ts';
import type { ConcurrencyLimit } from './concurrency.ts';
import type { RequestState } from './requestState.ts';

/** Where the numbers of requests go. */
export interface RequestMeter {
  started(): void;
  /** @param route template of the path; never the path itself, which callers choose */
  answered(request: { method: string; route: string; status: number; tookMs: number }): void;
  /** A request was refused because the quota of its key is used up. */
  limited(tier: string): void;
  /** A client was refused because too much was under way already. */
  refused(limit: ConcurrencyLimit): void;
}

const HTTP_TOO_MANY_REQUESTS = 429;
/** Stands for paths that lead nowhere. */
const NO_ROUTE = 'none';

/** The template of the route that took the request: the router names it. */
const routeOf = (ctx: { path: string; _matchedRoute?: unknown }, isPublic = false): string => {
  if (typeof ctx._matchedRoute === 'string') return ctx._matchedRoute;
  return isPublic ? 'public' : NO_ROUTE;
};

/** Counts requests and their time until the answer is ready to be sent. */
export const measureRequests =
  (meter: RequestMeter): Middleware<RequestState> =>
  async (ctx, next) => {
    const startMs = performance.now();
    meter.started();
    try {
      await next();
    } finally {
      const { method, status, state } = ctx;
      const route = routeOf(ctx, state.isPublic);
      meter.answered({ method, route, status, tookMs: performance.now() - startMs });
      if (status === HTTP_TOO_MANY_REQUESTS) meter.limited(state.quota?.tier ?? NO_ROUTE);
    }
  };

/** Stands for requests that reached no operation. */
const NO_OPERATION = 'none';

/** Notes every request with a good key for the usage statistics. */
export const countRequests =
  ({ usage, now }: { usage: Pick<Usage, 'record'>; now: () => number }): Middleware<RequestState> =>
  async (ctx, next) => {
    const startMs = performance.now();
    await next();
    const { caller, operation = NO_OPERATION } = ctx.state;
    if (!caller) return;
    usage.record({
      family: caller.family,
      keyId: caller.keyId,
      operation,
      status: ctx.status,
      ms: performance.now() - startMs,
      atMs: now(),
    });
  };
