import type { Clickhouse } from '../platform/clickhouse.ts';
import type { Delivery } from './webhook.ts';

/** Unix milliseconds in the text form of a DateTime64(3, 'UTC'). */
const dateTime = (ms: number): string => new Date(ms).toISOString().slice(0, 23).replace('T', ' ');

/** Columns of `webhook_deliveries AS d` for `deliverySchema`. */
export const DELIVERY_COLUMNS = `d.family AS family, d.webhook_id AS webhookId, d.id AS id, d.event_id AS eventId, d.type AS type,
  d.attempt AS attempt, toString(d.status) AS status, d.http_status AS httpStatus, d.error AS error,
  d.duration_ms AS durationMs, nullIf(toUnixTimestamp64Milli(d.next_attempt_at), 0) AS nextAttemptAtMs,
  d.payload AS payload, toUnixTimestamp64Milli(d.created_at) AS createdAtMs`;

/** Stores deliveries as of a time (Unix milliseconds); the latest row of a delivery wins. */
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
