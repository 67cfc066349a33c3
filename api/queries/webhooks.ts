import { z } from 'zod';
import type { Clickhouse } from '../../shared/adapters/clickhouse.ts';
import { SEVERITIES } from '../../shared/messages/alertMessage.ts';
import { countSchema } from '../../shared/messages/schemas.ts';
import {
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryPage,
  WEBHOOK_EVENTS,
  type Webhook,
} from '../webhooks/webhook.ts';
import type { Database } from './verdict.ts';

const filtersText = z
  .string()
  .transform((text) => JSON.parse(text) as unknown)
  .pipe(
    z
      .object({
        addresses: z.array(z.string()).optional(),
        min_severity: z.enum(SEVERITIES).optional(),
        min_confidence: z.number().optional(),
      })
      .nullable(),
  );

const webhookRow = z
  .object({
    family: z.string(),
    id: z.string(),
    url: z.string(),
    events: z.array(z.enum(WEBHOOK_EVENTS)),
    description: z.string().nullable(),
    filters: filtersText,
    status_name: z.enum(['active', 'paused', 'disabled']),
    disabled_reason: z.string().nullable(),
    secret: z.string(),
    previous_secret: z.string(),
    previous_until_ms: countSchema,
    created_at_ms: countSchema,
    row_version: countSchema,
  })
  .transform(
    (row): Webhook => ({
      family: row.family,
      id: row.id,
      url: row.url,
      events: row.events,
      description: row.description,
      filters: row.filters,
      status: row.status_name,
      disabledReason: row.disabled_reason,
      secret: row.secret,
      previousSecret: row.previous_secret,
      previousSecretUntilMs: row.previous_until_ms,
      createdAtMs: row.created_at_ms,
      version: row.row_version,
    }),
  );

/** Webhooks of a family, oldest first; only the one with the id where one is given. */
export const readWebhooks = (database: Database, family: string, id?: string): Promise<Webhook[]> =>
  database.query(
    `SELECT family, id, url, events, description, filters, toString(status) AS status_name,
       disabled_reason, secret, previous_secret,
       toUnixTimestamp64Milli(previous_secret_until) AS previous_until_ms,
       toUnixTimestamp64Milli(created_at) AS created_at_ms, version AS row_version
     FROM webhooks FINAL
     WHERE family = {family:String} ${id === undefined ? '' : 'AND id = {id:String}'}
     ORDER BY id`,
    { family, id: id ?? '' },
    webhookRow,
  );

/** Unix milliseconds as a DateTime64(3, 'UTC') reads them. */
const dateTime = (ms: number): string => new Date(ms).toISOString().slice(0, 23).replace('T', ' ');

/** Stores a webhook, or its removal; the higher version wins. */
export const saveWebhook = (
  database: Pick<Clickhouse, 'insert'>,
  webhook: Webhook,
  options: { isDeleted: boolean } = { isDeleted: false },
): Promise<void> =>
  database.insert('webhooks', [
    {
      family: webhook.family,
      id: webhook.id,
      url: webhook.url,
      events: webhook.events,
      description: webhook.description,
      filters: JSON.stringify(webhook.filters),
      status: webhook.status,
      disabled_reason: webhook.disabledReason,
      secret: webhook.secret,
      previous_secret: webhook.previousSecret,
      previous_secret_until: dateTime(webhook.previousSecretUntilMs),
      created_at: dateTime(webhook.createdAtMs),
      version: webhook.version,
      is_deleted: options.isDeleted ? 1 : 0,
    },
  ]);

/** Newest deliveries of one webhook that its state is told from. */
const STATE_DELIVERIES_MAX = 500;

const stateRow = z.object({
  webhook_id: z.string(),
  last_ms: countSchema,
  failures: countSchema,
});

/** How the deliveries of a family's webhooks fare. */
export const deliveryStates = async (
  database: Database,
  family: string,
  ids: readonly string[],
): Promise<Map<string, { lastDeliveryAtMs: number; failureCount: number }>> => {
  if (ids.length === 0) return new Map();
  const rows = await database.query(
    `SELECT webhook_id, toUnixTimestamp64Milli(max(updated_at)) AS last_ms,
       countIf(status IN ('failed', 'exhausted') AND id > last_success) AS failures
     FROM (SELECT webhook_id, id, status, updated_at,
         maxIf(id, status = 'delivered') OVER (PARTITION BY webhook_id) AS last_success
       FROM (SELECT webhook_id, id, status, updated_at FROM webhook_deliveries FINAL
         WHERE family = {family:String} AND webhook_id IN {ids:Array(String)}
           AND status != 'pending'
         ORDER BY webhook_id, id DESC LIMIT ${STATE_DELIVERIES_MAX} BY webhook_id))
     GROUP BY webhook_id`,
    { family, ids },
    stateRow,
  );
  return new Map(
    rows.map((row) => [
      row.webhook_id,
      { lastDeliveryAtMs: row.last_ms, failureCount: row.failures },
    ]),
  );
};

const deliveryRow = z
  .object({
    family: z.string(),
    webhook_id: z.string(),
    id: z.string(),
    event_id: z.string(),
    type: z.enum(WEBHOOK_EVENTS),
    attempt: countSchema,
    status_name: z.enum(DELIVERY_STATUSES),
    http_status: countSchema.nullable(),
    error: z.string().nullable(),
    duration_ms: countSchema.nullable(),
    next_attempt_ms: countSchema,
    payload: z.string(),
    created_at_ms: countSchema,
  })
  .transform(
    (row): Delivery => ({
      family: row.family,
      webhookId: row.webhook_id,
      id: row.id,
      eventId: row.event_id,
      type: row.type,
      attempt: row.attempt,
      status: row.status_name,
      httpStatus: row.http_status,
      error: row.error,
      durationMs: row.duration_ms,
      nextAttemptAtMs: row.next_attempt_ms === 0 ? null : row.next_attempt_ms,
      payload: row.payload,
      createdAtMs: row.created_at_ms,
    }),
  );

const DELIVERY_COLUMNS = `family, webhook_id, id, event_id, type, attempt,
  toString(status) AS status_name, http_status, error, duration_ms,
  toUnixTimestamp64Milli(next_attempt_at) AS next_attempt_ms, payload,
  toUnixTimestamp64Milli(created_at) AS created_at_ms`;

/** One page of the deliveries of a webhook, newest first, and how many match. */
export const listDeliveries = async (
  database: Database,
  page: DeliveryPage,
): Promise<{ deliveries: Delivery[]; total: number }> => {
  const own = `webhook_deliveries FINAL
    WHERE family = {family:String} AND webhook_id = {webhookId:String}
    ${page.status ? 'AND status = {status:String}' : ''}`;
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
       ${page.beforeId === undefined ? '' : 'AND id < {beforeId:String}'}
       ORDER BY id DESC LIMIT {limit:UInt32}`,
      params,
      deliveryRow,
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
    `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries FINAL
     WHERE family = {family:String} AND webhook_id = {webhookId:String} AND id = {id:String}`,
    key,
    deliveryRow,
  );
  return rows[0];
};

/** Stores a delivery as it stands at a moment (Unix milliseconds); the later one wins. */
export const saveDelivery = (
  database: Pick<Clickhouse, 'insert'>,
  delivery: Delivery,
  nowMs: number,
): Promise<void> =>
  database.insert('webhook_deliveries', [
    {
      family: delivery.family,
      webhook_id: delivery.webhookId,
      id: delivery.id,
      event_id: delivery.eventId,
      type: delivery.type,
      attempt: delivery.attempt,
      status: delivery.status,
      http_status: delivery.httpStatus,
      error: delivery.error,
      duration_ms: delivery.durationMs,
      next_attempt_at: dateTime(delivery.nextAttemptAtMs ?? 0),
      payload: delivery.payload,
      created_at: dateTime(delivery.createdAtMs),
      updated_at: dateTime(nowMs),
      version: nowMs,
    },
  ]);
