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
    ctx.state.signal = () => {
      controller ??= new AbortController();
      if (isOver) controller.abort();
      return controller.signal;
    };
    let isOver = false;
    const end = (): void => {
      isOver = true;
      controller?.abort();
    };
    ctx.res.once('close', end);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(unavailable('The answer took too long'));
        end();
      }, requestMsMax);
    });
    try {
      await Promise.race([next(), late]);
    } finally {
      clearTimeout(timer);
    }
  };
