import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { resolveLibchdb } from 'chdb/libchdb';
import { withHostLock } from '../../deploy/local/hostLock.ts';
import { migrate } from '../../migrations/migrate.ts';
import { type Clickhouse, createClickhouse } from '../platform/clickhouse.ts';
import { errorMessage } from '../platform/errors.ts';
import { silentLogger } from '../platform/logger.ts';
import { projectRoot } from '../platform/projectRoot.ts';
import { type ClickhouseService, startClickhouse } from './services.ts';

// To apply all migrations costs a server four seconds of CPU and as much of waiting, and a run of all tests needs
// dozens of servers. So the data of one that has applied them is kept under `.local/cache`, and the others start with
// a copy of it. They are migrated nevertheless, which compares what was applied with the files, as in a deployment.

const CACHE_DIR = join(projectRoot(), '.local/cache');
const PREFIX = 'clickhouse-tables-';
/** Inputs of the tables: if a file in these folders changes, tables are created again. */
const SOURCE_FOLDERS = ['migrations', 'deploy/clickhouse'];
/** Longest wait for another process that creates them, which takes seconds, or a minute on a busy machine. */
const MAKE_WAIT_MS = 180_000;

/** Where the tables of these migrations in this engine are cached. */
export const tablesFolder = async (cacheDir: string): Promise<string> => {
  const library = resolveLibchdb().path;
  const hash = createHash('sha256').update(`${library} ${(await stat(library)).size}`);
  for (const folder of SOURCE_FOLDERS.map((name) => join(projectRoot(), name))) {
    const files = (await readdir(folder, { withFileTypes: true })).filter((file) => file.isFile());
    for (const name of files.map((file) => file.name).sort()) {
      hash.update(`\n${name}\n`).update(await readFile(join(folder, name)));
    }
  }
  return join(cacheDir, `${PREFIX}${hash.digest('hex').slice(0, 32)}`);
};

/**
 * Copies a folder's contents with a program: half the CPU time of Node's own copying of hundreds of small files.
 */
const copyFolder = (from: string, to: string): void => {
  execFileSync('cp', ['-a', '-T', from, to]);
};

/**
 * Caches the data of a server that has applied all migrations, completely or not at all, and nothing of other
 * migrations.
 */
const makeTables = async (folder: string): Promise<void> => {
  const server = await startClickhouse();
  try {
    const clickhouse = createClickhouse({ url: server.url });
    const applied: Readonly<Record<string, unknown>>[] = [];
    // Recorded in one insert at the end: each insert creates a dozen files, which every copy would contain.
    const insert: Clickhouse['insert'] = async (_table, rows) => void applied.push(...rows);
    await migrate({ ...clickhouse, insert }, silentLogger);
    await clickhouse.insert('schema_migrations', applied);
    await clickhouse.close();
    await server.kill();
    await rm(join(server.dataDir, 'store/data/system'), { recursive: true, force: true });
    const unfinished = `${folder}.${randomUUID()}`;
    copyFolder(server.dataDir, unfinished);
    await rename(unfinished, folder);
  } finally {
    await server.stop();
  }
  const names = await readdir(dirname(folder));
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== basename(folder));
  await Promise.all(
    old.map((name) => rm(join(dirname(folder), name), { recursive: true, force: true })),
  );
};

/** One process creates the cache if there is none, and the others wait for it. */
const provideTables = async (folder: string): Promise<void> => {
  if (existsSync(folder)) return;
  await withHostLock(folder, MAKE_WAIT_MS, async () => {
    if (!existsSync(folder)) await makeTables(folder);
  });
};

const migrated = async (server: ClickhouseService): Promise<ClickhouseService> => {
  const clickhouse = createClickhouse({ url: server.url });
  try {
    await migrate(clickhouse, silentLogger);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  } finally {
    await clickhouse.close();
  }
};

const startFromTables = async (folder: string): Promise<ClickhouseService> => {
  await provideTables(folder);
  return migrated(await startClickhouse({ fill: (dataDir) => copyFolder(folder, dataDir) }));
};

/** ClickHouse with all tables of the database `tsd`, all empty: a copy from the cache. */
export const startMigratedClickhouse = async (cacheDir = CACHE_DIR): Promise<ClickhouseService> => {
  try {
    return await startFromTables(await tablesFolder(cacheDir));
  } catch (error) {
    process.emitWarning(`migrations are applied, for no tables are kept: ${errorMessage(error)}`);
    return startMigratingClickhouse();
  }
};

/** The same by applying the migrations: for measurements, and for tests of a deployment. */
export const startMigratingClickhouse = async (): Promise<ClickhouseService> =>
  migrated(await startClickhouse());
