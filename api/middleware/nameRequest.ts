import type { Middleware } from 'koa';
import { ulid } from 'ulid';
import type { RequestState } from './requestState.ts';

const CLIENT_ID = /^[A-Za-z0-9._-]{8,64}$/;

/** Gives every request an id: the client's own where it is harmless, else a new one. */
export const nameRequest: Middleware<RequestState> = async (ctx, next) => {
  const offered = ctx.get('X-Request-Id');
  ctx.state.requestId = CLIENT_ID.test(offered) ? offered : ulid();
  ctx.set({
    'X-Request-Id': ctx.state.requestId,
    'API-Version': '1',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'private, no-cache',
  });
  await next();
};
