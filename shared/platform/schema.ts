import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Clickhouse, isNoTable } from './clickhouse.ts';
import { errorMessage, FatalError, RetryableError } from './errors.ts';
import type { Logger } from './logger.ts';
import { projectRoot } from './projectRoot.ts';

const appliedSchema = z.object({ name: z.string() });

const readApplied = async (database: Pick<Clickhouse, 'query'>): Promise<string[]> => {
  try {
    const rows = await database.query('SELECT name FROM schema_migrations', {}, appliedSchema);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (isNoTable(error)) return [];
    throw error;
  }
};

/**
 * Refuses tables that lack a migration this code needs. Later migrations are accepted, because during an upgrade
 * roles of the previous release run on the tables of the next. If ClickHouse is unavailable, nothing is checked,
 * because roles start without it.
 * @throws FatalError that names the missing migrations and `make migrate`
 */
export const checkSchema = async (
  database: Pick<Clickhouse, 'ping' | 'query'>,
  logger: Logger,
): Promise<void> => {
  const files = await readdir(join(projectRoot(), 'migrations'));
  try {
    // With a server that hangs, this fails within seconds.
    await database.ping();
    const applied = new Set(await readApplied(database));
    const missing = files.filter((name) => name.endsWith('.sql') && !applied.has(name)).sort();
    if (missing.length === 0) return;
    throw new FatalError(
      `ClickHouse lacks ${missing.join(', ')}: run the migrations of this release first (make migrate)`,
    );
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    logger.warn({ err: error }, `migrations are not checked: ${errorMessage(error)}`);
  }
};
