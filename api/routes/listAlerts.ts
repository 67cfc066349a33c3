import { SEVERITIES } from '../../shared/messages/alertMessage.ts';
import { invalidRequest } from '../apiError.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import type { Alerts } from '../ports.ts';
import { alertEntryA } from '../present/alertEntryA.ts';
import { successA } from '../present/styleA.ts';
import { alertEntrySchema } from '../schema/alert.ts';
import { envelopeA } from '../schema/envelope.ts';
import {
  count,
  nothing,
  OFFSET_MAX,
  offsetField,
  queryBoolean,
  queryInteger,
  queryIntegerOr,
} from '../schema/fields.ts';
import { z } from '../schema/zod.ts';
import { EXAMPLE_ADDRESS, EXAMPLE_TIME } from './examples.ts';
import { offsetSteps, pageHeaders } from './pageLinks.ts';

const example: z.input<typeof alertEntrySchema> = {
  id: 9001,
  type: 'rug_pull',
  severity: 'critical',
  token: { address: EXAMPLE_ADDRESS, name: 'Moon Pepe', symbol: 'MPEPE' },
  details: { liquidity_change: -0.97, creator_sold_usd: 14_800, block_number: 24_811_301 },
  recommendation: 'SELL_IMMEDIATELY',
  read: false,
  created_at: EXAMPLE_TIME,
  watchlist_id: 41,
};

const querySchema = z
  .object({
    limit: queryIntegerOr(50, 1, 100),
    offset: offsetField,
    severity: z.enum(SEVERITIES).optional(),
    unread: queryBoolean.openapi({ description: '"true": only unread ones; "false": no filter' }),
    since_id: queryInteger(0, Number.MAX_SAFE_INTEGER).openapi({
      description:
        'alerts after this one, oldest first; 0 begins at the oldest, any other must be the id of an alert of yours',
    }),
  })
  .strict();

const list = async (alerts: Alerts, family: string, query: z.output<typeof querySchema>) => {
  const { limit, offset, severity, unread, since_id: sinceId } = query;
  if (sinceId && !(await alerts.isKnown(family, sinceId))) {
    const message = 'is not the id of an alert of yours';
    throw invalidRequest(`since_id: ${message}`, {
      details: [{ in: 'query', path: 'since_id', message }],
    });
  }
  return alerts.list({ family, severity, onlyUnread: unread, limit, offset, sinceId });
};

/** GET /alerts */
export const listAlerts = (ports: { alerts: Alerts; baseUrl: string }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/alerts',
    id: 'getAlerts',
    tag: 'Alerts',
    style: 'A',
    summary: 'List alerts',
    description:
      'Newest first, or oldest first with `since_id`, which must be 0 or the id of an alert of yours. `total` counts the filtered set, `unread` all unread ones. Kept 90 days.',
    lowestTier: 'free',
    params: nothing,
    query: querySchema,
    response: envelopeA(
      z.object({ alerts: z.array(alertEntrySchema), total: count, unread: count }),
    ),
    successes: { 200: 'A page of alerts' },
    errors: [400, 401, 429, 500, 503],
    example: {
      success: true,
      data: { alerts: [example], total: 1, unread: 1 },
      timestamp: EXAMPLE_TIME,
    },
    handle: async ({ query, caller, nowMs }) => {
      const found = await list(ports.alerts, caller.family, query);
      const { total, unread } = found;
      const { limit, offset } = query;
      return {
        body: successA({ alerts: found.alerts.map(alertEntryA), total, unread }, nowMs),
        headers: pageHeaders({
          url: `${ports.baseUrl}/alerts`,
          query,
          total,
          ...offsetSteps({ total, limit, offset, offsetMax: OFFSET_MAX }),
        }),
      };
    },
  });
