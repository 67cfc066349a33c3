import type { Middleware } from 'koa';
import { isPagePath } from '../../dashboard/page.ts';
import type { RequestState } from './requestState.ts';

const ALLOWED_HEADERS =
  'X-API-Key, Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id, MCP-Protocol-Version';
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'Retry-After',
  'ETag',
  'Link',
  'Location',
  'X-Total-Count',
  'X-Verdict-Age',
  'API-Version',
  'Idempotency-Replayed',
].join(', ');
const PREFLIGHT_KEPT_S = 3_600;

/**
 * CORS for any origin, without credentials. A preflight needs no key and costs no quota. Pages identify users by
 * cookies, so they are limited to their own origin. @koa/cors is not used: it sends `Vary: Origin` with responses
 * that are the same for all origins, and treats OPTIONS without `Access-Control-Request-Method` as a normal request
 * that costs quota.
 */
export const allowOrigins: Middleware<RequestState> = (ctx, next) => {
  if (isPagePath(ctx.path)) return next();
  ctx.res.setHeader('Access-Control-Allow-Origin', '*');
  ctx.res.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  if (ctx.method !== 'OPTIONS') return next();
  ctx.state.isPublic = true;
  ctx.set({
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': String(PREFLIGHT_KEPT_S),
  });
  ctx.status = 204;
  return Promise.resolve();
};
