import type { Redis } from 'ioredis';
import { ulid } from 'ulid';
import { onRedis } from '../../shared/platform/redis.ts';

/** Milliseconds after which the permits of a process that died are free: it could not release them. */
export const PROCESS_LEASE_MS = 10_000;

const LEASES = 'stream-process:';

/**
 * KEYS[1] the permits of a family, each as process/id, KEYS[2] the lease of this process; ARGV: permit, most permits, milliseconds
 * of a lease. Permits of processes without a lease are dropped. Returns 1, or 0 where all permits are out.
 */
const ACQUIRE = `
redis.call('SET', KEYS[2], '', 'PX', ARGV[3])
for _, permit in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local process = string.match(permit, '^[^/]+')
  if redis.call('EXISTS', '${LEASES}' .. process) == 0 then redis.call('SREM', KEYS[1], permit) end
end
if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('SADD', KEYS[1], ARGV[1])
return 1
`;

/** A semaphore for each key family: its open streams, counted over all processes. Calls throw RetryableError. */
export interface StreamLimit {
  /** A permit; undefined where the family has `streamsMax` open streams. */
  acquire(family: string, streamsMax: number): Promise<string | undefined>;
  /** Keeps the permits of this process; to be repeated several times in `PROCESS_LEASE_MS`. */
  renew(): Promise<void>;
  release(family: string, permit: string): Promise<void>;
}

const keyOf = (family: string): string => `stream-permits:${family}`;

/** Permits in Redis. */
export const createStreamLimit = (redis: Redis): StreamLimit => {
  const process = ulid();
  const lease = `${LEASES}${process}`;
  return {
    acquire: async (family, streamsMax) => {
      const permit = `${process}/${ulid()}`;
      const isFree = await onRedis(() =>
        redis.eval(ACQUIRE, 2, keyOf(family), lease, permit, streamsMax, PROCESS_LEASE_MS),
      );
      return isFree === 1 ? permit : undefined;
    },
    renew: async () => {
      await onRedis(() => redis.set(lease, '', 'PX', PROCESS_LEASE_MS));
    },
    release: async (family, permit) => {
      await onRedis(() => redis.srem(keyOf(family), permit));
    },
  };
};
