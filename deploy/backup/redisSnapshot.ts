import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { runCommand } from '../local/runCommand.ts';
import { redisServer } from '../local/serverBinaries.ts';
import { describeFile, type RedisBackup } from './manifest.ts';

const SNAPSHOT_FILE = 'redis.rdb';
const SNAPSHOT_TIMEOUT_MS = 3_600_000;
/** Longest wait until a snapshot is loaded. */
const LOAD_TIMEOUT_MS = 600_000;
const POLL_MS = 20;
/** Keys looked at in one step. */
const KEYS_PER_SCAN = 500;

const databaseOf = (url: string): number => Number(new URL(url).pathname.slice(1) || '0');

const open = async (url: string): Promise<Redis> => {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 1 });
  redis.on('error', () => undefined);
  await redis.connect();
  return redis;
};

const versionOf = async (redis: Redis): Promise<string> =>
  /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'unknown';

/**
 * Fetches a consistent snapshot in the way of a replica. The password is passed in the environment, where other users
 * of this machine do not see it.
 */
const fetchSnapshot = async (url: string, path: string): Promise<void> => {
  const { protocol, hostname, port, username, password } = new URL(url);
  const server = await redisServer();
  const args = ['-h', hostname, '-p', port || '6379', '--rdb', path];
  if (username) args.unshift('--user', decodeURIComponent(username));
  if (protocol === 'rediss:') args.unshift('--tls');
  const secret = password ? { REDISCLI_AUTH: decodeURIComponent(password) } : {};
  const result = await runCommand(join(dirname(server.path), 'redis-cli'), args, {
    timeoutMs: SNAPSHOT_TIMEOUT_MS,
    env: { ...process.env, ...server.env, ...secret },
  });
  if (result.code !== 0) throw new Error(`snapshot of Redis: ${result.stderr || result.stdout}`);
};

/** Loads a snapshot into a separate server, reached by a socket in a private folder, while `work` runs. */
const withSnapshot = async <T>(
  path: string,
  database: number,
  work: (redis: Redis) => Promise<T>,
): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'tsd-redis-'));
  const socket = join(folder, 'socket');
  copyFileSync(path, join(folder, 'dump.rdb'));
  const server = await redisServer();
  const args = ['--port', '0', '--unixsocket', socket, '--dir', folder, '--dbfilename', 'dump.rdb'];
  const child = spawn(server.path, [...args, '--appendonly', 'no', '--save', ''], {
    stdio: 'ignore',
    env: { ...process.env, ...server.env },
  });
  const ended = once(child, 'exit');
  const redis = new Redis(socket, { db: database, retryStrategy: () => POLL_MS });
  redis.on('error', () => undefined);
  try {
    const deadline = Date.now() + LOAD_TIMEOUT_MS;
    while ((await redis.ping().catch(() => 'loading')) !== 'PONG') {
      const isOver = child.exitCode !== null || Date.now() > deadline;
      if (isOver) throw new Error(`the snapshot ${path} cannot be loaded`);
      await sleep(POLL_MS);
    }
    return await work(redis);
  } finally {
    redis.disconnect();
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
};

type StoredKey = { key: Buffer; dump: Buffer; ttlMs: number };

/** All keys with their values. `ttlMs` is 0 for a key that does not expire. */
const readKeys = async function* (redis: Redis): AsyncGenerator<StoredKey[]> {
  let cursor = '0';
  do {
    const [next, keys] = await redis.scanBuffer(cursor, 'COUNT', KEYS_PER_SCAN);
    cursor = next.toString();
    const found = await Promise.all(
      keys.map(async (key): Promise<StoredKey[]> => {
        const [dump, ttlMs] = await Promise.all([redis.dumpBuffer(key), redis.pttl(key)]);
        return dump === null || ttlMs === -2 ? [] : [{ key, dump, ttlMs: Math.max(0, ttlMs) }];
      }),
    );
    yield found.flat();
  } while (cursor !== '0');
};

/** Writes `redis.rdb` and reads it back. */
export const dumpRedis = async (url: string, folder: string): Promise<RedisBackup> => {
  const path = join(folder, SNAPSHOT_FILE);
  const source = await open(url);
  const version = await versionOf(source).finally(() => source.disconnect());
  await fetchSnapshot(url, path);
  const database = databaseOf(url);
  let [keys, lastingKeys] = [0, 0];
  await withSnapshot(path, database, async (redis) => {
    for await (const page of readKeys(redis)) {
      keys += page.length;
      lastingKeys += page.filter(({ ttlMs }) => ttlMs === 0).length;
    }
  });
  return { version, database, keys, lastingKeys, ...(await describeFile(folder, SNAPSHOT_FILE)) };
};

/** Keys of the database named in `url`. */
export const countKeys = async (url: string): Promise<number> => {
  const redis = await open(url);
  return redis.dbsize().finally(() => redis.disconnect());
};

/** Removes the keys of the database named in `url`. */
export const emptyRedis = async (url: string): Promise<void> => {
  const redis = await open(url);
  await redis.flushdb().finally(() => redis.disconnect());
};

/**
 * Restores the keys of a snapshot into the database named in `url`, each with its remaining lifetime. Throws an error
 * if fewer keys without an expiry arrive than were saved.
 */
export const loadRedis = async (
  url: string,
  folder: string,
  { file, database, lastingKeys }: RedisBackup,
): Promise<void> => {
  const target = await open(url);
  let lasting = 0;
  try {
    await withSnapshot(join(folder, file), database, async (redis) => {
      for await (const page of readKeys(redis)) {
        await Promise.all(page.map(({ key, dump, ttlMs }) => target.restore(key, ttlMs, dump)));
        lasting += page.filter(({ ttlMs }) => ttlMs === 0).length;
      }
    });
  } finally {
    target.disconnect();
  }
  if (lasting !== lastingKeys) {
    throw new Error(`Redis: ${lasting} keys without an end instead of ${lastingKeys}`);
  }
};
