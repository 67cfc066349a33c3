import type { Middleware } from 'koa';
import { unavailable } from '../apiError.ts';
import type { RequestState } from './requestState.ts';

/** Requests worked on at the same time; more would only make all of them slow. */
const REQUESTS_IN_FLIGHT_MAX = 500;
const RETRY_AFTER_S = 1;

/** Refuses at once what could not be answered in time. */
export const shedLoad = (requestsMax = REQUESTS_IN_FLIGHT_MAX): Middleware<RequestState> => {
  let inFlight = 0;
  return async (_ctx, next) => {
    if (inFlight >= requestsMax) throw unavailable('Too many requests at once', RETRY_AFTER_S);
    inFlight += 1;
    try {
      await next();
    } finally {
      inFlight -= 1;
    }
  };
};
