import { z } from 'zod';
import type { Clickhouse } from '../../shared/adapters/clickhouse.ts';
import { countSchema } from '../../shared/messages/schemas.ts';
import type { HourOfRequests, UsageHour } from '../usage/usage.ts';
import type { Database } from './verdict.ts';

/** Adds sums of requests; the table adds up rows of the same hour. */
export const saveRequests = (
  database: Pick<Clickhouse, 'insert'>,
  sums: readonly HourOfRequests[],
): Promise<void> =>
  database.insert(
    'api_requests',
    sums.map((sum) => ({
      family: sum.family,
      hour: sum.hourS,
      key_id: sum.keyId,
      operation: sum.operation,
      requests: sum.requests,
      errors: sum.errors,
      ms: sum.ms,
      last_at: sum.lastAtMs,
    })),
  );

/** Requests of a key family by hour since `fromS` (Unix seconds), oldest first. */
export const readUsageHours = async (
  database: Database,
  family: string,
  fromS: number,
): Promise<UsageHour[]> => {
  const rows = await database.query(
    `SELECT toUnixTimestamp(hour) AS hour_s, sum(requests) AS requests_sum, sum(errors) AS errors_sum
     FROM api_requests
     WHERE family = {family:String} AND hour >= toDateTime({fromS:UInt32}, 'UTC')
     GROUP BY hour ORDER BY hour`,
    { family, fromS },
    z.object({ hour_s: countSchema, requests_sum: countSchema, errors_sum: countSchema }),
  );
  return rows.map((row) => ({
    hourS: row.hour_s,
    requests: row.requests_sum,
    errors: row.errors_sum,
  }));
};
