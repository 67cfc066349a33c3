import type { Redis } from 'ioredis';
import type { Database } from '../../shared/platform/clickhouse.ts';
import { execute, onRedis } from '../../shared/platform/redis.ts';
import {
  type AlertPage,
  type FamilyAlert,
  findAlertTimes,
  isKnownAlert,
  listAlerts,
} from './queries.ts';

/**
 * Alerts that a family can have marked as read; beyond that, the marks of the oldest alerts are removed. Every list
 * request carries all marks of the family: this many make a list of 50,000 alerts 30 ms slower.
 */
export const READ_MARKS_MAX = 10_000;

const keyOf = (family: string): string => `alert-reads:${family}`;

/**
 * Which alerts key families have read, in Redis: per family a sorted set `alert-reads:<family>` of alert ids by the
 * time they were raised. Both methods throw RetryableError while Redis is unavailable.
 */
export const createReadMarks = (redis: Redis) => ({
  /** Ids of the alerts that were read, at most `READ_MARKS_MAX`. */
  ids: async (family: string): Promise<number[]> =>
    (await onRedis(() => redis.zrevrange(keyOf(family), 0, READ_MARKS_MAX - 1))).map(Number),
  /**
   * Marks an alert as read; idempotent.
   * @param oldestMs Unix milliseconds of the family's oldest stored alert: marks of older ones are removed.
   */
  add: async (
    family: string,
    { id, createdAtMs }: { readonly id: number; readonly createdAtMs: number },
    oldestMs: number,
  ): Promise<void> => {
    const key = keyOf(family);
    await execute(
      redis
        .multi()
        .zadd(key, createdAtMs, id)
        .zremrangebyscore(key, '-inf', `(${oldestMs}`)
        .zremrangebyrank(key, 0, -READ_MARKS_MAX - 1),
    );
  },
});

/** Alerts of key families. */
export interface Alerts {
  /**
   * Newest first, unless the page is requested as "since an alert". `total` counts all matches, `unread` all unread
   * alerts.
   */
  list(page: AlertPage): Promise<{ alerts: FamilyAlert[]; total: number; unread: number }>;
  /** Whether the family ever had the alert, withdrawn or not. */
  isKnown(family: string, id: number): Promise<boolean>;
  /** Resolves to false if the family has no such alert. */
  markRead(family: string, id: number): Promise<boolean>;
}

/** Alerts of all families in ClickHouse, with their read marks in Redis. */
export const createAlerts = (database: Database, redis: Redis): Alerts => {
  const marks = createReadMarks(redis);
  return {
    list: async (page) => listAlerts(database, page, await marks.ids(page.family)),
    isKnown: (family, id) => isKnownAlert(database, family, id),
    markRead: async (family, id) => {
      const times = await findAlertTimes(database, family, id);
      if (!times) return false;
      await marks.add(family, { id, createdAtMs: times.createdAtMs }, times.oldestMs);
      return true;
    },
  };
};
