import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Clock } from './clock.ts';
import { RetryableError } from './errors.ts';
import { onRedis } from './redis.ts';

/** A holder that died frees the lock after this long; longer than any work under it may take. */
const LOCK_MS = 20_000;
const WAIT_MS_MAX = 8_000;
const RETRY_MS = 15;

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;

/**
 * Runs `work` while no other holder of the same key runs.
 * @throws RetryableError when the lock is not free within eight seconds or Redis is away.
 */
export const withLock = async <T>(
  { redis, clock }: { redis: Redis; clock: Clock },
  key: string,
  work: () => Promise<T>,
): Promise<T> => {
  const token = randomUUID();
  const giveUpAtMs = clock.now() + WAIT_MS_MAX;
  while ((await onRedis(() => redis.set(key, token, 'PX', LOCK_MS, 'NX'))) === null) {
    if (clock.now() >= giveUpAtMs) throw new RetryableError(`lock ${key} is taken`);
    await clock.sleep(RETRY_MS);
  }
  try {
    return await work();
  } finally {
    await onRedis(() => redis.eval(RELEASE, 1, key, token)).catch(() => undefined);
  }
};
