import { z } from 'zod';
import { countSchema } from '../../shared/messages/schemas.ts';
import type { Database } from '../../shared/platform/clickhouse.ts';
import { DELIVERY_COLUMNS } from '../../shared/webhooks/deliveryRows.ts';
import { type Delivery, deliverySchema } from '../../shared/webhooks/webhook.ts';
import type { DeliveryPage } from './webhook.ts';

/** Newest deliveries of a webhook from which its state is derived. */
const STATE_DELIVERIES_MAX = 500;

const stateRow = z.object({
  id: z.string(),
  lastDeliveryAtMs: countSchema,
  failureCount: countSchema,
});

/** The delivery state of a family's webhooks. */
export const deliveryStates = async (
  database: Database,
  family: string,
  ids: readonly string[],
): Promise<Map<string, { lastDeliveryAtMs: number; failureCount: number }>> => {
  if (ids.length === 0) return new Map();
  const rows = await database.query(
    `SELECT s.webhook_id AS id, toUnixTimestamp64Milli(max(s.updated_at)) AS lastDeliveryAtMs,
       countIf(s.status IN ('failed', 'exhausted') AND s.id > s.last_success) AS failureCount
     FROM (SELECT webhook_id, id, status, updated_at,
         maxIf(id, status = 'delivered') OVER (PARTITION BY webhook_id) AS last_success
       FROM (SELECT webhook_id, id, status, updated_at FROM webhook_deliveries FINAL
         WHERE family = {family:String} AND webhook_id IN {ids:Array(String)}
           AND status != 'pending'
         ORDER BY webhook_id, id DESC LIMIT ${STATE_DELIVERIES_MAX} BY webhook_id)) AS s
     GROUP BY s.webhook_id`,
    { family, ids },
    stateRow,
  );
  return new Map(rows.map(({ id, ...state }) => [id, state]));
};

/** One page of the deliveries of a webhook, newest first, and the number of matches. */
export const listDeliveries = async (
  database: Database,
  page: DeliveryPage,
): Promise<{ deliveries: Delivery[]; total: number }> => {
  const own = `webhook_deliveries AS d FINAL
    WHERE d.family = {family:String} AND d.webhook_id = {webhookId:String}
    ${page.status ? 'AND d.status = {status:String}' : ''}`;
  const params = {
    family: page.family,
    webhookId: page.webhookId,
    status: page.status ?? '',
    beforeId: page.beforeId ?? '',
    limit: page.limit,
  };
  const [deliveries, totals] = await Promise.all([
    database.query(
      `SELECT ${DELIVERY_COLUMNS} FROM ${own}
       ${page.beforeId === undefined ? '' : 'AND d.id < {beforeId:String}'}
       ORDER BY d.id DESC LIMIT {limit:UInt32}`,
      params,
      deliverySchema,
    ),
    database.query(`SELECT count() AS total FROM ${own}`, params, z.object({ total: countSchema })),
  ]);
  return { deliveries, total: totals[0]?.total ?? 0 };
};

/** A delivery of a family's webhook by id. */
export const findDelivery = async (
  database: Database,
  key: { family: string; webhookId: string; id: string },
): Promise<Delivery | undefined> => {
  const rows = await database.query(
    `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries AS d FINAL
     WHERE d.family = {family:String} AND d.webhook_id = {webhookId:String} AND d.id = {id:String}`,
    key,
    deliverySchema,
  );
  return rows[0];
};
