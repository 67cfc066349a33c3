import { randomInt } from 'node:crypto';
import type { Middleware } from 'koa';
import { monotonicFactory } from 'ulid';
import type { RequestState } from './requestState.ts';

const CLIENT_ID = /^[A-Za-z0-9._-]{8,64}$/;

const RANDOM_RANGE = 2 ** 32;
/** Node keeps random bytes for such numbers in store; the default of ulid asks the system for each letter. */
const random = (): number => randomInt(RANDOM_RANGE) / RANDOM_RANGE;
/** Random for each millisecond, counted up within it. */
const ulid = monotonicFactory(random);

/** Gives every request an id: the client's own where it is harmless, else a new one. */
export const nameRequest: Middleware<RequestState> = (ctx, next) => {
  const offered = ctx.headers['x-request-id'];
  const isGood = typeof offered === 'string' && CLIENT_ID.test(offered);
  ctx.state.requestId = isGood ? offered : ulid();
  ctx.set({
    'X-Request-Id': ctx.state.requestId,
    'API-Version': '1',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'private, no-cache',
  });
  return next();
};
