import { randomInt } from 'node:crypto';
import type { Middleware } from 'koa';
import { monotonicFactory } from 'ulid';
import type { Logger } from '../../../shared/platform/logger.ts';
import { redactSecrets } from '../../../shared/platform/redactSecrets.ts';
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
  return redactSecrets(text).slice(0, PATH_LENGTH_MAX);
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
