import type { Redis } from 'ioredis';
import type { NatsConnection } from 'nats';
import type { PublicClient } from 'viem';
import { migrate } from '../../../migrations/migrate.ts';
import { type Clickhouse, createClickhouse } from '../../adapters/clickhouse.ts';
import { connectNats } from '../../adapters/nats.ts';
import { connectRedis } from '../../adapters/redis.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { DEVNET_ADDRESSES } from '../devnet/devnetAddresses.ts';
import { type Role, until } from '../pipelineProcess.ts';
import { type Service, startClickhouse, startNats, startRedis } from '../services.ts';
import { assertSameLines } from './assertSameLines.ts';
import { poolEventLines, readLogs, transferLines } from './chainTruth.ts';
import { readDue, readStanding } from './standing.ts';
import { storedPoolEvents, storedTransfers } from './storedState.ts';
import { type SupervisedRole, supervise } from './supervisor.ts';

const CHAIN_ID = 31_337;
const NATIVE_USD = 2_000;
/** The secret of API keys in a test. */
export const TEST_PEPPER = 'a pepper of thirty-two characters';
const CONVERGE_MS_MAX = 180_000;
const OUTPUT_CHARS = 3_000;

/** Servers of one test, and roles on them that read a development chain. */
export interface LiveStack {
  readonly stores: {
    readonly clickhouseUrl: string;
    readonly redisUrl: string;
    readonly natsUrl: string;
    readonly keyPepper: string;
  };
  readonly clickhouse: Clickhouse;
  readonly nats: NatsConnection;
  readonly redis: Redis;
  readonly roles: ReadonlyMap<Role, SupervisedRole>;
  startRoles(names: readonly Role[], extra?: Readonly<Record<string, string>>): Promise<void>;
  stopRoles(): Promise<void>;
  /** Waits until the whole chain is read and every verdict made. */
  untilConverged(client: PublicClient): Promise<void>;
  /** Compares transfers and pool events with what the node shows. Resolves to the number of logs. */
  assertFacts(client: PublicClient): Promise<number>;
  stop(): Promise<void>;
}

/** The roles over a stack's servers. */
const createRoles = (urls: Readonly<Record<string, string>>) => {
  const roles = new Map<Role, SupervisedRole>();
  return {
    roles,
    start: async (names: readonly Role[], extra: Readonly<Record<string, string>> = {}) => {
      const environment = {
        ...urls,
        CHAIN_ID: String(CHAIN_ID),
        KEY_PEPPER: TEST_PEPPER,
        WETH_ADDRESS: DEVNET_ADDRESSES.weth,
        STABLE_ADDRESSES: DEVNET_ADDRESSES.stable,
        NATIVE_PRICE_USD: String(NATIVE_USD),
        WEBHOOK_ALLOW_PRIVATE: '1',
        ...extra,
      };
      const started = await Promise.all(names.map((name) => supervise(name, environment)));
      for (const role of started) roles.set(role.role, role);
    },
    stop: async () => {
      await Promise.all([...roles.values()].map((role) => role.stop()));
      roles.clear();
    },
  };
};

/**
 * Starts servers for a stack that reads `nodeUrl`. Roles are started by `startRoles`.
 * @param isMigrated false leaves the database without tables.
 */
export const startLiveStack = async (nodeUrl: string, isMigrated = true): Promise<LiveStack> => {
  const services: Service[] = [];
  const [nats, redisServer, clickhouseServer] = await Promise.all([
    startNats(),
    startRedis(),
    startClickhouse(),
  ]);
  services.push(nats, redisServer, clickhouseServer);
  const clickhouse = createClickhouse({ url: clickhouseServer.url });
  if (isMigrated) await migrate(clickhouse, silentLogger);
  const connection = await connectNats(nats.url, 'test');
  const redis = connectRedis(redisServer.url);
  await redis.connect();
  const runner = createRoles({
    NATS_URL: nats.url,
    REDIS_URL: redisServer.url,
    CLICKHOUSE_URL: clickhouseServer.url,
    RPC_URL: nodeUrl,
  });

  const isConverged = async (client: PublicClient): Promise<true | undefined> => {
    const standing = await readStanding(connection, CHAIN_ID);
    if (!standing || standing.tip !== (await client.getBlock()).hash) return undefined;
    const { scorer, alerts, clusters } = standing.acknowledged;
    const { lastSeq } = standing;
    const isRead = scorer >= lastSeq && alerts >= lastSeq;
    if (!isRead || (runner.roles.has('clusters') && clusters < lastSeq)) return undefined;
    return (await readDue(clickhouse, CHAIN_ID)) === 0 || undefined;
  };
  return {
    stores: {
      clickhouseUrl: clickhouseServer.url,
      redisUrl: redisServer.url,
      natsUrl: nats.url,
      keyPepper: TEST_PEPPER,
    },
    clickhouse,
    nats: connection,
    redis,
    roles: runner.roles,
    startRoles: runner.start,
    stopRoles: runner.stop,
    untilConverged: async (client) => {
      try {
        await until('everything is read', () => isConverged(client), CONVERGE_MS_MAX);
      } catch (cause) {
        const outputs = [...runner.roles.values()].map(
          (role) => `--- ${role.role}\n${role.output().slice(-OUTPUT_CHARS)}`,
        );
        const standing = JSON.stringify(await readStanding(connection, CHAIN_ID));
        const due = await readDue(clickhouse, CHAIN_ID);
        throw new Error(`${standing}, ${due} verdicts due\n${outputs.join('\n')}`, { cause });
      }
    },
    assertFacts: async (client) => {
      const logs = await readLogs(client);
      assertSameLines(await storedTransfers(clickhouse), transferLines(logs), 'transfers');
      assertSameLines(await storedPoolEvents(clickhouse), poolEventLines(logs), 'pool events');
      return logs.length;
    },
    stop: async () => {
      await runner.stop();
      redis.disconnect();
      await connection.close();
      await clickhouse.close();
      await Promise.all(services.map((service) => service.stop()));
    },
  };
};
