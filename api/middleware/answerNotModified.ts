import type { Middleware } from 'koa';
import type { RequestState } from './requestState.ts';

/** 304 without a body where the client already has this version. */
export const answerNotModified: Middleware<RequestState> = async (ctx, next) => {
  await next();
  if (ctx.status === 200 && ctx.response.get('ETag') && ctx.fresh) {
    ctx.status = 304;
    ctx.body = null;
  }
};
