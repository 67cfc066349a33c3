import { createHash, randomUUID } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { resolveLibchdb } from 'chdb/libchdb';
import { z } from 'zod';
import { withHostLock } from '../../deploy/local/hostLock.ts';
import { migrate } from '../../migrations/migrate.ts';
import { type Clickhouse, createClickhouse } from '../platform/clickhouse.ts';
import { errorMessage } from '../platform/errors.ts';
import { silentLogger } from '../platform/logger.ts';
import { projectRoot } from '../platform/projectRoot.ts';
import { type ClickhouseService, startClickhouse } from './services.ts';

const entrySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), path: z.string() }),
  z.object({ kind: z.literal('link'), path: z.string(), target: z.string() }),
  z.object({ kind: z.literal('file'), path: z.string(), base64: z.string() }),
]);

/** One thing in a folder, its path relative to it; a folder comes before what it holds. */
type FolderEntry = z.infer<typeof entrySchema>;

const entriesIn = (root: string, folder: string): FolderEntry[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((found): FolderEntry[] => {
    const full = join(folder, found.name);
    const path = relative(root, full);
    if (found.isDirectory()) return [{ kind: 'folder', path }, ...entriesIn(root, full)];
    if (found.isSymbolicLink()) return [{ kind: 'link', path, target: readlinkSync(full) }];
    return [{ kind: 'file', path, base64: readFileSync(full).toString('base64') }];
  });

/** A folder of a few megabytes in one piece: its files, empty folders too, and links as they are. */
export const packFolder = (folder: string): Buffer =>
  gzipSync(JSON.stringify(entriesIn(folder, folder)));

/**
 * What `packFolder` packed.
 * @throws Error when the archive is cut off or damaged, as the checksum of gzip shows
 */
export const readPacked = (archive: Buffer): FolderEntry[] =>
  entrySchema.array().parse(JSON.parse(gunzipSync(archive).toString()));

/** Writes what was packed into an empty folder: files of its own, which share nothing with the archive. */
export const writeEntries = (entries: readonly FolderEntry[], folder: string): void => {
  for (const entry of entries) {
    const path = join(folder, entry.path);
    if (entry.kind === 'folder') mkdirSync(path);
    else if (entry.kind === 'link') symlinkSync(entry.target, path);
    else writeFileSync(path, Buffer.from(entry.base64, 'base64'));
  }
};

// To apply all migrations costs a server four seconds of CPU and as much of waiting, and a run of all tests needs
// dozens of servers. So the data of one that has applied them is kept under `.local/cache`, and the others start with
// a copy of it. They are migrated nevertheless, which compares what was applied with the files, as in a deployment.

const CACHE_DIR = join(projectRoot(), '.local/cache');
const FILE_PREFIX = 'clickhouse-tables-';
/** What tables are made from: where a file of these folders changes, tables are made again. */
const SOURCE_FOLDERS = ['migrations', 'deploy/clickhouse'];
/** Longest wait for another process which makes them; that takes seconds, or a minute on a busy machine. */
const MAKE_WAIT_MS = 180_000;

/** Where the tables of these migrations in this engine are kept. */
export const tablesFile = async (cacheDir: string): Promise<string> => {
  const library = resolveLibchdb().path;
  const hash = createHash('sha256').update(`${library} ${(await stat(library)).size}`);
  for (const folder of SOURCE_FOLDERS.map((name) => join(projectRoot(), name))) {
    const files = (await readdir(folder, { withFileTypes: true })).filter((file) => file.isFile());
    for (const name of files.map((file) => file.name).sort()) {
      hash.update(`\n${name}\n`).update(await readFile(join(folder, name)));
    }
  }
  return join(cacheDir, `${FILE_PREFIX}${hash.digest('hex').slice(0, 32)}.json.gz`);
};

/** What is kept; undefined where nothing is, or where it is damaged. */
const readTables = async (file: string): Promise<FolderEntry[] | undefined> => {
  try {
    return readPacked(await readFile(file));
  } catch {
    return undefined;
  }
};

/** The data of a server that has applied all migrations. */
const makeTables = async (): Promise<Buffer> => {
  const server = await startClickhouse();
  try {
    const clickhouse = createClickhouse({ url: server.url });
    const applied: Readonly<Record<string, unknown>>[] = [];
    // Noted in one insert at the end: each makes a dozen files, which every copy would have.
    const insert: Clickhouse['insert'] = async (_table, rows) => void applied.push(...rows);
    await migrate({ ...clickhouse, insert }, silentLogger);
    await clickhouse.insert('schema_migrations', applied);
    await clickhouse.close();
    await server.kill();
    await rm(join(server.dataDir, 'store/data/system'), { recursive: true, force: true });
    return packFolder(server.dataDir);
  } finally {
    await server.stop();
  }
};

/** Keeps an archive, whole or not at all, and nothing of other migrations. */
const keepTables = async (file: string, archive: Buffer): Promise<void> => {
  const folder = dirname(file);
  await mkdir(folder, { recursive: true });
  const unfinished = `${file}.${randomUUID()}`;
  await writeFile(unfinished, archive);
  await rename(unfinished, file);
  const names = await readdir(folder);
  const old = names.filter((name) => name.startsWith(FILE_PREFIX) && name !== basename(file));
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
};

/** What is kept. One process makes it where there is nothing, and the others wait for it. */
const provideTables = async (file: string): Promise<FolderEntry[]> =>
  (await readTables(file)) ??
  withHostLock(file, MAKE_WAIT_MS, async () => {
    const made = await readTables(file);
    if (made !== undefined) return made;
    const archive = await makeTables();
    await keepTables(file, archive);
    return readPacked(archive);
  });

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

const startFromTables = async (file: string): Promise<ClickhouseService> => {
  const tables = await provideTables(file);
  return migrated(await startClickhouse({ fill: (dataDir) => writeEntries(tables, dataDir) }));
};

/** ClickHouse with all tables of the database `tsd`, all of them empty: a copy of those that are kept. */
export const startMigratedClickhouse = async (cacheDir = CACHE_DIR): Promise<ClickhouseService> => {
  try {
    return await startFromTables(await tablesFile(cacheDir));
  } catch (error) {
    process.emitWarning(`migrations are applied, for no tables are kept: ${errorMessage(error)}`);
    return startMigratingClickhouse();
  }
};

/** The same by applying the migrations: for what measures, or shows how a deployment behaves. */
export const startMigratingClickhouse = async (): Promise<ClickhouseService> =>
  migrated(await startClickhouse());
