import type { Redis } from 'ioredis';
import type { NatsConnection } from 'nats';
import { type Clickhouse, createClickhouse } from '../platform/clickhouse.ts';
import { connectNats, ensureStreams, jetStreamManager } from '../platform/nats.ts';
import { connectRedis } from '../platform/redis.ts';
import { startMigratedClickhouse } from './migratedClickhouse.ts';
import { until } from './pipelineProcess.ts';
import { type Service, startNats, startRedis } from './services.ts';

/** A server that roles keep their state in. */
export type Store = 'nats' | 'redis' | 'clickhouse';

/** The servers of a test, a client of each, and the variables by which a role finds them. */
export interface Stores {
  readonly servers: Readonly<Record<Store, Service>>;
  readonly clickhouse: Clickhouse;
  readonly nats: NatsConnection;
  readonly redis: Redis;
  readonly environment: {
    readonly NATS_URL: string;
    readonly REDIS_URL: string;
    readonly CLICKHOUSE_URL: string;
  };
  /** Closes the clients and ends the servers. */
  stop(): Promise<void>;
}

/**
 * Starts empty servers, ClickHouse with all tables.
 * @param start alternative ways of starting a server
 */
export const startStores = async (
  start: { readonly [Name in Store]?: () => Promise<Service> } = {},
): Promise<Stores> => {
  const { nats = startNats, redis = startRedis, clickhouse = startMigratedClickhouse } = start;
  const started = await Promise.all([nats(), redis(), clickhouse()]);
  const [natsServer, redisServer, clickhouseServer] = started;
  const database = createClickhouse({ url: clickhouseServer.url });
  const connection = await connectNats(natsServer.url, 'test');
  const cache = connectRedis(redisServer.url);
  // Tests take servers away.
  cache.on('error', () => undefined);
  await cache.connect();
  return {
    servers: { nats: natsServer, redis: redisServer, clickhouse: clickhouseServer },
    clickhouse: database,
    nats: connection,
    redis: cache,
    environment: {
      NATS_URL: natsServer.url,
      REDIS_URL: redisServer.url,
      CLICKHOUSE_URL: clickhouseServer.url,
    },
    stop: async () => {
      cache.disconnect();
      await connection.close();
      await database.close();
      await Promise.all(started.map((server) => server.stop()));
    },
  };
};

/** Redis, and a client of it. */
export const startCache = async () => {
  const server = await startRedis();
  const redis = connectRedis(server.url);
  // Tests take servers away.
  redis.on('error', () => undefined);
  await redis.connect();
  const stop = async (): Promise<void> => {
    redis.disconnect();
    await server.stop();
  };
  return { server, redis, stop };
};

/** NATS with the streams of these chains, and a connection to it. */
export const startStreams = async (chainIds: readonly number[]) => {
  const server = await startNats();
  const connection = await connectNats(server.url, 'test');
  await ensureStreams(connection, chainIds);
  const stop = async (): Promise<void> => {
    await connection.close();
    await server.stop();
  };
  return { server, connection, stop };
};

/** A message as a stream holds it. */
export interface StreamEntry {
  readonly subject: string;
  readonly data: Uint8Array;
}

/** Everything a stream holds from a sequence on, in order. */
export const readStream = async (
  connection: NatsConnection,
  stream: string,
  from = 1,
): Promise<StreamEntry[]> => {
  const jsm = await jetStreamManager(connection);
  const { state } = await jsm.streams.info(stream);
  const entries: StreamEntry[] = [];
  for (let seq = Math.max(from, state.first_seq, 1); seq <= state.last_seq; seq += 1) {
    entries.push(await jsm.streams.getMessage(stream, { seq }));
  }
  return entries;
};

const MS_MAX = 30_000;
/**
 * A connection on which a read of the stream waits for the next entry: a process that waits has applied all earlier
 * ones.
 */
const WAITING = /flags=\S*b\S* .*cmd=xread/;

/** Resolves once this many processes have applied every change stored so far. */
export const untilChangesFollowed = async (redis: Redis, followers: number): Promise<void> => {
  const areFollowed = async () => {
    const clients = String(await redis.client('LIST')).split('\n');
    return clients.filter((line) => WAITING.test(line)).length >= followers || undefined;
  };
  await until('changes are followed', areFollowed, MS_MAX);
};
