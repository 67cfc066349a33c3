import { z } from 'zod';
import { wholeNumber } from '../shared/platform/config.ts';

const DAYS_MAX = 36_500;
const days = (byDefault: number) => wholeNumber(1, DAYS_MAX).default(String(byDefault));

/** Retention in days, by kind of rows. Those without a default are kept forever unless set. */
export const retentionFields = {
  /** Alerts. */
  RETENTION_ALERTS_DAYS: days(90),
  /** Webhook deliveries with their bodies: as long as they can be redelivered manually. */
  RETENTION_DELIVERIES_DAYS: days(30),
  /** Requests by key and hour. */
  RETENTION_USAGE_DAYS: days(400),
  /** Earlier verdicts; the current one always remains. */
  RETENTION_VERDICTS_DAYS: wholeNumber(1, DAYS_MAX).optional(),
  /**
   * Facts: transfers, pool events, movements between addresses. Later verdicts use the remaining rows: holders become
   * a lower bound, old rings are not found again.
   */
  RETENTION_FACTS_DAYS: wholeNumber(1, DAYS_MAX).optional(),
} as const;

const retentionSchema = z.object(retentionFields);
type Retention = z.output<typeof retentionSchema>;

/** The time column of rows by table, and the setting of its retention. */
const TABLES: readonly (readonly [keyof Retention, table: string, time: string])[] = [
  ['RETENTION_ALERTS_DAYS', 'alerts', 'toDateTime(created_at)'],
  ['RETENTION_DELIVERIES_DAYS', 'webhook_deliveries', 'toDateTime(created_at)'],
  ['RETENTION_USAGE_DAYS', 'api_requests', 'hour'],
  ['RETENTION_VERDICTS_DAYS', 'verdict_history', 'toDateTime(analyzed_at)'],
  ['RETENTION_FACTS_DAYS', 'fact_transfers', 'timestamp'],
  ['RETENTION_FACTS_DAYS', 'fact_native_transfers', 'timestamp'],
  ['RETENTION_FACTS_DAYS', 'fact_pool_events', 'timestamp'],
  ['RETENTION_FACTS_DAYS', 'fact_market_events', 'timestamp'],
  ['RETENTION_FACTS_DAYS', 'fact_ownership_transfers', 'timestamp'],
  ['RETENTION_FACTS_DAYS', 'fact_failed_sales', 'timestamp'],
  ['RETENTION_FACTS_DAYS', 'graph_facts', 'timestamp'],
];

/** A table as the server describes it. */
export interface DescribedTable {
  readonly name: string;
  /** Its CREATE TABLE, or that of a shard's part. */
  readonly query: string;
}

const DAYS_OF_TTL = / TTL .*toIntervalDay\((\d+)\)/;

/**
 * Statements that apply the configured retention; none for tables that have it already, because the change rewrites a
 * table. Removing a setting removes the expiry.
 */
export const retentionStatements = (
  retention: Retention,
  tables: readonly DescribedTable[],
): string[] =>
  TABLES.flatMap(([setting, table, time]) => {
    const found = tables.find(({ name }) => name === table || name === `${table}_local`);
    const wanted = retention[setting];
    const present = DAYS_OF_TTL.exec(found?.query ?? '')?.[1];
    if (!found || (wanted === undefined ? '' : String(wanted)) === (present ?? '')) return [];
    if (wanted === undefined) return [`ALTER TABLE ${table} REMOVE TTL`];
    return [`ALTER TABLE ${table} MODIFY TTL ${time} + INTERVAL ${wanted} DAY`];
  });
