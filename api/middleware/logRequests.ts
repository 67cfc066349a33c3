import type { Middleware } from 'koa';
import type { Logger } from '../../shared/runtime/logger.ts';
import { withoutKeys } from '../accounts/keyFormat.ts';
import type { RequestState } from './requestState.ts';

const PATH_LENGTH_MAX = 200;

/** One line a request, without its query string and without anything that looks like a key. */
export const logRequests =
  (logger: Logger): Middleware<RequestState> =>
  async (ctx, next) => {
    const startMs = performance.now();
    await next();
    const { requestId, caller, isPublic } = ctx.state;
    const line = {
      requestId,
      method: ctx.method,
      path: withoutKeys(ctx.path.slice(0, PATH_LENGTH_MAX)),
      status: ctx.status,
      ms: Math.round((performance.now() - startMs) * 10) / 10,
      ...(caller ? { keyId: caller.keyId } : {}),
    };
    if (isPublic) logger.debug(line, 'request');
    else logger.info(line, 'request');
  };
