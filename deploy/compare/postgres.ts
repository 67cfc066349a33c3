import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { startProgram, type TestProcess } from '../../shared/testing/pipelineProcess.ts';
import { freePort } from '../../shared/testing/services.ts';
import { LOOPBACK } from '../local/launch.ts';
import { postgres } from '../local/serverBinaries.ts';
import { loadPg } from './pgModule.ts';

/** PostgreSQL with an empty database, in a temporary folder. */
export interface Postgres {
  readonly url: string;
  readonly pid: number;
  readonly version: string;
  query(sql: string, values?: readonly unknown[]): Promise<unknown[]>;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root: it then runs as `nobody`. */
const NOBODY = 65_534;
const PASSWORD_BYTES = 16;
const START_TIMEOUT_MS = 30_000;
const POLL_MS = 100;
/**
 * Settings for fast writes on a machine of this size. Nothing waits for the disk, as in ClickHouse and NATS with
 * their settings here.
 */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '30min',
  wal_level: 'minimal',
  max_wal_senders: '0',
};
const versionSchema = z.array(z.object({ server_version: z.string() })).min(1);

/** @param packages folder in which npm has installed `pg` */
export const startPostgres = async (packages: string): Promise<Postgres> => {
  const { path, env } = await postgres();
  const folder = mkdtempSync(join(tmpdir(), 'tsd-postgres-'));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  // A PostgreSQL superuser can run programs, so other users of the machine are not admitted.
  const password = randomBytes(PASSWORD_BYTES).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  const isRoot = process.getuid?.() === 0;
  for (const one of isRoot ? [folder, data, passwordFile] : []) chownSync(one, NOBODY, NOBODY);
  const ids = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  const start = (name: string, command: string, args: readonly string[]): TestProcess =>
    startProgram(name, command, args, { env, cwd: folder, user: isRoot ? ids : [] });
  const initdb = join(dirname(realpathSync(path)), 'initdb');
  const access = ['-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const initial = ['-D', data, ...access, '--no-sync', '-E', 'UTF8', '--locale=C'];
  await start('initdb', initdb, initial).ended;
  const port = await freePort();
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const place = ['-D', data, '-h', LOOPBACK, '-p', String(port), '-k', folder];
  const server = start('postgres', realpathSync(path), [...place, ...settings]);

  const url = `postgres://postgres:${password}@${LOOPBACK}:${port}/postgres`;
  const { Client } = loadPg(packages);
  const connect = async (): Promise<InstanceType<typeof Client>> => {
    const client = new Client({ connectionString: url });
    // The query that fails with the connection reports it.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const deadline = performance.now() + START_TIMEOUT_MS;
  const connectOnceUp = (): ReturnType<typeof connect> =>
    Promise.race([connect(), server.failed]).catch(async (error: unknown) => {
      if (performance.now() > deadline) throw error;
      await sleep(POLL_MS);
      return connectOnceUp();
    });
  const client = await connectOnceUp();
  const query: Postgres['query'] = async (sql, values) => (await client.query(sql, values)).rows;
  const [shown] = versionSchema.parse(await query('SHOW server_version'));
  return {
    url,
    pid: server.pid,
    version: shown?.server_version.split(' ')[0] ?? '',
    query,
    stop: async () => {
      await client.end();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
