import type { Redis } from 'ioredis';
import { onRedis } from '../../shared/platform/redis.ts';

/** Milliseconds after which the permit of a process that died expires. */
const PERMIT_MS = 90_000;

/**
 * KEYS[1] the permits of a family, by when they expire; ARGV: id, milliseconds until the permit expires, most permits.
 * Time is Redis's own. Returns 1, or 0 where all permits are out.
 */
const ACQUIRE = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`;

/** KEYS[1] as above; ARGV: milliseconds, then ids. */
const RENEW = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], now + tonumber(ARGV[1]), ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
`;

/** Ids of one call: fewer than the arguments a script may unpack. */
const RENEWED_AT_ONCE_MAX = 1_000;

/** A semaphore for each key family: its open streams, counted over all processes. Calls throw RetryableError. */
export interface StreamLimit {
  /** Resolves to false where the family has `streamsMax` open streams. */
  acquire(family: string, id: string, streamsMax: number): Promise<boolean>;
  /** Extends the permits of streams that are still open; to be repeated every 30 seconds. */
  renew(family: string, ids: readonly string[]): Promise<void>;
  release(family: string, id: string): Promise<void>;
}

const keyOf = (family: string): string => `streams:${family}`;

/** Permits in Redis. */
export const createStreamLimit = (redis: Redis): StreamLimit => ({
  acquire: (family, id, streamsMax) =>
    onRedis(
      async () => (await redis.eval(ACQUIRE, 1, keyOf(family), id, PERMIT_MS, streamsMax)) === 1,
    ),
  renew: async (family, ids) => {
    for (let from = 0; from < ids.length; from += RENEWED_AT_ONCE_MAX) {
      const part = ids.slice(from, from + RENEWED_AT_ONCE_MAX);
      await onRedis(() => redis.eval(RENEW, 1, keyOf(family), PERMIT_MS, ...part));
    }
  },
  release: async (family, id) => {
    await onRedis(() => redis.zrem(keyOf(family), id));
  },
});
