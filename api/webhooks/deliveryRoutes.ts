import { isoTime } from '../../shared/rules/isoTime.ts';
import { DELIVERY_STATUSES, type Delivery } from '../../shared/webhooks/webhook.ts';
import { notFound } from '../server/apiError.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import {
  answerPageB,
  CURSOR_RULE,
  cursorField,
  cursorPageOf,
  decodePlace,
  encodePlace,
} from '../server/paging.ts';
import { successB } from '../server/present.ts';
import { envelopeB, listEnvelopeB, queryIntegerOr, z } from '../server/schema.ts';
import { noSuchWebhook, WEBHOOK_OPERATION, type WebhookPorts, webhookParams } from './routes.ts';
import { type WebhookDeliveryBody, webhookDeliverySchema } from './schema.ts';
import type { Webhooks } from './webhook.ts';

const LIST = 'deliveries';
const ID = /^dl_[0-9A-HJKMNP-TV-Z]{26}$/;
const ID_LENGTH_MAX = 64;

const deliveryBody = (delivery: Delivery): WebhookDeliveryBody => ({
  id: delivery.id,
  event_id: delivery.eventId,
  type: delivery.type,
  attempt: delivery.attempt,
  status: delivery.status,
  http_status: delivery.httpStatus,
  error: delivery.error,
  duration_ms: delivery.durationMs,
  next_attempt_at: delivery.nextAttemptAtMs === null ? null : isoTime(delivery.nextAttemptAtMs),
  created_at: isoTime(delivery.createdAtMs),
});

const listQuery = z
  .object({
    status: z.enum(DELIVERY_STATUSES).optional(),
    limit: queryIntegerOr(50, 1, 100),
    cursor: cursorField,
  })
  .strict();

const list = async (
  webhooks: Webhooks,
  place: { family: string; webhookId: string; url: string },
  query: z.output<typeof listQuery>,
) => {
  const { family, webhookId, url } = place;
  if (!(await webhooks.find(family, webhookId))) throw noSuchWebhook();
  const { status } = query;
  return answerPageB({
    page: cursorPageOf(query),
    filters: { status },
    url,
    load: async ({ limit, cursor }) => {
      const beforeId = decodePlace(LIST, cursor, ID)?.id;
      const found = await webhooks.deliveries({ family, webhookId, status, limit, beforeId });
      return { entries: found.deliveries, total: found.total };
    },
    cursorOf: ({ id }) => encodePlace(LIST, { value: 0, id }),
    present: deliveryBody,
  });
};

/** GET /api/webhooks/{id}/deliveries */
export const listWebhookDeliveries = ({ webhooks, baseUrl }: WebhookPorts): Endpoint =>
  defineEndpoint({
    ...WEBHOOK_OPERATION,
    method: 'get',
    path: '/api/webhooks/{id}/deliveries',
    id: 'getWebhookDeliveries',
    summary: 'Delivery log',
    description: `Newest first, by cursor. Kept 30 days. ${CURSOR_RULE}`,
    params: webhookParams,
    query: listQuery,
    response: listEnvelopeB(webhookDeliverySchema),
    successes: { 200: 'A page of deliveries' },
    errors: [403, 404],
    handle: ({ params, query, caller }) => {
      const url = `${baseUrl}/api/webhooks/${params.id}/deliveries`;
      return list(webhooks, { family: caller.family, webhookId: params.id, url }, query);
    },
  });

/** POST /api/webhooks/{id}/test */
export const testWebhook = ({ webhooks }: WebhookPorts): Endpoint =>
  defineEndpoint({
    ...WEBHOOK_OPERATION,
    method: 'post',
    path: '/api/webhooks/{id}/test',
    id: 'testWebhook',
    summary: 'Send a test event',
    description:
      'Takes no body. Sends `webhook.test` now, once, whatever events were chosen, and answers with the result: a receiver that fails is reported in `status` and `error`, not as an HTTP error.',
    params: webhookParams,
    response: envelopeB(webhookDeliverySchema),
    successes: { 200: 'The delivery' },
    errors: [403, 404],
    handle: async ({ params, caller }) => {
      const delivery = await webhooks.test(caller.family, params.id);
      if (!delivery) throw noSuchWebhook();
      return { body: successB(deliveryBody(delivery)) };
    },
  });

/** POST /api/webhooks/{id}/deliveries/{delivery_id}/redeliver */
export const redeliverEvent = ({ webhooks }: WebhookPorts): Endpoint =>
  defineEndpoint({
    ...WEBHOOK_OPERATION,
    method: 'post',
    path: '/api/webhooks/{id}/deliveries/{delivery_id}/redeliver',
    id: 'redeliverEvent',
    summary: 'Deliver an event again',
    description:
      'Takes no body. Sends the same event, with its id, now, once, as a new delivery. Attempts of the first delivery that are due later are still made. Possible for 30 days.',
    params: webhookParams.extend({ delivery_id: z.string().min(1).max(ID_LENGTH_MAX) }).strict(),
    response: envelopeB(webhookDeliverySchema),
    successes: { 200: 'The new delivery' },
    errors: [403, 404],
    handle: async ({ params, caller }) => {
      const delivery = await webhooks.redeliver(caller.family, params.id, params.delivery_id);
      if (!delivery) throw notFound('no such delivery');
      return { body: successB(deliveryBody(delivery)) };
    },
  });
