import { z } from 'zod';
import { PUSH_EVENT_TYPES } from '../events/pushEvent.ts';
import { countSchema } from '../messages/schemas.ts';
import type { Clickhouse } from '../platform/clickhouse.ts';
import { DELIVERY_STATUSES, type Delivery } from './webhook.ts';

/** Unix milliseconds as a DateTime64(3, 'UTC') reads them. */
const dateTime = (ms: number): string => new Date(ms).toISOString().slice(0, 23).replace('T', ' ');

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
 * Stores deliveries as of a moment (Unix milliseconds); of the same delivery the later
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
