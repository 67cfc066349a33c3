import { ulidOf } from '../../shared/events/eventId.ts';
import type { PushEvent } from '../../shared/events/pushEvent.ts';
import type { Delivery, Webhook } from '../../shared/webhooks/webhook.ts';

/** An event on its way to a webhook. The same two always make the same delivery. */
export const newDelivery = (event: PushEvent, webhook: Webhook): Delivery => ({
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
  nextAttemptAtMs: event.createdAtMs,
  payload: event.body,
  createdAtMs: event.createdAtMs,
});
