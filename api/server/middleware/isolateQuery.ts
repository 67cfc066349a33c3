import { parse } from 'node:querystring';
import type { Middleware } from 'koa';
import type { RequestState } from './requestState.ts';

/**
 * Gives every request a query object of its own. Koa keeps parsed queries by their text in a plain
 * object: `?__proto__` would be Object.prototype itself, and validation writes into what it is given.
 */
export const isolateQuery: Middleware<RequestState> = (ctx, next) => {
  if (ctx.querystring)
    Object.defineProperty(ctx.request, 'query', { value: parse(ctx.querystring) });
  return next();
};
