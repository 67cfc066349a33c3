import type { Redis } from 'ioredis';
import { ulid } from 'ulid';
import { execute, onRedis } from '../../shared/platform/redis.ts';

/** Milliseconds after which the permits of a process that died are released: it could not do so itself. */
export const PROCESS_LEASE_MS = 10_000;

const LEASES = 'stream-process:';
/**
 * Milliseconds for which a family's permits are kept after the last renewal, so that they disappear if nobody opens a
 * stream again.
 */
const PERMITS_KEPT_MS = 3_600_000;

/**
 * KEYS[1] the permits of a family, each as process/id, KEYS[2] the lease of this process; ARGV: permit, most permits,
 * milliseconds of a lease, milliseconds for which permits are kept. Permits of processes without a lease are removed.
 * Returns 1, or 0 if all permits are taken.
 */
const ACQUIRE = `
redis.call('SET', KEYS[2], '', 'PX', ARGV[3])
for _, permit in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local process = string.match(permit, '^[^/]+')
  if redis.call('EXISTS', '${LEASES}' .. process) == 0 then redis.call('SREM', KEYS[1], permit) end
end
if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
`;

const keyOf = (family: string): string => `stream-permits:${family}`;

/** Permits in Redis. */
export const createStreamLimit = (redis: Redis) => {
  const process = ulid();
  const lease = `${LEASES}${process}`;
  return {
    /** A permit; undefined if the family has `streamsMax` open streams. */
    acquire: async (family: string, streamsMax: number): Promise<string | undefined> => {
      const permit = `${process}/${ulid()}`;
      const isFree = await onRedis(() =>
        redis.eval(
          ACQUIRE,
          2,
          keyOf(family),
          lease,
          permit,
          streamsMax,
          PROCESS_LEASE_MS,
          PERMITS_KEPT_MS,
        ),
      );
      return isFree === 1 ? permit : undefined;
    },
    /**
     * Renews the permits of this process, which belong to these families; to be repeated several times within
     * `PROCESS_LEASE_MS`.
     */
    renew: async (families: Iterable<string>): Promise<void> => {
      const renewal = redis.multi().set(lease, '', 'PX', PROCESS_LEASE_MS);
      for (const family of families) renewal.pexpire(keyOf(family), PERMITS_KEPT_MS);
      await execute(renewal);
    },
    release: async (family: string, permit: string): Promise<void> => {
      await onRedis(() => redis.srem(keyOf(family), permit));
    },
  };
};
/** A semaphore per key family for its open streams, counted over all processes. Calls throw RetryableError. */
export type StreamLimit = ReturnType<typeof createStreamLimit>;
