import { ulid } from 'ulid';
import { ZERO_ADDRESS } from '../../shared/chain/block.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { isoTime } from '../../shared/rules/isoTime.ts';
import { saveDeliveries } from '../../shared/webhooks/deliveryRows.ts';
import type { SecretBox } from '../../shared/webhooks/secretBox.ts';
import type { SendDelivery } from '../../shared/webhooks/sendDelivery.ts';
import { type Delivery, signingSecrets, type Webhook } from '../../shared/webhooks/webhook.ts';
import { findDelivery, listDeliveries } from './queries.ts';
import type { WebhookPayload } from './schema.ts';
import type { Webhooks } from './webhook.ts';

type Database = Pick<Clickhouse, 'query' | 'insert'>;
type Deliver = (
  webhook: Webhook,
  event: Pick<Delivery, 'eventId' | 'type' | 'payload'>,
) => Promise<Delivery>;

/** Sends an event now, once, and keeps what became of it. */
export const createDeliver = (args: {
  database: Database;
  clock: Clock;
  box: SecretBox;
  send: SendDelivery;
}): Deliver => {
  const { database, clock, box, send } = args;
  return async (webhook, { eventId, type, payload }) => {
    const createdAtMs = clock.now();
    const pending: Delivery = {
      family: webhook.family,
      webhookId: webhook.id,
      id: `dl_${ulid(createdAtMs)}`,
      eventId,
      type,
      payload,
      attempt: 0,
      status: 'pending',
      httpStatus: null,
      error: null,
      durationMs: null,
      nextAttemptAtMs: null,
      createdAtMs,
    };
    await saveDeliveries(database, [{ delivery: pending, atMs: createdAtMs }]);
    const attempt = await send({
      eventId,
      payload,
      url: webhook.url,
      secrets: signingSecrets(webhook, box, clock.now()),
    });
    const delivery: Delivery = {
      ...pending,
      attempt: 1,
      status: attempt.isDelivered ? 'delivered' : 'failed',
      httpStatus: attempt.httpStatus,
      error: attempt.error,
      durationMs: attempt.durationMs,
    };
    const atMs = Math.max(clock.now(), createdAtMs + 1);
    await saveDeliveries(database, [{ delivery, atMs }]);
    return delivery;
  };
};

/** The event that shows that a webhook works; it is about no token. */
const testPayload = (eventId: string, nowMs: number): WebhookPayload => ({
  type: 'webhook.test',
  id: eventId,
  timestamp: isoTime(nowMs),
  alert_type: 'test',
  severity: 'info',
  token: { address: ZERO_ADDRESS, name: 'Test', symbol: 'TEST' },
  data: { message: 'This is a test event' },
});

/** What is sent on request, and the log of everything sent. */
export const createDeliveryLog = (args: {
  database: Database;
  clock: Clock;
  find: Webhooks['find'];
  deliver: Deliver;
}): Pick<Webhooks, 'test' | 'redeliver' | 'deliveries'> => {
  const { database, clock, find, deliver } = args;
  return {
    test: async (family, id) => {
      const webhook = await find(family, id);
      if (!webhook) return undefined;
      const eventId = `msg_${ulid(clock.now())}`;
      const payload = JSON.stringify(testPayload(eventId, clock.now()));
      return deliver(webhook, { eventId, type: 'webhook.test', payload });
    },
    redeliver: async (family, id, deliveryId) => {
      const webhook = await find(family, id);
      if (!webhook) return undefined;
      const earlier = await findDelivery(database, { family, webhookId: id, id: deliveryId });
      return earlier && deliver(webhook, earlier);
    },
    deliveries: (page) => listDeliveries(database, page),
  };
};
