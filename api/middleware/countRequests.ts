import type { Middleware } from 'koa';
import type { Usage } from '../usage/usage.ts';
import type { RequestState } from './requestState.ts';

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
