import { SEVERITIES } from '../../shared/messages/alertMessage.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import {
  answerPageB,
  decodePlace,
  encodePlace,
  PAGING_RULES,
  pageOf,
  pagingFieldsB,
} from '../server/paging.ts';
import { alertType, isoOf, listEnvelopeB, ordered, queryTime, z } from '../server/schema.ts';
import type { Alerts } from './createAlerts.ts';
import { alertEntryA, alertEntrySchema } from './schema.ts';

const LIST = 'alerts';
const ID = /^\d{1,16}$/;

const querySchema = z
  .object({
    ...pagingFieldsB,
    severity: z.enum(SEVERITIES).optional(),
    type: alertType.optional(),
    read: z.enum(['true', 'false']).optional(),
    created_after: queryTime,
    created_before: queryTime,
  })
  .strict()
  .superRefine(ordered('created_after', 'created_before'));

const list = (alerts: Alerts, family: string, query: z.output<typeof querySchema>, url: string) => {
  const { severity, type, read, created_after: fromMs, created_before: toMs } = query;
  const isRead = read === undefined ? undefined : read === 'true';
  return answerPageB({
    page: pageOf(query),
    filters: { severity, type, read, created_after: isoOf(fromMs), created_before: isoOf(toMs) },
    url,
    load: async ({ limit, offset, cursor }) => {
      const after = decodePlace(LIST, cursor, ID);
      const filter = { family, severity, type, isRead, fromMs, toMs };
      const found = await alerts.list({ ...filter, limit, offset, after });
      return { entries: found.alerts, total: found.total };
    },
    cursorOf: ({ createdAtMs, id }) => encodePlace(LIST, { value: createdAtMs, id: String(id) }),
    present: alertEntryA,
  });
};

/** GET /api/alerts */
export const listAlertHistory = (ports: { alerts: Alerts; baseUrl: string }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/alerts',
    id: 'getAlertHistory',
    tag: 'Alerts',
    summary: 'Alert history',
    description: `Read and unread alerts, newest first. Kept 90 days. \`created_after\` must be at most \`created_before\`. ${PAGING_RULES}`,
    query: querySchema,
    response: listEnvelopeB(alertEntrySchema),
    successes: { 200: 'A page of alerts' },
    handle: ({ query, caller }) =>
      list(ports.alerts, caller.family, query, `${ports.baseUrl}/api/alerts`),
  });
