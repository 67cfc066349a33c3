import DataLoader from 'dataloader';
import { z } from 'zod';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { DELIVERY_COLUMNS, saveDeliveries } from '../../shared/webhooks/deliveryRows.ts';
import { type Delivery, deliverySchema } from '../../shared/webhooks/webhook.ts';

const ROWS_PER_INSERT_MAX = 1_000;
/** Deliveries found again at a time. */
const OVERDUE_MAX = 1_000;
const OVERDUE_DAYS_MAX = 6;

type Row = { readonly delivery: Delivery; readonly atMs: number };

/** Rows that arrive while an insert runs go into the next one together: few inserts under any load. */
const createBatchWriter = (insert: (rows: readonly Row[]) => Promise<void>) => {
  let last: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<Row, void>(
    async (rows) => {
      const inserting = insert(rows);
      last = inserting.catch(() => undefined);
      await inserting;
      return rows.map(() => undefined);
    },
    {
      cache: false,
      maxBatchSize: ROWS_PER_INSERT_MAX,
      batchScheduleFn: (begin) => void last.then(begin),
    },
  );
  return (row: Row): Promise<void> => loader.load(row);
};

const OWN = `family IN {families:Array(String)} AND webhook_id IN {webhooks:Array(String)}
  AND id IN {ids:Array(String)}`;
type DeliveryKey = Pick<Delivery, 'family' | 'webhookId' | 'id'>;
const ownParams = (keys: readonly DeliveryKey[]) => ({
  families: [...new Set(keys.map(({ family }) => family))],
  webhooks: [...new Set(keys.map(({ webhookId }) => webhookId))],
  ids: keys.map(({ id }) => id),
});

/** Deliveries in ClickHouse. */
export const createDeliveryStore = (database: Pick<Clickhouse, 'query' | 'insert'>) => {
  const write = createBatchWriter((rows) => saveDeliveries(database, rows));
  return {
    /** Stores deliveries before their first attempt; idempotent. */
    add: async (deliveries: readonly Delivery[]): Promise<void> => {
      // The version is the same at every repetition, and lower than that of any attempt.
      const rows = deliveries.map((delivery) => ({ delivery, atMs: delivery.createdAtMs }));
      await saveDeliveries(database, rows);
    },
    /**
     * Stores the current state of a delivery: the later attempt wins even if the clock that created the event is
     * ahead.
     */
    save: (delivery: Delivery, nowMs: number): Promise<void> =>
      write({ delivery, atMs: Math.max(nowMs, delivery.createdAtMs + delivery.attempt + 1) }),
    /** Those deliveries that have been attempted before. */
    attempted: async (deliveries: readonly Delivery[]): Promise<Set<string>> => {
      if (deliveries.length === 0) return new Set();
      const sql = `SELECT DISTINCT id FROM webhook_deliveries WHERE ${OWN} AND attempt > 0`;
      const rows = await database.query(sql, ownParams(deliveries), z.object({ id: z.string() }));
      return new Set(rows.map(({ id }) => id));
    },
    /** The bodies of deliveries by id; without those that are no longer stored. */
    payloads: async (keys: readonly DeliveryKey[]): Promise<Map<string, string>> => {
      if (keys.length === 0) return new Map();
      const sql = `SELECT id, payload FROM webhook_deliveries WHERE ${OWN} LIMIT 1 BY id`;
      const row = z.object({ id: z.string(), payload: z.string() });
      const rows = await database.query(sql, ownParams(keys), row);
      return new Map(rows.map(({ id, payload }) => [id, payload]));
    },
    /**
     * Deliveries whose next attempt was due before this time. If there are many, a different selection each time:
     * most of them may well be scheduled, for a receiver that is down.
     */
    overdue: (beforeMs: number): Promise<Delivery[]> =>
      database.query(
        `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries AS d FINAL
         WHERE d.created_at > now() - INTERVAL ${OVERDUE_DAYS_MAX} DAY
           AND d.status IN ('pending', 'failed')
           AND d.next_attempt_at > toDateTime64(0, 3) AND d.next_attempt_at < fromUnixTimestamp64Milli({beforeMs:Int64})
         ORDER BY rand() LIMIT ${OVERDUE_MAX}`,
        { beforeMs },
        deliverySchema,
      ),
  };
};
/** The table `webhook_deliveries`. Its calls throw RetryableError while ClickHouse is unavailable. */
export type DeliveryStore = ReturnType<typeof createDeliveryStore>;
