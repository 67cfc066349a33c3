import type { Clickhouse } from '../../shared/platform/clickhouse.ts';

/** What queries need of the database. */
export type Database = Pick<Clickhouse, 'query'>;

/**
 * Ends a query that reads a few ranges of a primary key: threads for such a read cost more than the read, and
 * those of many requests at once contend for the same cores.
 */
export const POINT_READ = 'SETTINGS max_threads = 1';
