import { z } from 'zod';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import { ALERT_TYPES, SENSITIVITIES, type WatchItem } from '../../shared/messages/watchMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Database } from '../tokens/verdict.ts';

const ITEM_COLUMNS = `
  family, id, toString(type) AS type_name, concat('0x', lower(hex(address))) AS address_hex, alerts,
  toString(sensitivity) AS sensitivity_name, toUnixTimestamp64Milli(created_at) AS created_at_ms`;

const itemRow = z
  .object({
    family: z.string(),
    id: countSchema,
    type_name: z.enum(['token', 'wallet']),
    address_hex: addressSchema,
    alerts: z.array(z.enum(ALERT_TYPES)),
    sensitivity_name: z.enum(SENSITIVITIES),
    created_at_ms: countSchema,
  })
  .transform(
    (row): WatchItem => ({
      family: row.family,
      id: row.id,
      type: row.type_name,
      address: row.address_hex,
      alerts: row.alerts,
      sensitivity: row.sensitivity_name,
      createdAtMs: row.created_at_ms,
    }),
  );

const totalRow = z.object({ total: countSchema });

/** One page of a family's watchlist, newest first, and how many items match. */
export const listWatchItems = async (
  database: Database,
  page: {
    family: string;
    type?: 'token' | 'wallet' | undefined;
    limit: number;
    offset: number;
    before?: { createdAtMs: number; id: number } | undefined;
  },
): Promise<{ items: WatchItem[]; total: number }> => {
  const condition = `family = {family:String} ${page.type ? 'AND type = {type:String}' : ''}`;
  const place = page.before
    ? "AND (created_at, id) < (fromUnixTimestamp64Milli({beforeMs:Int64}, 'UTC'), {beforeId:UInt64})"
    : '';
  const params = {
    family: page.family,
    type: page.type ?? '',
    limit: page.limit,
    offset: page.before ? 0 : page.offset,
    beforeMs: page.before?.createdAtMs ?? 0,
    beforeId: page.before?.id ?? 0,
  };
  const [items, totals] = await Promise.all([
    database.query(
      `SELECT ${ITEM_COLUMNS} FROM watchlist FINAL WHERE ${condition} ${place}
       ORDER BY created_at DESC, id DESC LIMIT {limit:UInt32} OFFSET {offset:UInt32}`,
      params,
      itemRow,
    ),
    database.query(
      `SELECT count() AS total FROM watchlist FINAL WHERE ${condition}`,
      params,
      totalRow,
    ),
  ]);
  return { items, total: totals[0]?.total ?? 0 };
};

/** A family's item by id. */
export const findWatchItem = async (
  database: Database,
  family: string,
  id: number,
): Promise<WatchItem | undefined> => {
  const rows = await database.query(
    `SELECT ${ITEM_COLUMNS} FROM watchlist FINAL WHERE family = {family:String} AND id = {id:UInt64}`,
    { family, id },
    itemRow,
  );
  return rows[0];
};

/** A family's item that was removed, by id. */
export const findRemovedWatchItem = async (
  database: Database,
  family: string,
  id: number,
): Promise<WatchItem | undefined> => {
  const rows = await database.query(
    `SELECT ${ITEM_COLUMNS} FROM watchlist
     WHERE family = {family:String} AND id = {id:UInt64} AND is_deleted = 1 LIMIT 1`,
    { family, id },
    itemRow,
  );
  return rows[0];
};

/** A family's item by what it watches. */
export const findWatchOf = async (
  database: Database,
  watch: Pick<WatchItem, 'family' | 'type' | 'address'>,
): Promise<WatchItem | undefined> => {
  const rows = await database.query(
    `SELECT ${ITEM_COLUMNS} FROM watchlist FINAL
     WHERE family = {family:String} AND type = {type:String} AND address = unhex({address:String})`,
    { family: watch.family, type: watch.type, address: watch.address.slice(2) },
    itemRow,
  );
  return rows[0];
};

/** Stores an item, or its removal: rows of a higher version win. */
export const saveWatchItem = async (
  database: Pick<Clickhouse, 'exec'>,
  item: WatchItem,
  change: 'added' | 'removed',
): Promise<void> => {
  await database.exec(
    `INSERT INTO watchlist
       (family, id, type, address, alerts, sensitivity, created_at, version, is_deleted)
     SELECT {family:String}, {id:UInt64}, {type:String}, unhex({address:String}),
       {alerts:Array(String)}, {sensitivity:String},
       fromUnixTimestamp64Milli({createdAtMs:Int64}, 'UTC'), {version:UInt64}, {isDeleted:UInt8}`,
    {
      ...item,
      address: item.address.slice(2),
      version: change === 'added' ? 1 : 2,
      isDeleted: change === 'added' ? 0 : 1,
    },
  );
};

/** Names of the tokens among some addresses, where they were analysed. */
export const tokenNames = async (
  database: Database,
  chainId: number,
  addresses: readonly string[],
): Promise<Map<string, string>> => {
  const rows = await database.query(
    `SELECT concat('0x', lower(hex(token))) AS token_hex, name FROM token_verdicts FINAL
     WHERE chain_id = {chainId:UInt64}
       AND token IN (SELECT toFixedString(unhex(arrayJoin({addresses:Array(String)})), 20))`,
    { chainId, addresses: addresses.map((address) => address.slice(2)) },
    z.object({ token_hex: addressSchema, name: z.string() }),
  );
  return new Map(rows.map((row) => [row.token_hex, row.name]));
};
