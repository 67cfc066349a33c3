import { Redis } from 'ioredis';

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
