import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
/** A name that is safe in a file name and in a query. */
const name = z.string().regex(/^[A-Za-z0-9_.-]{1,200}$/);

const fileSchema = z.object({
  file: z.string().regex(/^[A-Za-z0-9_.-]{1,240}$/),
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
/** A file of a backup, with its checksum. */
export type BackupFile = z.infer<typeof fileSchema>;

const tableSchema = fileSchema.extend({ table: name, columns: z.array(name).min(1), rows: count });
/** One table: its number of current rows. */
export type TableBackup = z.infer<typeof tableSchema>;

const redisSchema = fileSchema.extend({
  version: z.string(),
  /** Number of the database the keys are in. */
  database: count,
  keys: count,
  /** Keys without an expiry: all of them must exist after a restore, however late it is. */
  lastingKeys: count,
});
/** The snapshot of Redis. */
export type RedisBackup = z.infer<typeof redisSchema>;

const streamSchema = fileSchema.extend({
  stream: name,
  /** The stream's configuration as JetStream reports it. */
  config: z.record(z.unknown()),
  messages: count,
  consumers: z.array(
    z.object({
      config: z.record(z.unknown()),
      /** Everything up to this sequence was acknowledged before the tables were read. */
      confirmedSeq: count,
    }),
  ),
});
/** The end of one stream, and the positions of its durable readers. */
export type StreamBackup = z.infer<typeof streamSchema>;

const manifestSchema = z.object({
  v: z.literal(1),
  createdAt: z.string().datetime(),
  clickhouseVersion: z.string(),
  natsVersion: z.string(),
  /** The migrations that created the tables. */
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  /** Shows whether another stack has the same KEY_PEPPER, and nothing else about it. */
  pepperFingerprint: z.string(),
  /** The same for its WEBHOOK_SECRET_KEY. */
  webhookKeyFingerprint: z.string(),
  tables: z.array(tableSchema),
  redis: redisSchema,
  streams: z.array(streamSchema),
});
/** The contents of a backup: its file `manifest.json`, written last. */
export type Manifest = z.infer<typeof manifestSchema>;

/** The contents of a backup, in words. */
export const describeBackup = ({ tables, redis, streams }: Manifest): string => {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const messages = streams.reduce((sum, stream) => sum + stream.messages, 0);
  return `${rows} rows of ${tables.length} tables, ${redis.keys} keys, ${messages} messages`;
};

const MANIFEST_FILE = 'manifest.json';
const FINGERPRINT_LABEL = 'token-scam-detection backup';

/** One-way: 192 random bits cannot be guessed from it. */
export const fingerprintOf = (pepper: string): string =>
  createHash('sha256').update(`${FINGERPRINT_LABEL}\0${pepper}`).digest('hex');

/** Writes the complete manifest or nothing. */
export const writeManifest = (folder: string, manifest: Manifest): void => {
  const draft = join(folder, `${MANIFEST_FILE}.draft`);
  writeFileSync(draft, `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, join(folder, MANIFEST_FILE));
};

/** Throws an error if the folder holds no complete backup. */
export const readManifest = (folder: string): Manifest => {
  try {
    const text = readFileSync(join(folder, MANIFEST_FILE), 'utf8');
    return manifestSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${folder} holds no complete backup: its manifest cannot be read`, { cause });
  }
};

/** Size and checksum of a file that was written. */
export const describeFile = async (folder: string, file: string): Promise<BackupFile> => {
  let bytes = 0;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(join(folder, file))) {
    bytes += (chunk as Buffer).length;
    hash.update(chunk as Buffer);
  }
  return { file, bytes, sha256: hash.digest('hex') };
};

/** Throws an error that names every missing or changed file. */
export const verifyFiles = async (folder: string, manifest: Manifest): Promise<void> => {
  const damaged: string[] = [];
  for (const { file, sha256 } of [...manifest.tables, manifest.redis, ...manifest.streams]) {
    const found = await describeFile(folder, file).catch(() => undefined);
    if (found?.sha256 !== sha256) damaged.push(`${file}${found ? '' : ' (missing)'}`);
  }
  if (damaged.length > 0) throw new Error(`damaged files in ${folder}: ${damaged.join(', ')}`);
};
