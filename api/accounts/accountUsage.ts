import { z } from 'zod';
import { countSchema } from '../../shared/messages/schemas.ts';
import type { Database } from '../../shared/platform/clickhouse.ts';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const OPERATIONS_MAX = 8;

/** How much the keys of some families were used. */
export interface AccountUsage {
  /** By key id: requests of the last 24 hours, and when the key was last used. */
  readonly keys: ReadonlyMap<string, { requestsOfDay: number; lastAtMs: number }>;
  readonly today: UsageSum;
  readonly month: UsageSum;
  readonly total: UsageSum;
  /** The most used operations of the last 30 days. */
  readonly operations: readonly (UsageSum & { operation: string })[];
}

const SUMS = 'sum(r.requests) AS requests, sum(r.errors) AS errors, sum(r.ms) AS ms';
/**
 * Requests of a time span added up: their number, how many were answered with status 400 or above, and their total
 * milliseconds.
 */
const sumRow = z.object({ requests: countSchema, errors: countSchema, ms: z.number() });
type UsageSum = z.output<typeof sumRow>;
/** One step of a chart; it begins at `atS`, in Unix seconds. */
const pointRow = sumRow.extend({ atS: countSchema });
export type UsagePoint = z.output<typeof pointRow>;
const NOTHING: UsageSum = { requests: 0, errors: 0, ms: 0 };

const FAMILIES = 'family IN {families:Array(String)}';

const readSum = async (
  database: Database,
  families: readonly string[],
  fromS: number,
): Promise<UsageSum> => {
  const [row] = await database.query(
    `SELECT ${SUMS} FROM api_requests AS r WHERE ${FAMILIES} AND hour >= toDateTime({fromS:UInt32}, 'UTC')`,
    { families: [...families], fromS },
    sumRow,
  );
  return row ?? NOTHING;
};

const readKeys = async (database: Database, families: readonly string[], nowS: number) => {
  const rows = await database.query(
    `SELECT key_id AS id, sumIf(requests, hour > toDateTime({fromS:UInt32}, 'UTC')) AS requestsOfDay,
       toUnixTimestamp64Milli(max(last_at)) AS lastAtMs
     FROM api_requests WHERE ${FAMILIES} GROUP BY key_id`,
    { families: [...families], fromS: Math.max(0, nowS - DAY_S) },
    z.object({ id: z.string(), requestsOfDay: countSchema, lastAtMs: countSchema }),
  );
  return new Map(rows.map(({ id, ...used }) => [id, used]));
};

const readOperations = (database: Database, families: readonly string[], nowS: number) => {
  return database.query(
    `SELECT operation, ${SUMS} FROM api_requests AS r
     WHERE ${FAMILIES} AND hour >= toDateTime({fromS:UInt32}, 'UTC')
     GROUP BY operation ORDER BY requests DESC, operation LIMIT ${OPERATIONS_MAX}`,
    { families: [...families], fromS: Math.max(0, nowS - 30 * DAY_S) },
    sumRow.extend({ operation: z.string() }),
  );
};

/**
 * The use of all keys of some families. Day and month are those of UTC.
 * @param nowS Unix seconds.
 */
export const readAccountUsage = async (
  database: Database,
  families: readonly string[],
  nowS: number,
): Promise<AccountUsage> => {
  if (families.length === 0) {
    return { keys: new Map(), today: NOTHING, month: NOTHING, total: NOTHING, operations: [] };
  }
  const now = new Date(nowS * 1000);
  const monthS = Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) / 1000;
  const [keys, today, month, total, operations] = await Promise.all([
    readKeys(database, families, nowS),
    readSum(database, families, nowS - (nowS % DAY_S)),
    readSum(database, families, monthS),
    readSum(database, families, 0),
    readOperations(database, families, nowS),
  ]);
  return { keys, today, month, total, operations };
};

/** Requests per hour since `fromS` (Unix seconds), oldest first; hours without requests are left out. */
export const readAccountHours = async (
  database: Database,
  families: readonly string[],
  fromS: number,
): Promise<UsagePoint[]> => {
  if (families.length === 0) return [];
  return database.query(
    `SELECT toUnixTimestamp(hour) AS atS, ${SUMS} FROM api_requests AS r
     WHERE ${FAMILIES} AND hour >= toDateTime({fromS:UInt32}, 'UTC')
     GROUP BY hour ORDER BY hour`,
    { families: [...families], fromS },
    pointRow,
  );
};
