import type { Redis } from 'ioredis';
import { onRedis } from '../../shared/platform/redis.ts';

/** A place whose process died is free again after this long. */
const PLACE_MS = 90_000;

/**
 * KEYS[1] the places of a family, by when they end; ARGV: id, milliseconds a place is kept, places at
 * most. Time is Redis's own. Answers 1, or 0 where none is free.
 */
const TAKE = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`;

/** KEYS[1] as above; ARGV: milliseconds, then ids. */
const KEEP = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], now + tonumber(ARGV[1]), ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
`;

/** Ids of one call: fewer than the arguments a script may unpack. */
const KEPT_AT_ONCE_MAX = 1_000;

/** Open streams of key families, counted over all processes. Its calls throw RetryableError. */
export interface Places {
  /** Resolves to false where the family has `placesMax` open streams. */
  take(family: string, id: string, placesMax: number): Promise<boolean>;
  /** Says that these are still open; to be repeated every 30 seconds. */
  keep(family: string, ids: readonly string[]): Promise<void>;
  free(family: string, id: string): Promise<void>;
}

const keyOf = (family: string): string => `streams:${family}`;

/** Places in Redis. */
export const createPlaces = (redis: Redis): Places => ({
  take: (family, id, placesMax) =>
    onRedis(async () => (await redis.eval(TAKE, 1, keyOf(family), id, PLACE_MS, placesMax)) === 1),
  keep: async (family, ids) => {
    for (let from = 0; from < ids.length; from += KEPT_AT_ONCE_MAX) {
      const part = ids.slice(from, from + KEPT_AT_ONCE_MAX);
      await onRedis(() => redis.eval(KEEP, 1, keyOf(family), PLACE_MS, ...part));
    }
  },
  free: async (family, id) => {
    await onRedis(() => redis.zrem(keyOf(family), id));
  },
});
