import type { Redis } from 'ioredis';
import { onRedis } from '../../shared/platform/redis.ts';

/**
 * Alerts a family can have marked as read; beyond that the marks of the oldest alerts go. All marks of the family travel with each of
 * its lists: so many cost one of 50,000 alerts 30 ms more than none.
 */
export const READ_MARKS_MAX = 10_000;

/** Which alerts key families have read, in Redis: a sorted set a family, `alert-reads:<family>`, of alert ids by when they were raised. */
export interface ReadMarks {
  /** Ids of the alerts that were read, at most `READ_MARKS_MAX`. */
  ids(family: string): Promise<number[]>;
  /**
   * Marks an alert; doing it again changes nothing.
   * @param oldestMs Unix milliseconds of the family's oldest alert that is still kept: marks of older ones go.
   */
  add(
    family: string,
    alert: { readonly id: number; readonly createdAtMs: number },
    oldestMs: number,
  ): Promise<void>;
}

const keyOf = (family: string): string => `alert-reads:${family}`;

/** Marks in Redis. Both methods throw RetryableError while Redis is away. */
export const createReadMarks = (redis: Redis): ReadMarks => ({
  ids: async (family) =>
    (await onRedis(() => redis.zrevrange(keyOf(family), 0, READ_MARKS_MAX - 1))).map(Number),
  add: async (family, { id, createdAtMs }, oldestMs) => {
    const key = keyOf(family);
    await onRedis(async () => {
      const answers = await redis
        .multi()
        .zadd(key, createdAtMs, id)
        .zremrangebyscore(key, '-inf', `(${oldestMs}`)
        .zremrangebyrank(key, 0, -READ_MARKS_MAX - 1)
        .exec();
      const failure = answers?.find(([error]) => error)?.[0];
      if (failure || !answers) throw failure ?? new Error('not executed');
    });
  },
});
