import { existsSync, renameSync, rmSync } from 'node:fs';
import { NatsError } from 'nats';
import { z } from 'zod';
import { type Clickhouse, createClickhouse } from '../../shared/platform/clickhouse.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import { connectNats } from '../../shared/platform/nats.ts';
import { openFolder } from '../openFolder.ts';
import { fingerprintOf, type Manifest, type TableBackup, writeManifest } from './manifest.ts';
import { dumpRedis } from './redisSnapshot.ts';
import { dumpStream, markStreams } from './streams.ts';
import { dumpTable, LEDGER_TABLE, sourceTables } from './tables.ts';

/** The stores of one stack. */
export type Stores = {
  clickhouseUrl: string;
  redisUrl: string;
  natsUrl: string;
  keyPepper: string;
  webhookSecretKey: string;
};

const FOLDER_MODE = 0o700;

const versionSchema = z.object({ version: z.string() });
const migrationSchema = z.object({ name: z.string(), checksum: z.string() });

/** The applied migrations of a database, in order. */
export const appliedMigrations = (database: Clickhouse): Promise<Manifest['migrations']> =>
  database.query(
    `SELECT name, checksum FROM ${LEDGER_TABLE} FINAL ORDER BY name`,
    {},
    migrationSchema,
  );

const writeFiles = async (stores: Stores, folder: string, database: Clickhouse) => {
  const connection = await connectNats(stores.natsUrl, 'backup');
  try {
    const jsm = await connection.jetstreamManager();
    const marks = await markStreams(jsm);
    const tables: TableBackup[] = [];
    for (const table of await sourceTables(database)) {
      tables.push(await dumpTable(stores.clickhouseUrl, folder, table));
    }
    const redis = await dumpRedis(stores.redisUrl, folder);
    const streams = [];
    for (const mark of marks) streams.push(await dumpStream(jsm, folder, mark));
    return { natsVersion: connection.info?.version ?? 'unknown', tables, redis, streams };
  } finally {
    await connection.close();
  }
};

/**
 * Writes a backup to the folder `to`, which must not exist; it appears when it is complete. Roles may run meanwhile.
 * The order makes the parts consistent: first the position of every reader of a stream, then tables and keys, last
 * the streams. Messages that are handled again after a restore change nothing that is already in the tables.
 */
export const createBackup = async (stores: Stores, to: string): Promise<Manifest> => {
  if (existsSync(to)) throw new Error(`${to} exists: choose a new folder`);
  const draft = `${to}.partial`;
  rmSync(draft, { recursive: true, force: true });
  openFolder('TO', draft, FOLDER_MODE);
  const database = createClickhouse({ url: stores.clickhouseUrl });
  try {
    const createdAt = new Date().toISOString();
    const [row] = await database.query('SELECT version() AS version', {}, versionSchema);
    const migrations = await appliedMigrations(database);
    const manifest: Manifest = {
      v: 1,
      createdAt,
      clickhouseVersion: row?.version ?? 'unknown',
      migrations,
      pepperFingerprint: fingerprintOf(stores.keyPepper),
      webhookKeyFingerprint: fingerprintOf(stores.webhookSecretKey),
      ...(await writeFiles(stores, draft, database)),
    };
    writeManifest(draft, manifest);
    renameSync(draft, to);
    return manifest;
  } catch (error) {
    // An incomplete backup is not a backup, and it holds data that only its owner may see.
    rmSync(draft, { recursive: true, force: true });
    const cause = error instanceof NatsError ? `NATS: ${error.message}` : errorMessage(error);
    throw new Error(`no backup was made: ${cause}`, { cause: error });
  } finally {
    await database.close();
  }
};
