import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { NatsConnection } from 'nats';
import type { PublicClient } from 'viem';
import { migrate } from '../../../migrations/migrate.ts';
import { type Clickhouse, createClickhouse } from '../../../shared/platform/clickhouse.ts';
import { errorMessage } from '../../../shared/platform/errors.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { connectNats } from '../../../shared/platform/nats.ts';
import { connectRedis } from '../../../shared/platform/redis.ts';
import { DEVNET_ADDRESSES } from '../../../shared/testing/devnet/devnetAddresses.ts';
import { startMigratedClickhouse } from '../../../shared/testing/migratedClickhouse.ts';
import {
  type Role,
  startRole,
  type TestProcess,
  until,
} from '../../../shared/testing/pipelineProcess.ts';
import {
  freePort,
  type Service,
  startClickhouse,
  startNats,
  startRedis,
} from '../../../shared/testing/services.ts';
import { startTcpProxy, type TcpProxy } from '../../../shared/testing/tcpProxy.ts';
import { poolEventLines, readLogs, transferLines } from './chainTruth.ts';
import {
  assertSameLines,
  type EventReader,
  readDue,
  readStreamProgress,
  type StreamProgress,
  storedPoolEvents,
  storedTransfers,
} from './storedState.ts';

/** Keeps one role running as an init system does: whatever ends it, it is started again. */
export interface SupervisedRole {
  readonly role: Role;
  /** SIGKILL, and started again. */
  kill(): Promise<void>;
  /** SIGTERM, waited for, and started again. Resolves to the exit code. */
  restart(): Promise<number | null>;
  isReady(): Promise<boolean>;
  /** Where it answers probes, and the API its clients. */
  readonly url: string;
  /** How often it ended by itself. */
  ownExits(): number;
  output(): string;
  stop(): Promise<void>;
}

const WATCH_MS = 50;
/** Pause before a role that ended by itself is started again. */
const RESTART_MS = 250;
const READY_TIMEOUT_MS = 5_000;

/** The API answers probes where it answers its clients. */
const portVariable = (role: Role): string => (role === 'api' ? 'PORT' : 'HEALTH_PORT');

/** Starts a role and watches over it. */
export const supervise = async (
  role: Role,
  environment: Readonly<Record<string, string>>,
): Promise<SupervisedRole> => {
  const port = await freePort();
  const start = (): TestProcess =>
    startRole(role, {
      ...environment,
      [portVariable(role)]: String(port),
      // A failure has to show which blocks the watcher took.
      LOG_LEVEL: role === 'watcher' ? 'info' : 'warn',
    });
  let child = start();
  let isStopped = false;
  let isKilling = false;
  let ownExits = 0;
  let outputs = '';
  const restart = (): void => {
    outputs = (outputs + child.output()).slice(-20_000);
    child = start();
  };
  const endAndRestart = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    isKilling = true;
    const code = await child.stop(signal);
    restart();
    isKilling = false;
    return code;
  };
  const watching = (async () => {
    while (!isStopped) {
      await sleep(WATCH_MS);
      const ended = child;
      if (isStopped || isKilling || !ended.hasEnded()) continue;
      ownExits += 1;
      await sleep(RESTART_MS);
      // A kill meanwhile has started another one already.
      if (!isStopped && !isKilling && child === ended) restart();
    }
  })();
  const url = `http://127.0.0.1:${port}`;
  return {
    role,
    url,
    kill: async () => {
      await endAndRestart('SIGKILL');
    },
    restart: () => endAndRestart('SIGTERM'),
    isReady: async () => {
      try {
        const signal = AbortSignal.timeout(READY_TIMEOUT_MS);
        return (await fetch(`${url}/readyz`, { signal })).ok;
      } catch {
        return false;
      }
    },
    ownExits: () => ownExits,
    output: () => outputs + child.output(),
    stop: async () => {
      isStopped = true;
      await watching;
      await child.stop('SIGKILL');
    },
  };
};

/** The chain of every live stack. */
export const STACK_CHAIN_ID = 31_337;
/** US dollars of its native unit. */
export const STACK_NATIVE_USD = 2_000;
/** The secret of API keys in a test. */
export const TEST_PEPPER = 'a pepper of thirty-two characters';
export const TEST_WEBHOOK_KEY = 'a webhook key of 32 characters …';
/** Any wait. Only failures reach it, however slow the machine. */
export const STACK_WAIT_MS_MAX = 180_000;
const OUTPUT_CHARS = 3_000;

export type Store = 'nats' | 'redis' | 'clickhouse';
/** What roles depend on. */
export type Dependency = Store | 'node';

/** How a stack differs from a usual one. */
export interface StackOptions {
  /** False leaves the database without tables. */
  readonly isMigrated?: boolean;
  /** Folders in which stores make their own, where it is not the temporary one. */
  readonly folders?: Readonly<Partial<Record<Store, string>>>;
  /** Whether roles reach what they depend on through proxies that can be made to fail. */
  readonly isDisturbed?: boolean;
}

/** Servers of one test, and roles on them that read a development chain. */
export interface LiveStack {
  readonly stores: {
    readonly clickhouseUrl: string;
    readonly redisUrl: string;
    readonly natsUrl: string;
    readonly keyPepper: string;
    readonly webhookSecretKey: string;
  };
  readonly servers: Readonly<Record<Store, Service>>;
  /** Empty unless `isDisturbed`. */
  readonly proxies: ReadonlyMap<Dependency, TcpProxy>;
  readonly clickhouse: Clickhouse;
  readonly nats: NatsConnection;
  readonly redis: Redis;
  readonly roles: ReadonlyMap<Role, SupervisedRole>;
  startRoles(names: readonly Role[], extra?: Readonly<Record<string, string>>): Promise<void>;
  stopRoles(): Promise<void>;
  /** Waits until all roles answer and go on: what was published before is handled, and more is published. */
  untilAtWork(client: PublicClient, what: string): Promise<void>;
  /** Waits until the whole chain is read and every verdict made and received, besides those on the given tokens. */
  untilConverged(client: PublicClient, besides?: readonly string[]): Promise<void>;
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
        CHAIN_ID: String(STACK_CHAIN_ID),
        KEY_PEPPER: TEST_PEPPER,
        WEBHOOK_SECRET_KEY: TEST_WEBHOOK_KEY,
        WETH_ADDRESS: DEVNET_ADDRESSES.weth,
        STABLE_ADDRESSES: DEVNET_ADDRESSES.stable,
        NATIVE_PRICE_USD: String(STACK_NATIVE_USD),
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

/** On a disk that fails the server makes its tables itself: that nothing of them is lost is tested too. */
const startDatabase = ({ folders, isMigrated = true }: StackOptions) =>
  isMigrated && folders?.clickhouse === undefined
    ? startMigratedClickhouse()
    : startClickhouse({ parent: folders?.clickhouse });

/** Starts the three servers; `routes` are the URLs by which roles reach them and the node. */
const startServers = async (nodeUrl: string, options: StackOptions) => {
  const { folders, isDisturbed } = options;
  const [nats, redis, clickhouse] = await Promise.all([
    startNats(folders?.nats),
    startRedis(folders?.redis),
    startDatabase(options),
  ]);
  const servers = { nats, redis, clickhouse };
  const urls = { nats: nats.url, redis: redis.url, clickhouse: clickhouse.url, node: nodeUrl };
  const proxies = new Map<Dependency, TcpProxy>();
  for (const [name, url] of isDisturbed ? Object.entries(urls) : []) {
    proxies.set(name as Dependency, await startTcpProxy(url));
  }
  const urlOf = (name: Dependency): string => proxies.get(name)?.url ?? urls[name];
  const environment = {
    NATS_URL: urlOf('nats'),
    REDIS_URL: urlOf('redis'),
    CLICKHOUSE_URL: urlOf('clickhouse'),
    RPC_URL: urlOf('node'),
  };
  return { servers, proxies, environment };
};

type Waits = Pick<LiveStack, 'untilAtWork' | 'untilConverged'>;

/** Waiting for roles. A failure quotes their last lines. */
const createWaits = ({
  clickhouse,
  nats,
  roles,
}: Pick<LiveStack, 'clickhouse' | 'nats' | 'roles'>): Waits => {
  const progress = () => readStreamProgress(nats, STACK_CHAIN_ID);
  /** The reader of the chain that is furthest behind: clusters only where the role runs. */
  const slowest = ({ acknowledged: { scorer, alerts, clusters } }: StreamProgress): number =>
    Math.min(scorer, alerts, roles.has('clusters') ? clusters : Infinity);
  const headHash = async (client: PublicClient) => (await client.getBlock()).hash;
  const watched = ({ name }: EventReader): boolean =>
    [...roles.keys()].some((role) => name.startsWith(role));
  const isReady = async (): Promise<true | undefined> => {
    const answers = await Promise.all([...roles.values()].map((role) => role.isReady()));
    return answers.every(Boolean) || undefined;
  };
  const isConverged = async (
    client: PublicClient,
    besides: readonly string[],
  ): Promise<true | undefined> => {
    const now = await progress();
    if (!now || now.tip !== (await headHash(client))) return undefined;
    if (slowest(now) < now.lastSeq) return undefined;
    if (now.events.some((reader) => watched(reader) && reader.waiting > 0)) return undefined;
    return (await readDue(clickhouse, STACK_CHAIN_ID, besides)) === 0 || undefined;
  };
  const explained = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (cause) {
      const outputs = [...roles.values()].map(
        (role) => `--- ${role.role}\n${role.output().slice(-OUTPUT_CHARS)}`,
      );
      const due = await readDue(clickhouse, STACK_CHAIN_ID);
      const place = `${JSON.stringify(await progress())}, ${due} verdicts due`;
      throw new Error([errorMessage(cause), place, ...outputs].join('\n'), { cause });
    }
  };
  const atWork = async (client: PublicClient, what: string): Promise<void> => {
    await until(`${what}: ready`, isReady, STACK_WAIT_MS_MAX);
    const before = await until(`${what}: NATS answers`, progress, STACK_WAIT_MS_MAX);
    const push = before.events.find(({ name }) => name === 'push')?.acknowledged ?? 0;
    const goesOn = async (): Promise<true | undefined> => {
      const now = await progress();
      if (!now || slowest(now) < before.lastSeq) return undefined;
      const isPushing = now.events.every(
        ({ name, acknowledged, waiting }) =>
          name !== 'push' || !roles.has('push') || acknowledged > push || waiting === 0,
      );
      const isPublished = now.lastSeq > before.lastSeq || now.tip === (await headHash(client));
      return (isPushing && isPublished) || undefined;
    };
    await until(`${what}: at work`, goesOn, STACK_WAIT_MS_MAX);
  };
  return {
    untilAtWork: (client, what) => explained(atWork(client, what)),
    untilConverged: (client, besides = []) =>
      explained(until('everything is read', () => isConverged(client, besides), STACK_WAIT_MS_MAX)),
  };
};

/** Starts servers for a stack that reads `nodeUrl`. Roles are started by `startRoles`. */
export const startLiveStack = async (
  nodeUrl: string,
  options: StackOptions = {},
): Promise<LiveStack> => {
  const { servers, proxies, environment } = await startServers(nodeUrl, options);
  const clickhouse = createClickhouse({ url: servers.clickhouse.url });
  if (options.isMigrated ?? true) await migrate(clickhouse, silentLogger);
  const nats = await connectNats(servers.nats.url, 'test');
  const redis = connectRedis(servers.redis.url);
  redis.on('error', () => undefined);
  await redis.connect();
  const { roles, start, stop } = createRoles(environment);
  return {
    stores: {
      clickhouseUrl: servers.clickhouse.url,
      redisUrl: servers.redis.url,
      natsUrl: servers.nats.url,
      keyPepper: TEST_PEPPER,
      webhookSecretKey: TEST_WEBHOOK_KEY,
    },
    servers,
    proxies,
    clickhouse,
    nats,
    redis,
    roles,
    startRoles: start,
    stopRoles: stop,
    ...createWaits({ clickhouse, nats, roles }),
    assertFacts: async (client) => {
      const logs = await readLogs(client);
      assertSameLines(await storedTransfers(clickhouse), transferLines(logs), 'transfers');
      assertSameLines(await storedPoolEvents(clickhouse), poolEventLines(logs), 'pool events');
      return logs.length;
    },
    stop: async () => {
      await stop();
      redis.disconnect();
      await nats.close();
      await clickhouse.close();
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
      await Promise.all(Object.values(servers).map((server) => server.stop()));
    },
  };
};
