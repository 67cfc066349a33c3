import type { Middleware } from 'koa';
import { RetryableError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { ApiError, invalidRequest, unavailable } from '../apiError.ts';
import { isoTime } from '../present/isoTime.ts';
import type { RequestState } from './requestState.ts';

const internalError = (): ApiError =>
  new ApiError({
    status: 500,
    error: 'Internal server error',
    code: 'SYS_001',
    message: 'Something went wrong here; quote request_id when reporting it',
  });

/** Errors thrown by Koa and the router itself say in `status` whose fault they are. */
const isClientFault = (error: unknown): error is Error & { status: number } =>
  error instanceof Error &&
  'status' in error &&
  typeof error.status === 'number' &&
  error.status >= 400 &&
  error.status < 500;

/** The refusal a failure amounts to. Internals go to the log, never to the client. */
const refusalOf = (error: unknown, logger: Logger, requestId: string): ApiError => {
  if (error instanceof ApiError) return error;
  if (error instanceof RetryableError) {
    logger.warn({ requestId, err: error }, 'dependency away');
    return unavailable('A part of the service is not available; try again soon');
  }
  if (isClientFault(error)) {
    return invalidRequest('The request cannot be read', { status: error.status });
  }
  logger.error({ requestId, err: error }, 'request failed by a bug');
  return internalError();
};

/** The body of a refusal: one shape for all envelopes of the specification. */
export const errorBody = (
  { options }: ApiError,
  requestId: string,
  nowMs: number,
): Record<string, unknown> => ({
  success: false,
  error: options.error,
  ...(options.code ? { code: options.code } : {}),
  message: options.message,
  ...options.fields,
  ...(options.details ? { details: options.details } : {}),
  timestamp: isoTime(nowMs),
  request_id: requestId,
});

/** Turns whatever was thrown into the error envelope. */
export const shapeErrors =
  ({ logger, now }: { logger: Logger; now: () => number }): Middleware<RequestState> =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const refusal = refusalOf(error, logger, ctx.state.requestId);
      ctx.status = refusal.options.status;
      ctx.remove('ETag');
      ctx.set({ ...refusal.options.headers });
      ctx.body = errorBody(refusal, ctx.state.requestId, now());
    }
  };
