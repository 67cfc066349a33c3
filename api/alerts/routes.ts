import { SEVERITIES } from '../../shared/messages/alertMessage.ts';
import { invalidFields, notFound } from '../server/apiError.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { offsetHeaders } from '../server/paging.ts';
import { successA } from '../server/present.ts';
import {
  count,
  envelopeA,
  offsetField,
  pathId,
  queryBoolean,
  queryInteger,
  queryIntegerOr,
  z,
} from '../server/schema.ts';
import { messageSchema } from '../watchlist/schema.ts';
import type { Alerts } from './createAlerts.ts';
import { alertEntryA, alertEntrySchema } from './schema.ts';

const querySchema = z
  .object({
    limit: queryIntegerOr(50, 1, 100),
    offset: offsetField,
    severity: z.enum(SEVERITIES).optional(),
    unread: queryBoolean.openapi({ description: '"true": only unread ones; "false": no filter' }),
    since_id: queryInteger(0, Number.MAX_SAFE_INTEGER).openapi({
      description:
        'alerts after this one, oldest first; 0 begins at the oldest, any other value must be the id of one of your alerts',
    }),
  })
  .strict();

const list = async (alerts: Alerts, family: string, query: z.output<typeof querySchema>) => {
  const { limit, offset, severity, unread, since_id: sinceId } = query;
  if (sinceId && !(await alerts.isKnown(family, sinceId))) {
    const message = 'is not the id of an alert of yours';
    throw invalidFields([{ in: 'query', path: 'since_id', message }]);
  }
  const isRead = unread ? false : undefined;
  return alerts.list({ family, severity, isRead, limit, offset, sinceId });
};

/** GET /alerts */
export const listAlerts = (ports: { alerts: Alerts; baseUrl: string }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/alerts',
    id: 'getAlerts',
    tag: 'Alerts',
    summary: 'List alerts',
    description:
      'Newest first, or oldest first with `since_id`, which must be 0 or the id of an alert of yours. `total` counts the filtered set, `unread` all unread ones. Kept 90 days.',
    query: querySchema,
    response: envelopeA(
      z.object({ alerts: z.array(alertEntrySchema), total: count, unread: count }),
    ),
    successes: { 200: 'A page of alerts' },
    handle: async ({ query, caller, nowMs }) => {
      const found = await list(ports.alerts, caller.family, query);
      const { total, unread } = found;
      const { limit, offset } = query;
      return {
        body: successA({ alerts: found.alerts.map(alertEntryA), total, unread }, nowMs),
        headers: offsetHeaders({
          url: `${ports.baseUrl}/alerts`,
          query,
          total,
          limit,
          offset,
        }),
      };
    },
  });

const MESSAGE = 'Alert marked as read';

/** POST /alerts/{id}/read */
export const readAlert = ({ alerts }: { alerts: Alerts }): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/alerts/{id}/read',
    id: 'readAlert',
    tag: 'Alerts',
    summary: 'Mark an alert read',
    description: 'Takes no body. Idempotent.',
    params: z.object({ id: pathId }).strict(),
    response: envelopeA(messageSchema),
    successes: { 200: 'The alert is read' },
    errors: [404],
    handle: async ({ params, caller, nowMs }) => {
      if (!(await alerts.markRead(caller.family, params.id))) throw notFound('no such alert');
      return { body: successA({ message: MESSAGE }, nowMs) };
    },
  });
