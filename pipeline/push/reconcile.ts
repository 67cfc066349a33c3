import type { Redis } from 'ioredis';
import type { Clock } from '../../shared/platform/clock.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { onRedis } from '../../shared/platform/redis.ts';
import { runConcurrently } from '../../shared/platform/runConcurrently.ts';
import { BODY_STORED_MS_MAX } from './attempts.ts';
import type { DeliveryOutcome, DeliveryQueue } from './deliveryQueue.ts';
import type { DeliveryStore } from './deliveryStore.ts';

const OVERDUE_EVERY_MS = 60_000;
/** Milliseconds after which an overdue delivery is missing in the schedule, or stuck. */
const OVERDUE_MS = 5 * 60_000;
const UNSTORED_EVERY_MS = 5_000;
/** Longer than a living process tries to store an outcome, so that the work is rarely duplicated. */
const UNSTORED_MS = 10_000;

export interface ReconcilePorts {
  readonly store: Pick<DeliveryStore, 'overdue' | 'payloads' | 'save'>;
  readonly queue: Pick<DeliveryQueue, 'add' | 'stored' | 'unstored'>;
  readonly redis: Redis;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Repeats `task`, in one process at a time. */
const repeat = async (
  { redis, clock, logger }: ReconcilePorts,
  task: { name: string; everyMs: number; run: () => Promise<void> },
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    try {
      const key = `push:reconcile:${task.name}`;
      const turn = await onRedis(() => redis.set(key, '1', 'PX', task.everyMs - 1, 'NX'));
      if (turn !== null) await task.run();
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      logger.warn({ err: error }, `${task.name} deliveries not looked for`);
    }
    await clock.sleep(task.everyMs, signal);
  }
};

/**
 * Restores deliveries that are stored but not scheduled, because a process died between the two or because Redis was
 * restored to an earlier state. Scheduled ones stay unchanged.
 */
const scheduleOverdue = async ({ store, queue, clock, logger }: ReconcilePorts): Promise<void> => {
  const overdue = await store.overdue(clock.now() - OVERDUE_MS);
  await queue.add(overdue);
  if (overdue.length > 0) logger.info({ overdue: overdue.length }, 'overdue deliveries');
};

/**
 * Stores outcomes whose process died, or gave up, before storing them. One whose body is not stored yet waits for the
 * process that plans the delivery: without the body nothing could be sent again.
 */
const storeOutcomes = async ({ store, queue, clock, logger }: ReconcilePorts): Promise<void> => {
  const beforeMs = clock.now() - UNSTORED_MS;
  const storeOne = async (outcome: DeliveryOutcome): Promise<boolean> => {
    const payload = (await store.payloads([outcome])).get(outcome.id);
    const isAwaited = clock.now() - outcome.createdAtMs < BODY_STORED_MS_MAX;
    if (payload === undefined && isAwaited) return false;
    await store.save({ ...outcome, payload: payload ?? '' }, outcome.atMs);
    await queue.stored(outcome);
    return true;
  };
  for (let waiting = 0; ; ) {
    const outcomes = await queue.unstored(beforeMs, waiting);
    if (outcomes.length === 0) return;
    const stored = (await Promise.all(outcomes.map(storeOne))).filter(Boolean).length;
    waiting += outcomes.length - stored;
    if (stored > 0) logger.info({ outcomes: stored }, 'outcomes stored late');
  }
};

/** Repairs what processes that died left unfinished. */
export const runReconcile = (ports: ReconcilePorts, signal: AbortSignal): Promise<void> => {
  const tasks = [
    { name: 'overdue', everyMs: OVERDUE_EVERY_MS, run: () => scheduleOverdue(ports) },
    { name: 'unstored', everyMs: UNSTORED_EVERY_MS, run: () => storeOutcomes(ports) },
  ];
  return runConcurrently((stop) => tasks.map((task) => repeat(ports, task, stop)), signal);
};
