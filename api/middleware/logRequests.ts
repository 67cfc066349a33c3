import type { Middleware } from 'koa';
import type { Logger } from '../../shared/runtime/logger.ts';
import { withoutSecrets } from '../../shared/runtime/withoutSecrets.ts';
import type { RequestState } from './requestState.ts';

const PATH_LENGTH_MAX = 200;
/** Rounds of percent-encoding that are taken off: whoever encodes a key more often hides it well. */
const DECODE_ROUNDS = 3;

/** A path as a log may show it: short, decoded so that no secret hides in it, and without any. */
const shownPath = (path: string): string => {
  let text = path;
  for (let round = 0; round < DECODE_ROUNDS && text.includes('%'); round += 1) {
    text = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  return withoutSecrets(text).slice(0, PATH_LENGTH_MAX);
};

/** One line a request, without its query string and without anything that looks like a key. */
export const logRequests =
  (logger: Logger): Middleware<RequestState> =>
  async (ctx, next) => {
    const startMs = performance.now();
    await next();
    const { requestId, caller, operation, isPublic } = ctx.state;
    const line = {
      requestId,
      method: ctx.method,
      path: shownPath(ctx.path),
      ...(operation ? { operation } : {}),
      status: ctx.status,
      ms: Math.round((performance.now() - startMs) * 10) / 10,
      ...(caller ? { keyId: caller.keyId } : {}),
    };
    if (isPublic) logger.debug(line, 'request');
    else logger.info(line, 'request');
  };
