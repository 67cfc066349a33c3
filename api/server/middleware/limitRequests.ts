import { Readable } from 'node:stream';
import type { Middleware, ParameterizedContext } from 'koa';
import { unavailable } from '../apiError.ts';
import { addressGroup } from './clientAddress.ts';
import { type ConcurrencyLimit, createSemaphore, tooManyFromAddress } from './concurrency.ts';
import type { RequestState } from './requestState.ts';

/** Longer than the longest wait that a client can ask for. */
const REQUEST_MS_MAX = 35_000;

/** Runs `work`; on timeout the request is answered with 503 and its signal aborts. */
const withinTime = async (
  ctx: ParameterizedContext<RequestState>,
  work: () => Promise<unknown>,
  requestMsMax: number,
): Promise<void> => {
  let controller: AbortController | undefined;
  let isLate = false;
  // Created on first use, because few operations need to know that the client disconnected.
  ctx.state.signal = () => {
    if (controller) return controller.signal;
    const made = new AbortController();
    controller = made;
    if (isLate || ctx.res.closed) made.abort();
    else ctx.res.once('close', () => made.abort());
    return made.signal;
  };
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise((resolve, reject) => {
      timer = setTimeout(() => {
        isLate = true;
        reject(unavailable('The answer took too long'));
        controller?.abort();
      }, requestMsMax);
      work().then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Limits the concurrent requests of one client address, from receiving their headers until the client has read the
 * response, and the duration of each. Open streams have limits of their own.
 * @throws ApiError 429 for an address with too many, 503 on timeout.
 */
export const limitRequests = (args: {
  addressMax: number;
  onRefused: (limit: ConcurrencyLimit) => void;
  requestMsMax?: number | undefined;
}): Middleware<RequestState> => {
  const { addressMax, onRefused, requestMsMax = REQUEST_MS_MAX } = args;
  const acquire = createSemaphore(addressMax);
  return async (ctx, next) => {
    const release = acquire(addressGroup(ctx.ip));
    if (!release) {
      onRefused('address');
      throw tooManyFromAddress('requests', addressMax);
    }
    ctx.res.once('close', release);
    await withinTime(ctx, next, requestMsMax);
    if (ctx.body instanceof Readable || ctx.respond === false) release();
  };
};
