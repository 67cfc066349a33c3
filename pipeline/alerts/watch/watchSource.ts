import type { NatsConnection } from 'nats';
import { WATCH_CHANGED_SUBJECT } from '../../../shared/messages/subjects.ts';
import { watchChangedSchema, watchItemSchema } from '../../../shared/messages/watchMessage.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { listenTo } from './listen.ts';
import type { WatchSource } from './watchIndex.ts';

/**
 * Items of one page of the snapshot: few, because chain events wait while a page is taken in; not too
 * few, because each page costs ClickHouse as much as half a second where a million items are stored.
 */
const SNAPSHOT_PAGE = 20_000;

// The first condition is for the primary key, which does not use a comparison of tuples.
const pageSql = `SELECT w.family AS family, w.id AS id, toString(w.type) AS type,
    concat('0x', lower(hex(w.address))) AS watched, w.alerts AS alerts,
    toString(w.sensitivity) AS sensitivity, toUnixTimestamp64Milli(w.created_at) AS createdAtMs
  FROM watchlist AS w FINAL
  WHERE w.family >= {family:String} AND (w.family, w.id) > ({family:String}, {id:UInt64})
  ORDER BY w.family, w.id LIMIT ${SNAPSHOT_PAGE}`;
const itemRow = watchItemSchema
  .omit({ address: true })
  .extend({ watched: watchItemSchema.shape.address })
  .transform(({ watched, ...item }) => ({ ...item, address: watched }));

/** Watchlists in ClickHouse, their changes as the API publishes them. */
export const createWatchSource = (
  connection: NatsConnection,
  clickhouse: Clickhouse,
  logger: Logger,
  signal: AbortSignal,
): WatchSource => ({
  listen: (onChange) =>
    listenTo({ connection, logger, signal }, WATCH_CHANGED_SUBJECT, watchChangedSchema, onChange),
  snapshot: async function* () {
    let last = { family: '', id: 0 };
    for (;;) {
      const page = await clickhouse.query(pageSql, last, itemRow);
      yield page;
      const end = page.at(-1);
      if (!end || page.length < SNAPSHOT_PAGE) return;
      last = { family: end.family, id: end.id };
    }
  },
});
