import { z } from 'zod';
import { PUSH_EVENT_TYPES } from '../events/pushEvent.ts';
import { SEVERITIES } from '../messages/alertMessage.ts';
import { countSchema } from '../messages/schemas.ts';
import type { Clickhouse } from '../platform/clickhouse.ts';
import { DELIVERY_STATUSES, type Delivery, type Webhook } from './webhook.ts';

type Database = Pick<Clickhouse, 'query'>;

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
    events: z.array(z.enum(PUSH_EVENT_TYPES)),
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

/** Redis key of the lock under which the webhooks of a family are changed. */
export const webhooksLock = (family: string): string => `webhooks-lock:${family}`;

const WEBHOOK_COLUMNS = `family, id, url, events, description, filters,
  toString(status) AS status_name, disabled_reason, secret, previous_secret,
  toUnixTimestamp64Milli(previous_secret_until) AS previous_until_ms,
  toUnixTimestamp64Milli(created_at) AS created_at_ms, version AS row_version`;

/** Webhooks of a family, oldest first; only the one with the id where one is given. */
export const readWebhooks = (database: Database, family: string, id?: string): Promise<Webhook[]> =>
  database.query(
    `SELECT ${WEBHOOK_COLUMNS} FROM webhooks FINAL
     WHERE family = {family:String} ${id === undefined ? '' : 'AND id = {id:String}'}
     ORDER BY id`,
    { family, id: id ?? '' },
    webhookRow,
  );

/** Webhooks that events are to be sent to. */
export const readActiveWebhooks = (database: Database): Promise<Webhook[]> =>
  database.query(
    `SELECT ${WEBHOOK_COLUMNS} FROM webhooks FINAL WHERE status = 'active' ORDER BY family, id`,
    {},
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

/** A row of DELIVERY_COLUMNS as a delivery. */
export const deliveryRow = z
  .object({
    family: z.string(),
    webhook_id: z.string(),
    id: z.string(),
    event_id: z.string(),
    type: z.enum(PUSH_EVENT_TYPES),
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

/** What `deliveryRow` reads. */
export const DELIVERY_COLUMNS = `family, webhook_id, id, event_id, type, attempt,
  toString(status) AS status_name, http_status, error, duration_ms,
  toUnixTimestamp64Milli(next_attempt_at) AS next_attempt_ms, payload,
  toUnixTimestamp64Milli(created_at) AS created_at_ms`;

/**
 * Stores deliveries as they stand at a moment (Unix milliseconds); of the same delivery the later
 * one wins.
 */
export const saveDeliveries = (
  database: Pick<Clickhouse, 'insert'>,
  deliveries: readonly { readonly delivery: Delivery; readonly atMs: number }[],
): Promise<void> =>
  database.insert(
    'webhook_deliveries',
    deliveries.map(({ delivery, atMs }) => ({
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
      updated_at: dateTime(atMs),
      version: atMs,
    })),
  );
