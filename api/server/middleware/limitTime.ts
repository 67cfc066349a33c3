import type { Middleware } from 'koa';
import { unavailable } from '../apiError.ts';
import type { RequestState } from './requestState.ts';

/** Longer than the longest wait a client can ask for. */
const REQUEST_MS_MAX = 35_000;

/** No request hangs: after its time it is answered as unavailable and its work is told to stop. */
export const limitTime =
  (requestMsMax = REQUEST_MS_MAX): Middleware<RequestState> =>
  async (ctx, next) => {
    let controller: AbortController | undefined;
    let isLate = false;
    // Few operations ask for it, so it is made, and the client listened to, for those only.
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
        next().then(resolve, reject);
      });
    } finally {
      clearTimeout(timer);
    }
  };
