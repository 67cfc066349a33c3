import { eventsOf, type StreamMessage } from '../../shared/events/eventsOf.ts';
import { type PushEvent, ulidOf } from '../../shared/events/pushEvent.ts';
import { PoisonMessageError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import type { Delivery, Webhook } from '../../shared/webhooks/webhook.ts';
import type { DeliveryQueue } from './deliveryQueue.ts';
import type { DeliveryStore } from './deliveryStore.ts';
import type { Entitled } from './entitlements.ts';
import type { PushCounts } from './pushMetrics.ts';
import { sendTime } from './sendTime.ts';
import type { WebhookIndex } from './webhookIndex.ts';

/** An event on its way to a webhook. The same pair always results in the same delivery. */
const newDelivery = (event: PushEvent, webhook: Webhook): Delivery => ({
  family: webhook.family,
  webhookId: webhook.id,
  id: `dl_${ulidOf(`${event.id}:${webhook.id}`, event.createdAtMs)}`,
  eventId: event.id,
  type: event.type,
  attempt: 0,
  status: 'pending',
  httpStatus: null,
  error: null,
  durationMs: null,
  nextAttemptAtMs: sendTime(webhook, event.severity, event.createdAtMs),
  payload: event.body,
  createdAtMs: event.createdAtMs,
});

/** A message, and whether it may have been planned before. */
export interface ReceivedMessage extends StreamMessage {
  /** Its position in the stream. */
  readonly seq: number;
  readonly isAgain: boolean;
}

interface PlannerPorts {
  readonly index: Pick<WebhookIndex, 'targets'>;
  readonly entitled: Entitled;
  readonly store: Pick<DeliveryStore, 'add' | 'attempted' | 'save'>;
  readonly queue: Pick<DeliveryQueue, 'add'>;
  /** Resolves when the index includes every change stored by now. @throws RetryableError */
  readonly caughtUp: () => Promise<void>;
  /** Keeps the bodies of deliveries, so that they need not be read for the first attempt. */
  readonly remember: (delivery: Delivery) => void;
  /** Announces that something is due. */
  readonly wake: () => void;
  /** Keeps a message that can never be delivered for manual inspection. */
  readonly deadLetter: (message: ReceivedMessage, reason: string) => Promise<void>;
  readonly now: () => number;
  readonly logger: Logger;
  readonly counts: PushCounts;
}

/** Deliveries stored and scheduled at once: an event may go to thousands of webhooks. */
const DELIVERIES_AT_ONCE_MAX = 2_000;

/** Turns messages into stored and scheduled deliveries. Idempotent. */
export type Plan = (messages: readonly ReceivedMessage[]) => Promise<void>;

const readEvents = async (
  message: ReceivedMessage,
  { deadLetter, logger, counts }: PlannerPorts,
): Promise<PushEvent[]> => {
  try {
    return eventsOf(message);
  } catch (error) {
    if (!(error instanceof PoisonMessageError)) throw error;
    counts.poison += 1;
    logger.error({ err: error, subject: message.subject }, 'message became a dead letter');
    await deadLetter(message, error.message);
    return [];
  }
};

interface Planned {
  readonly delivery: Delivery;
  readonly isAgain: boolean;
}

/** Drops deliveries to families whose tier has no webhooks: nothing is kept for the time after an upgrade. */
const withoutBarred = async (
  planned: readonly Planned[],
  { entitled, logger, counts }: PlannerPorts,
): Promise<Planned[]> => {
  const families = await entitled(planned.map(({ delivery }) => delivery.family));
  return planned.filter(({ delivery: { family, webhookId: webhook, eventId: event } }) => {
    const isBarred = !families.has(family);
    if (isBarred) {
      counts.barred += 1;
      logger.debug({ webhook, event }, 'event not sent: the tier has no webhooks');
    }
    return !isBarred;
  });
};

/** Drops deliveries that were attempted before: they have ended, or are scheduled already. */
const withoutAttempted = async (
  planned: readonly Planned[],
  store: PlannerPorts['store'],
): Promise<Delivery[]> => {
  const repeated = planned.filter(({ isAgain }) => isAgain);
  const attempted = await store.attempted(repeated.map(({ delivery }) => delivery));
  return planned.map(({ delivery }) => delivery).filter(({ id }) => !attempted.has(id));
};

/** Links an event and its deliveries to the block that caused it. */
const logPlanned = (event: PushEvent, webhooks: number, logger: Logger): void => {
  if (webhooks === 0) return;
  const { id, type, address: token, blockHash } = event;
  logger.info({ event: id, type, token, blockHash, webhooks }, 'event planned');
};

/**
 * Stored and scheduled in parallel, so that the first attempt does not wait for the store. A message counts as
 * planned when both are done; if it is repeated, deliveries attempted by then are recognised.
 */
export const createPlan = (ports: PlannerPorts): Plan => {
  const { index, store, queue, now, logger, counts } = ports;
  /** In parallel: these are stored together too, and a flood of them must not delay what follows. */
  const refuse = async (deliveries: readonly Delivery[]): Promise<void> => {
    const ended = { status: 'exhausted', nextAttemptAtMs: null } as const;
    await Promise.all(
      deliveries.map(async (delivery) => {
        counts.dropped += 1;
        const { id, webhookId: webhook } = delivery;
        logger.warn({ delivery: id, webhook }, 'delivery dropped: too many wait');
        await store.save({ ...delivery, ...ended, error: 'too many deliveries wait' }, now());
      }),
    );
  };
  const carryOut = async (planned: readonly Planned[]): Promise<void> => {
    const deliveries = await withoutAttempted(await withoutBarred(planned, ports), store);
    if (deliveries.length === 0) return;
    for (const delivery of deliveries) ports.remember(delivery);
    const scheduling = queue.add(deliveries).then((ids) => {
      ports.wake();
      return new Set(ids);
    });
    const [refused] = await Promise.all([scheduling, store.add(deliveries)]);
    counts.planned += deliveries.length - refused.size;
    await refuse(deliveries.filter(({ id }) => refused.has(id)));
  };
  return async (messages) => {
    await ports.caughtUp();
    const planned: Planned[] = [];
    for (const message of messages) {
      for (const event of await readEvents(message, ports)) {
        counts.events += 1;
        const targets = index.targets(event);
        logPlanned(event, targets.length, logger);
        for (const webhook of targets) {
          planned.push({ delivery: newDelivery(event, webhook), isAgain: message.isAgain });
        }
      }
      while (planned.length >= DELIVERIES_AT_ONCE_MAX) {
        await carryOut(planned.splice(0, DELIVERIES_AT_ONCE_MAX));
      }
    }
    await carryOut(planned);
  };
};
