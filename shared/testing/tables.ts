import { after } from 'node:test';
import { z } from 'zod';
import { createClickhouse } from '../platform/clickhouse.ts';
import { startMigratedClickhouse } from './migratedClickhouse.ts';

/** ClickHouse with all tables: one for all test files of a process, each of which empties them first. */
export const server = await startMigratedClickhouse();
/** A client of it. */
export const clickhouse = createClickhouse({ url: server.url });
after(async () => {
  await clickhouse.close();
  await server.stop();
});

const FILLED_SQL = `SELECT name FROM system.tables
  WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND total_rows > 0 AND name != 'schema_migrations'`;

/** Removes every row. */
export const emptyTables = async (): Promise<void> => {
  const filled = await clickhouse.query(FILLED_SQL, {}, z.object({ name: z.string() }));
  for (const { name } of filled) await clickhouse.exec(`TRUNCATE TABLE ${name}`);
};
