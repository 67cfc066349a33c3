import { type ChainableCommander, Redis, type RedisOptions } from 'ioredis';
import { errorMessage, RetryableError } from './errors.ts';
import type { Logger } from './logger.ts';

const CONNECT_TIMEOUT_MS = 3_000;
const COMMAND_TIMEOUT_MS = 3_000;
const RECONNECT_DELAY_MS_MAX = 2_000;
const SENTINEL_PORT = 26_379;

/**
 * Location of Redis. Either one URL, or the comma-separated URLs of sentinels, with their name for the primary as
 * path: `sentinel://user:password@a:26379/accounts,sentinel://b:26379/accounts`. User and password are those of the
 * Redis servers.
 */
const placeOf = (text: string) => {
  const urls = text.split(',').map((part) => new URL(part.trim()));
  const [first] = urls;
  if (first?.protocol !== 'sentinel:') return undefined;
  const { username, password } = first;
  return {
    sentinels: urls.map(({ hostname, port }) => ({
      host: hostname,
      port: Number(port || SENTINEL_PORT),
    })),
    name: first.pathname.slice(1),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    sentinelRetryStrategy: retryDelayMs,
  };
};

const retryDelayMs = (attempt: number): number => Math.min(attempt * 100, RECONNECT_DELAY_MS_MAX);

/**
 * Commands fail after `COMMAND_TIMEOUT_MS`, as with the client's own `commandTimeout`, but only after all received
 * data was read: a process that was busy for longer finds the answer there.
 */
class PatientRedis extends Redis {
  override sendCommand(...sent: Parameters<Redis['sendCommand']>): unknown {
    const [command] = sent;
    const giveUp = (): void => command.reject(new Error('Command timed out'));
    const timer = setTimeout(() => setImmediate(giveUp), COMMAND_TIMEOUT_MS);
    const stop = (): void => clearTimeout(timer);
    command.promise.then(stop, stop);
    return super.sendCommand(...sent);
  }

  override duplicate(options: Partial<RedisOptions> = {}): Redis {
    const { replyMapping: _default, ...own } = { ...this.options, ...options };
    return new PatientRedis(own);
  }
}

/**
 * A connection that reconnects forever but never queues: while Redis is unavailable every command fails at once, so
 * that callers can answer "unavailable" instead of hanging.
 */
export const connectRedis = (url: string): Redis => {
  const options = {
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    lazyConnect: true,
    retryStrategy: retryDelayMs,
    // A demoted primary refuses writes: the new one is then looked up.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
  const place = placeOf(url);
  return place ? new PatientRedis({ ...options, ...place }) : new PatientRedis(url, options);
};

/**
 * Opens a role's connection. While Redis is unavailable the role continues, and the connection is restored as soon as
 * Redis is back.
 */
export const openPatiently = async (redis: Redis, logger: Logger): Promise<void> => {
  redis.on('error', (error) => logger.debug({ err: error }, 'Redis is away'));
  await redis.connect().catch((error) => logger.warn(`Redis: ${errorMessage(error)}`));
};

/** A connection for a program that cannot work without it. @throws RetryableError */
export const openRedis = async (url: string): Promise<Redis> => {
  const redis = connectRedis(url);
  redis.on('error', () => undefined);
  try {
    await redis.connect();
  } catch {
    redis.disconnect();
    const { host } = new URL(url);
    throw new RetryableError(`Redis does not answer at ${host}: is the stack up? See make status`);
  }
  return redis;
};

/** A command whose failures, including time-outs, are temporary. @throws RetryableError */
export const onRedis = async <T>(command: () => Promise<T>): Promise<T> => {
  try {
    return await command();
  } catch (error) {
    throw new RetryableError(`Redis: ${errorMessage(error)}`, { cause: error });
  }
};

/** Executes a transaction, and fails if one of its commands did. @throws RetryableError */
export const execute = (transaction: ChainableCommander): Promise<void> =>
  onRedis(async () => {
    const results = await transaction.exec();
    const failure = results?.find(([error]) => error)?.[0];
    if (failure || !results) throw failure ?? new Error('not executed');
  });

/** Calls a Lua script with keys and arguments. */
export type RedisScript = (
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

/**
 * A script whose text is sent with each call: calling it by its hash takes as long. The server compiles it once.
 */
export const createScript =
  (redis: Redis, text: string): RedisScript =>
  (keys, args) =>
    redis.eval(text, keys.length, ...keys, ...args);
