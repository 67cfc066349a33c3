import type { NatsConnection } from 'nats';
import { createDatabase, migrate } from '../../migrations/migrate.ts';
import { type Clickhouse, createClickhouse } from '../../shared/platform/clickhouse.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { connectNats } from '../../shared/platform/nats.ts';
import { appliedMigrations, type Stores } from './createBackup.ts';
import { fingerprintOf, type Manifest, readManifest, verifyFiles } from './manifest.ts';
import { countKeys, emptyRedis, loadRedis } from './redisSnapshot.ts';
import { loadStream, removeStreams, usedStreams } from './streams.ts';
import { countRows, dropTables, loadTable, sourceTables } from './tables.ts';

/** Contents of a target that an error lists. */
const NAMED_MAX = 5;

/** The non-empty parts of a target, in words. */
const findContents = async (
  stores: Stores,
  database: Clickhouse,
  connection: NatsConnection,
): Promise<string[]> => {
  const found: string[] = [];
  for (const { table } of await sourceTables(database)) {
    if ((await countRows(database, table)) > 0) found.push(`table ${table}`);
  }
  const keys = await countKeys(stores.redisUrl);
  if (keys > 0) found.push(`${keys} keys in Redis`);
  const streams = await usedStreams(await connection.jetstreamManager());
  return [...found, ...streams.map((stream) => `stream ${stream}`)];
};

/** Empties the stores with `force`; without it, throws an error if they hold anything. */
const prepareTarget = async (
  stores: Stores,
  { database, connection }: { database: Clickhouse; connection: NatsConnection },
  force: boolean,
): Promise<void> => {
  const found = await findContents(stores, database, connection);
  if (found.length > 0 && !force) {
    const named = found.slice(0, NAMED_MAX).join(', ');
    throw new Error(`the target is not empty (${named}): FORCE=1 removes what it holds`);
  }
  await dropTables(database);
  await emptyRedis(stores.redisUrl);
  await removeStreams(await connection.jetstreamManager());
};

/**
 * Creates the tables in the schema of the backup, then its rows, then applies later migrations: one that changes rows
 * sees them in their original form.
 */
const restoreTables = async (
  stores: Stores,
  folder: string,
  { tables, migrations }: Manifest,
  database: Clickhouse,
): Promise<void> => {
  await migrate(database, silentLogger, { through: migrations.at(-1)?.name ?? '' });
  const known = new Map((await appliedMigrations(database)).map((one) => [one.name, one.checksum]));
  const strange = migrations.find(({ name, checksum }) => known.get(name) !== checksum);
  if (strange) throw new Error(`${strange.name}: not among the migrations of this code`);
  for (const saved of tables) await loadTable(stores.clickhouseUrl, folder, saved);
  const here = new Map((await sourceTables(database)).map((one) => [one.table, one]));
  for (const { table, rows } of tables) {
    const found = await countRows(database, table);
    const isFewer = found < rows && !here.get(table)?.expires;
    if (found > rows || isFewer) throw new Error(`${table}: ${found} rows instead of ${rows}`);
  }
  await migrate(database, silentLogger);
};

const SECRETS_HINT =
  'Bring the secrets along: secrets.json of the STATE_DIR that was backed up, or both as settings';

/** Reads the manifest of a backup. Throws an error if it is none, or not of a stack with these secrets. */
export const openBackup = (
  from: string,
  { keyPepper, webhookSecretKey }: Pick<Stores, 'keyPepper' | 'webhookSecretKey'>,
): Manifest => {
  const manifest = readManifest(from);
  if (manifest.pepperFingerprint !== fingerprintOf(keyPepper)) {
    throw new Error(
      `KEY_PEPPER is not that of the backup: no API key would be known. ${SECRETS_HINT}`,
    );
  }
  if (manifest.webhookKeyFingerprint !== fingerprintOf(webhookSecretKey)) {
    throw new Error(
      `WEBHOOK_SECRET_KEY is not that of the backup: no webhook could be signed. ${SECRETS_HINT}`,
    );
  }
  return manifest;
};

/**
 * Restores a backup into empty stores. Checksums are verified first; nothing is changed if one is wrong. No role may
 * run. A restore that failed half-way is repeated with `force`.
 */
export const restoreBackup = async (
  stores: Stores,
  from: string,
  { force }: { force: boolean },
): Promise<Manifest> => {
  const manifest = openBackup(from, stores);
  await verifyFiles(from, manifest);
  await createDatabase(stores.clickhouseUrl, undefined);
  const database = createClickhouse({ url: stores.clickhouseUrl });
  const connection = await connectNats(stores.natsUrl, 'restore');
  try {
    await prepareTarget(stores, { database, connection }, force);
    await restoreTables(stores, from, manifest, database);
    await loadRedis(stores.redisUrl, from, manifest.redis);
    for (const saved of manifest.streams) await loadStream(connection, from, saved);
    return manifest;
  } finally {
    await connection.close();
    await database.close();
  }
};
