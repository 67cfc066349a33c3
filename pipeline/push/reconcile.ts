import type { Redis } from 'ioredis';
import { onRedis } from '../../shared/adapters/redis.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { RetryableError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { DeliveryQueue } from './deliveryQueue.ts';
import type { DeliveryStore } from './deliveryStore.ts';

const EVERY_MS = 60_000;
/** A delivery that should have been attempted this long ago is not in the schedule, or it is stuck. */
const OVERDUE_MS = 5 * 60_000;
const TURN_KEY = 'push:reconcile';

/**
 * Brings deliveries back that are stored but not scheduled, because a process died between the two or
 * because Redis lost its data. What is scheduled stays as it is. One process at a time does it.
 */
export const runReconcile = async (
  args: {
    store: Pick<DeliveryStore, 'overdue'>;
    queue: Pick<DeliveryQueue, 'add'>;
    redis: Redis;
    clock: Clock;
    logger: Logger;
  },
  signal: AbortSignal,
): Promise<void> => {
  const { store, queue, redis, clock, logger } = args;
  while (!signal.aborted) {
    try {
      const turn = await onRedis(() => redis.set(TURN_KEY, '1', 'PX', EVERY_MS - 1, 'NX'));
      if (turn !== null) {
        const overdue = await store.overdue(clock.now() - OVERDUE_MS);
        await queue.add(overdue);
        if (overdue.length > 0) logger.info({ overdue: overdue.length }, 'overdue deliveries');
      }
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      logger.warn({ err: error }, 'overdue deliveries not looked for');
    }
    await clock.sleep(EVERY_MS, signal);
  }
};
