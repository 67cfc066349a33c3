import type { Middleware } from 'koa';
import type { RequestState } from './requestState.ts';

const withoutWeakness = (etag: string): string => etag.trim().replace(/^W\//, '');

/** RFC 9110 13.1.2: weak comparison with each entity tag of the list. */
const matches = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.trim() === '*' ||
  ifNoneMatch.split(',').some((candidate) => withoutWeakness(candidate) === withoutWeakness(etag));

const compare: Middleware<RequestState> = async (ctx, next) => {
  await next();
  const ifNoneMatch = ctx.get('If-None-Match');
  if (ctx.status !== 200 || !ifNoneMatch) return;
  const etag = ctx.response.get('ETag');
  if (!etag || !matches(ifNoneMatch, etag)) return;
  ctx.status = 304;
  ctx.body = null;
};

/**
 * 304 without a body where the client already has this version. The request's Cache-Control does
 * not matter: it speaks to caches, and fetch() sends `no-cache` beside every If-None-Match.
 */
export const answerNotModified: Middleware<RequestState> = (ctx, next) =>
  ctx.headers['if-none-match'] ? compare(ctx, next) : next();
