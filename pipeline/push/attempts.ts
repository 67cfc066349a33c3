import { LRUCache } from 'lru-cache';
import type { Clock } from '../../shared/platform/clock.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import type { Attempt } from '../../shared/webhooks/sendDelivery.ts';
import type { SendEvents } from '../../shared/webhooks/sendEvents.ts';
import type { Delivery, Webhook } from '../../shared/webhooks/webhook.ts';
import type { WebhookStore } from '../../shared/webhooks/webhookStore.ts';
import type { DeliveryOutcome, DeliveryQueue, QueueEntry, ReceiverState } from './deliveryQueue.ts';
import type { DeliveryStore } from './deliveryStore.ts';
import type { Entitled } from './entitlements.ts';
import { HTTP_GONE, type NextStep, nextStep } from './nextStep.ts';
import type { PushCounts } from './pushMetrics.ts';

/** Milliseconds without a success after which a webhook is disabled. */
const FAILING_MS_MAX = 5 * 24 * 3_600_000;
/** Bytes of bodies kept in memory, so that a first attempt need not read its body from the store. */
const BODIES_BYTES_MAX = 16 * 1024 * 1024;
const SAVE_ATTEMPTS_MAX = 5;
const SAVE_DELAY_MS = 500;
/** Outcomes waiting to be stored; attempts pause when there are more. */
const SAVES_MAX = 1_000;
/** Milliseconds after which a body that is not stored never will be. */
export const BODY_STORED_MS_MAX = 10 * 60_000;

export interface AttemptPorts {
  readonly webhooks: Pick<WebhookStore, 'find' | 'update'>;
  readonly entitled: Entitled;
  readonly store: DeliveryStore;
  readonly queue: Pick<DeliveryQueue, 'record' | 'stored'>;
  readonly send: SendEvents;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly counts: PushCounts;
  readonly delaysMs: readonly number[];
}

/** Milliseconds after which a response counts as slow. */
export const SLOW_MS = 1_000;

const receiverState = ({ isDelivered, durationMs }: Attempt): ReceiverState => {
  if (!isDelivered) return 'failed';
  return durationMs > SLOW_MS ? 'slow' : 'quick';
};

const statusOf = (step: NextStep): Delivery['status'] => {
  if (step.kind === 'delivered') return 'delivered';
  return step.kind === 'retry' ? 'failed' : 'exhausted';
};

const NOTHING_SENT = { httpStatus: null, durationMs: null, nextAttemptAtMs: null } as const;

/** Storing outcomes of attempts. */
const createSaves = ({ store, queue, clock, logger, counts }: AttemptPorts) => {
  /** Outcomes that cannot be stored now are found again in the schedule, by this process or another. */
  const saveNow = async (outcome: DeliveryOutcome, payload: string): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      try {
        await store.save({ ...outcome, payload }, outcome.atMs);
        await queue.stored(outcome);
        return;
      } catch (error) {
        if (tries === SAVE_ATTEMPTS_MAX) {
          counts.unsaved += 1;
          logger.error({ err: error, delivery: outcome.id }, 'outcome of a delivery waits');
          return;
        }
        await clock.sleep(SAVE_DELAY_MS);
      }
    }
  };

  const saving = new Set<Promise<void>>();
  /** Attempts continue meanwhile: a slow store must not slow receivers down. */
  const save = async (outcome: DeliveryOutcome, payload: string): Promise<void> => {
    const saved = saveNow(outcome, payload);
    saving.add(saved);
    void saved.then(() => saving.delete(saved));
    if (saving.size > SAVES_MAX) await saved;
  };
  const stored = async (): Promise<void> => {
    await Promise.all(saving);
  };
  return { save, stored };
};

/** A delivery with its body. */
interface Attempted {
  readonly entry: QueueEntry;
  readonly payload: string;
}

/** Stops sending to a webhook until its family reactivates it. */
const disable = async (
  { webhooks, counts, logger }: Pick<AttemptPorts, 'webhooks' | 'counts' | 'logger'>,
  webhook: Webhook,
  reason: string,
): Promise<void> => {
  counts.disabled += 1;
  logger.warn({ webhook: webhook.id, reason }, 'webhook disabled');
  const { family, id } = webhook;
  await webhooks.update(family, id, (stored) =>
    stored.status === 'active'
      ? { ...stored, status: 'disabled', disabledReason: reason }
      : undefined,
  );
};

/** Why a webhook is stopped after an attempt; undefined if it continues. */
const whyDisabled = (
  { isGone, httpStatus, error }: Attempt,
  failingMs: number,
): string | undefined => {
  if (isGone) return `no longer there: ${[httpStatus, error].filter(Boolean).join(' ')}`;
  if (httpStatus === HTTP_GONE) return 'receiver answered 410 Gone';
  return failingMs >= FAILING_MS_MAX ? 'no success for 5 days' : undefined;
};

/** How deliveries end or continue. */
const createOutcomes = (ports: AttemptPorts) => {
  const { queue, clock, logger, counts } = ports;
  const { save, stored } = createSaves(ports);

  const end = async (entry: QueueEntry, payload: string, error: string): Promise<void> => {
    counts.dropped += 1;
    const { id: delivery, webhookId, eventId: event } = entry;
    logger.warn({ event, delivery, webhook: webhookId }, `delivery dropped: ${error}`);
    const outcome = {
      ...entry,
      ...NOTHING_SENT,
      status: 'exhausted',
      error,
      atMs: clock.now(),
    } as const;
    await queue.record(outcome, 'neutral');
    await save(outcome, payload);
  };

  /** Resolves to the time (Unix milliseconds) since which every attempt has failed; 0 if this one succeeded. */
  const concludeOne = async (
    { entry, payload }: Attempted,
    made: Attempt,
    { random, nowMs }: { random: number; nowMs: number },
  ): Promise<number> => {
    const attempt = entry.attempt + 1;
    const step = nextStep(made, attempt, random, ports.delaysMs);
    const { httpStatus, error, durationMs } = made;
    const outcome = {
      ...entry,
      attempt,
      status: statusOf(step),
      httpStatus,
      error,
      durationMs,
      nextAttemptAtMs: step.kind === 'retry' ? nowMs + step.delayMs : null,
      atMs: nowMs,
    };
    counts[step.kind] += 1;
    if (made.isDelivered) logger.info({ event: entry.eventId, delivery: entry.id }, 'delivered');
    else {
      const { id: delivery, webhookId, eventId: event } = entry;
      const line = { event, delivery, webhook: webhookId, attempt, httpStatus, error };
      const isOver = step.kind !== 'retry';
      logger[isOver ? 'warn' : 'info'](line, isOver ? 'delivery exhausted' : 'attempt failed');
    }
    const failingSinceMs = await queue.record(outcome, receiverState(made));
    await save(outcome, payload);
    return failingSinceMs;
  };

  /** Deliveries that were sent together are retried together. */
  const conclude = async (
    webhook: Webhook,
    attempted: readonly Attempted[],
    made: Attempt,
  ): Promise<void> => {
    const at = { random: ports.random(), nowMs: clock.now() };
    const sinceMs = await Promise.all(attempted.map((one) => concludeOne(one, made, at)));
    const failingSinceMs = Math.max(...sinceMs);
    const reason = whyDisabled(made, failingSinceMs > 0 ? at.nowMs - failingSinceMs : 0);
    if (reason !== undefined) await disable(ports, webhook, reason);
  };

  return { end, conclude, stored };
};

/** Makes attempts; which ones, and when, is decided elsewhere. */
export const createAttempts = (ports: AttemptPorts) => {
  const { webhooks, entitled, store, send, clock } = ports;
  const { end, conclude, stored } = createOutcomes(ports);
  const bodies = new LRUCache<string, string>({
    maxSize: BODIES_BYTES_MAX,
    sizeCalculation: (body) => body.length + 1,
  });

  /** Deliveries with their bodies; those without a body end. */
  const withBodies = async (entries: readonly QueueEntry[]): Promise<Attempted[]> => {
    const unknown = entries.filter(({ eventId }) => !bodies.has(eventId));
    const found = await store.payloads(unknown);
    const attempted: Attempted[] = [];
    for (const entry of entries) {
      const payload = bodies.get(entry.eventId) ?? found.get(entry.id);
      if (payload !== undefined) attempted.push({ entry, payload });
      else if (clock.now() - entry.createdAtMs > BODY_STORED_MS_MAX) {
        await end(entry, '', 'body not kept any more');
      } else {
        // The process that planned it is storing it at this moment.
        throw new RetryableError('body not stored yet');
      }
    }
    return attempted;
  };

  return {
    /** Resolves when all outcomes so far are stored. */
    stored,
    /** Keeps the body of a delivery for its first attempt. */
    remember: ({ eventId, payload }: Delivery): void => void bodies.set(eventId, payload),
    /**
     * Attempts several deliveries of one webhook at once, or a single one for a receiver; the schedule records the
     * outcomes. Throws RetryableError if nothing was done.
     */
    attempt: async (entries: readonly QueueEntry[]): Promise<void> => {
      const attempted = await withBodies(entries);
      const [first] = entries;
      if (!first || attempted.length === 0) return;
      const endAll = async (error: string): Promise<void> => {
        for (const { entry, payload } of attempted) await end(entry, payload, error);
      };
      const { family } = first;
      const webhook = await webhooks.find(family, first.webhookId);
      if (webhook?.status !== 'active') return endAll('webhook is not active');
      if (!(await entitled([family])).has(family)) return endAll('the tier has no webhooks');
      const events = attempted.map(({ entry, payload }) => ({ eventId: entry.eventId, payload }));
      await conclude(webhook, attempted, await send(webhook, events));
    },
  };
};
/** Makes attempts. */
export type Attempts = ReturnType<typeof createAttempts>;
