import { SEVERITIES } from '../../shared/messages/alertMessage.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { EXAMPLE_ADDRESS, EXAMPLE_TIME } from '../server/examples.ts';
import {
  answerPageB,
  decodePlace,
  encodePlace,
  PAGING_RULES,
  pagingFieldsB,
} from '../server/pagingB.ts';
import { isoOf, queryTime } from '../server/queryTime.ts';
import { alertType, listEnvelopeB, nothing, z } from '../server/schema.ts';
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
  .strict();

const list = (alerts: Alerts, family: string, query: z.output<typeof querySchema>, url: string) => {
  const { severity, type, read, created_after: fromMs, created_before: toMs } = query;
  const isRead = read === undefined ? undefined : read === 'true';
  return answerPageB({
    query,
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
    style: 'B',
    summary: 'Alert history',
    description: `Read and unread alerts, newest first. Kept 90 days. ${PAGING_RULES}`,
    lowestTier: 'free',
    params: nothing,
    query: querySchema,
    response: listEnvelopeB(alertEntrySchema),
    successes: { 200: 'A page of alerts' },
    errors: [400, 401, 429, 500, 503],
    example: {
      data: [
        {
          id: 9001,
          type: 'rug_pull',
          severity: 'critical',
          token: { address: EXAMPLE_ADDRESS, name: 'Moon Pepe', symbol: 'MPEPE' },
          details: { liquidity_change: -0.97, creator_sold_usd: 14_800, block_number: 24_811_301 },
          recommendation: 'SELL_IMMEDIATELY',
          read: false,
          created_at: EXAMPLE_TIME,
          watchlist_id: 41,
        },
      ],
      success: true,
      pagination: {
        total: 1,
        limit: 20,
        offset: 0,
        page: null,
        has_more: false,
        next_cursor: null,
      },
    },
    handle: ({ query, caller }) =>
      list(ports.alerts, caller.family, query, `${ports.baseUrl}/api/alerts`),
  });
