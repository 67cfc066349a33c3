import type { Middleware } from 'koa';
import type { RequestState } from './requestState.ts';

/** Once this process is to end, each answer asks for a new connection, which leads to another process. */
export const closeWhenDraining =
  (draining: AbortSignal | undefined): Middleware<RequestState> =>
  async (ctx, next) => {
    await next();
    if (draining?.aborted) ctx.set('Connection', 'close');
  };
