import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { errorMessage, RetryableError } from '../runtime/errors.ts';

const CONNECT_TIMEOUT_MS = 3_000;
const COMMAND_TIMEOUT_MS = 3_000;
const RECONNECT_DELAY_MS_MAX = 2_000;

/**
 * A connection that reconnects for ever but never queues: while Redis is away every command fails
 * at once, so that callers can answer "unavailable" instead of hanging.
 * @param options.isPipelined whether commands of one turn of the event loop travel together: for many small ones.
 */
export const connectRedis = (
  url: string,
  { isPipelined = false }: { isPipelined?: boolean } = {},
): Redis =>
  new Redis(url, {
    enableAutoPipelining: isPipelined,
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

/** Calls one Lua script with keys and arguments. */
export type RedisScript = (
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

/** A script that travels by its hash, and as a text only where the server does not know it. */
export const createScript = (redis: Redis, text: string): RedisScript => {
  const sha1 = createHash('sha1').update(text).digest('hex');
  return async (keys, args) => {
    try {
      return await redis.evalsha(sha1, keys.length, ...keys, ...args);
    } catch (error) {
      if (!errorMessage(error).startsWith('NOSCRIPT')) throw error;
      return redis.eval(text, keys.length, ...keys, ...args);
    }
  };
};
