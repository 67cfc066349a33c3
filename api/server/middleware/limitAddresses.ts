import { Readable } from 'node:stream';
import type { Middleware } from 'koa';
import { addressGroup } from './clientAddress.ts';
import { type ConcurrencyLimit, createSemaphore, tooManyFromAddress } from './concurrency.ts';
import type { RequestState } from './requestState.ts';

/**
 * Bounds the requests of one client address, from their headers until their answer is taken. Answers that stay
 * open have limits of their own.
 * @throws ApiError 429
 */
export const limitAddresses = (
  requestsMax: number,
  onRefused: (limit: ConcurrencyLimit) => void,
): Middleware<RequestState> => {
  const semaphore = createSemaphore(requestsMax);
  return async (ctx, next) => {
    const release = semaphore.acquire(addressGroup(ctx.ip));
    if (!release) {
      onRefused('address');
      throw tooManyFromAddress('requests', requestsMax);
    }
    ctx.res.once('close', release);
    await next();
    if (ctx.body instanceof Readable || ctx.respond === false) release();
  };
};
