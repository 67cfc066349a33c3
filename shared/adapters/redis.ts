import { Redis } from 'ioredis';
import { errorMessage, RetryableError } from '../runtime/errors.ts';

const CONNECT_TIMEOUT_MS = 3_000;
const COMMAND_TIMEOUT_MS = 3_000;
const RECONNECT_DELAY_MS_MAX = 2_000;

/**
 * A connection that reconnects for ever but never queues: while Redis is away every command fails
 * at once, so that callers can answer "unavailable" instead of hanging.
 */
export const connectRedis = (url: string): Redis =>
  new Redis(url, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    lazyConnect: true,
    retryStrategy: (attempt) => Math.min(attempt * 100, RECONNECT_DELAY_MS_MAX),
  });

/** A command whose failure, time-outs included, passes. @throws RetryableError */
export const onRedis = async <T>(command: () => Promise<T>): Promise<T> => {
  try {
    return await command();
  } catch (error) {
    throw new RetryableError(`Redis: ${errorMessage(error)}`, { cause: error });
  }
};
