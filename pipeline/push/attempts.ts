import { LRUCache } from 'lru-cache';
import type { Clock } from '../../shared/platform/clock.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import type { SecretBox } from '../../shared/webhooks/secretBox.ts';
import type { Attempt, SendDelivery } from '../../shared/webhooks/sendDelivery.ts';
import { type Delivery, signingSecrets, type Webhook } from '../../shared/webhooks/webhook.ts';
import type { WebhookStore } from '../../shared/webhooks/webhookStore.ts';
import type { DeliveryOutcome, DeliveryQueue, QueueEntry, ReceiverState } from './deliveryQueue.ts';
import type { DeliveryStore } from './deliveryStore.ts';
import type { Entitlements } from './entitlements.ts';
import { type NextStep, nextStep } from './nextStep.ts';
import type { PushCounts } from './pushMetrics.ts';

/** A webhook that had no success for this long is disabled. */
const FAILING_MS_MAX = 5 * 24 * 3_600_000;
/** Bytes of bodies kept in memory, so that a first attempt need not read its body again. */
const BODIES_BYTES_MAX = 16 * 1024 * 1024;
const SAVE_ATTEMPTS_MAX = 5;
const SAVE_DELAY_MS = 500;
/** Outcomes on their way to the store; attempts wait when there are more. */
const SAVES_MAX = 1_000;
/** A body that is not stored after this long never will be. */
export const BODY_STORED_MS_MAX = 10 * 60_000;

export interface AttemptPorts {
  readonly webhooks: Pick<WebhookStore, 'find' | 'update'>;
  readonly entitlements: Entitlements;
  readonly store: DeliveryStore;
  readonly queue: Pick<DeliveryQueue, 'record' | 'stored'>;
  readonly box: Pick<SecretBox, 'open'>;
  readonly send: SendDelivery;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly counts: PushCounts;
  readonly delaysMs: readonly number[];
}

/** Makes attempts. */
export interface Attempts {
  /** Keeps the body of a delivery for its first attempt. */
  remember(delivery: Delivery): void;
  /** Attempts one delivery; the schedule knows what became of it. Throws RetryableError, undone. */
  attempt(entry: QueueEntry): Promise<void>;
  /** Resolves when everything that became of attempts so far is stored. */
  stored(): Promise<void>;
}

/** An answer that took longer is slow. */
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

/** Storing what became of attempts. */
const createSaves = ({ store, queue, clock, logger, counts }: AttemptPorts) => {
  /** What cannot be stored now is found again in the schedule, by this process or another. */
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
  /** Attempts go on meanwhile: a slow store must not slow receivers down. */
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

/** How deliveries end and go on. */
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

  /** Ends sending to a webhook until its family makes it active again. */
  const disable = async (webhook: Webhook, reason: string): Promise<void> => {
    counts.disabled += 1;
    logger.warn({ webhook: webhook.id, reason }, 'webhook disabled');
    const { family, id } = webhook;
    await ports.webhooks.update(family, id, (stored) =>
      stored.status === 'active'
        ? { ...stored, status: 'disabled', disabledReason: reason }
        : undefined,
    );
  };

  const conclude = async (
    webhook: Webhook,
    entry: QueueEntry,
    payload: string,
    made: Attempt,
  ): Promise<void> => {
    const attempt = entry.attempt + 1;
    const step = nextStep(made, attempt, ports.random(), ports.delaysMs);
    const nowMs = clock.now();
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
    if (step.kind === 'gone') await disable(webhook, 'receiver answered 410 Gone');
    else if (failingSinceMs > 0 && nowMs - failingSinceMs >= FAILING_MS_MAX) {
      await disable(webhook, 'no success for 5 days');
    }
  };

  return { end, conclude, stored };
};

/** One attempt after another; which ones, and when, is decided elsewhere. */
export const createAttempts = (ports: AttemptPorts): Attempts => {
  const { webhooks, entitlements, store, box, send, clock } = ports;
  const { end, conclude, stored } = createOutcomes(ports);
  const bodies = new LRUCache<string, string>({
    maxSize: BODIES_BYTES_MAX,
    sizeCalculation: (body) => body.length + 1,
  });
  return {
    stored,
    remember: ({ eventId, payload }) => void bodies.set(eventId, payload),
    attempt: async (entry) => {
      const payload = bodies.get(entry.eventId) ?? (await store.payload(entry));
      if (payload === undefined) {
        if (clock.now() - entry.createdAtMs > BODY_STORED_MS_MAX) {
          return end(entry, '', 'body not kept any more');
        }
        // The process that planned it stores it at this moment.
        throw new RetryableError('body not stored yet');
      }
      const webhook = await webhooks.find(entry.family, entry.webhookId);
      if (webhook?.status !== 'active') return end(entry, payload, 'webhook is not active');
      const entitled = await entitlements.entitled([entry.family]);
      if (!entitled.has(entry.family)) return end(entry, payload, 'the tier has no webhooks');
      const { url } = webhook;
      const secrets = signingSecrets(webhook, box, clock.now());
      const made = await send({ eventId: entry.eventId, payload, url, secrets });
      await conclude(webhook, entry, payload, made);
    },
  };
};
