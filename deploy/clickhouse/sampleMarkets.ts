import { readFileSync } from 'node:fs';
import { splitStatements } from '../../migrations/statements.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';

/** Milliseconds a query of the document may take. */
export const QUERY_MS_MAX = 60_000;

/** Fills the tables with what QUESTIONS.md is asked of. */
export const fillSample = async (database: Pick<Clickhouse, 'exec'>): Promise<void> => {
  const sql = readFileSync(new URL('./sampleMarkets.sql', import.meta.url), 'utf8');
  for (const statement of splitStatements(sql)) await database.exec(statement);
};
