import { setTimeout as sleep } from 'node:timers/promises';
import type { PublicClient } from 'viem';
import { migrate } from '../../../migrations/migrate.ts';
import { errorMessage } from '../../../shared/platform/errors.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { DEVNET_PRICING } from '../../../shared/testing/devnet/devnetAddresses.ts';
import { startMigratedClickhouse } from '../../../shared/testing/migratedClickhouse.ts';
import {
  type Role,
  startRole,
  type TestProcess,
  until,
} from '../../../shared/testing/pipelineProcess.ts';
import {
  freePort,
  startClickhouse,
  startNats,
  startRedis,
} from '../../../shared/testing/services.ts';
import { type Store, type Stores, startStores } from '../../../shared/testing/stores.ts';
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

const WATCH_MS = 50;
/** Pause before a role that exited by itself is restarted. */
const RESTART_MS = 250;
const READY_TIMEOUT_MS = 5_000;

/** The API answers probes on its public port. */
const portVariable = (role: Role): string => (role === 'api' ? 'PORT' : 'HEALTH_PORT');

/** Starts a role and supervises it. */
export const supervise = async (role: Role, environment: Readonly<Record<string, string>>) => {
  const port = await freePort();
  const start = (): TestProcess =>
    startRole(role, {
      ...environment,
      [portVariable(role)]: String(port),
      // A failure must show which blocks the watcher read.
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
      // After a kill during this wait, a new process already runs.
      if (!isStopped && !isKilling && child === ended) restart();
    }
  })();
  const url = `http://127.0.0.1:${port}`;
  return {
    role,
    /** Address of its probes and, for the API, of its clients. */
    url,
    /** SIGKILL, then a restart. */
    kill: async (): Promise<void> => {
      await endAndRestart('SIGKILL');
    },
    /** SIGTERM, waiting for the exit, then a restart. Resolves to the exit code. */
    restart: (): Promise<number | null> => endAndRestart('SIGTERM'),
    isReady: async (): Promise<boolean> => {
      try {
        const signal = AbortSignal.timeout(READY_TIMEOUT_MS);
        return (await fetch(`${url}/readyz`, { signal })).ok;
      } catch {
        return false;
      }
    },
    /** How often it exited by itself. */
    ownExits: (): number => ownExits,
    output: (): string => outputs + child.output(),
    stop: async (): Promise<void> => {
      isStopped = true;
      await watching;
      await child.stop('SIGKILL');
    },
  };
};
/** Keeps one role running like an init system: it is restarted whatever ends it. */
export type SupervisedRole = Awaited<ReturnType<typeof supervise>>;

/** Waits until all of them answer that they are ready. */
export const untilReady = (what: string, roles: readonly SupervisedRole[]): Promise<true> =>
  until(
    `${what}: ready`,
    async () => {
      const answers = await Promise.all(roles.map((role) => role.isReady()));
      return answers.every(Boolean) || undefined;
    },
    STACK_WAIT_MS_MAX,
  );

/** The chain of every live stack. */
export const STACK_CHAIN_ID = 31_337;
/** The secret of API keys in a test. */
export const TEST_PEPPER = 'a pepper of thirty-two characters';
export const TEST_WEBHOOK_KEY = 'a webhook key of 32 characters …';
/** Time limit of any wait. Only failures reach it, however slow the machine. */
export const STACK_WAIT_MS_MAX = 180_000;
const OUTPUT_CHARS = 3_000;

/** Dependencies of roles. */
export type Dependency = Store | 'node';

/** Options of a stack. */
export interface StackOptions {
  /** False leaves the database without tables. */
  readonly isMigrated?: boolean;
  /** Folders in which stores create their own, if not the temporary one. */
  readonly folders?: Readonly<Partial<Record<Store, string>>>;
  /** Whether roles reach their dependencies through proxies that can be made to fail. */
  readonly isDisturbed?: boolean;
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
        ...DEVNET_PRICING,
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

/** On a failing disk the server creates its tables itself, because losing none of them is tested too. */
const startDatabase = ({ folders, isMigrated = true }: StackOptions) =>
  isMigrated && folders?.clickhouse === undefined
    ? startMigratedClickhouse()
    : startClickhouse({ parent: folders?.clickhouse });

type Environment = Stores['environment'] & { readonly RPC_URL: string };

/** The variable that names each dependency. */
const VARIABLES: Readonly<Record<Dependency, keyof Environment>> = {
  nats: 'NATS_URL',
  redis: 'REDIS_URL',
  clickhouse: 'CLICKHOUSE_URL',
  node: 'RPC_URL',
};

/** Puts a proxy before each dependency. Resolves to them and to the environment that leads through them. */
const startProxies = async (direct: Environment) => {
  const proxies = new Map<Dependency, TcpProxy>();
  const environment = { ...direct };
  for (const name of Object.keys(VARIABLES) as Dependency[]) {
    const proxy = await startTcpProxy(direct[VARIABLES[name]]);
    proxies.set(name, proxy);
    environment[VARIABLES[name]] = proxy.url;
  }
  return { proxies, environment };
};

/** Waits for roles. A failure quotes their last lines. */
const createWaits = ({
  clickhouse,
  nats,
  roles,
}: Pick<Stores, 'clickhouse' | 'nats'> & {
  readonly roles: ReadonlyMap<Role, SupervisedRole>;
}) => {
  const progress = () => readStreamProgress(nats, STACK_CHAIN_ID);
  /** The reader of the chain that is furthest behind; clusters only if the role runs. */
  const slowest = ({ acknowledged: { scorer, alerts, clusters } }: StreamProgress): number =>
    Math.min(scorer, alerts, roles.has('clusters') ? clusters : Infinity);
  const headHash = async (client: PublicClient) => (await client.getBlock()).hash;
  const watched = ({ name }: EventReader): boolean =>
    [...roles.keys()].some((role) => name.startsWith(role));
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
    await untilReady(what, [...roles.values()]);
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
    /** Waits until all roles answer and continue: everything published is processed, and more is published. */
    untilAtWork: (client: PublicClient, what: string): Promise<void> =>
      explained(atWork(client, what)),
    /**
     * Waits until the whole chain is read and every verdict is stored and received, except for the given tokens.
     */
    untilConverged: (client: PublicClient, besides: readonly string[] = []): Promise<void> =>
      explained(until('everything is read', () => isConverged(client, besides), STACK_WAIT_MS_MAX)),
  };
};

/** Starts servers for a stack that reads `nodeUrl`. Roles are started by `startRoles`. */
export const startLiveStack = async (nodeUrl: string, options: StackOptions = {}) => {
  const { folders, isMigrated = true, isDisturbed } = options;
  const stores = await startStores({
    nats: () => startNats(folders?.nats),
    redis: () => startRedis(folders?.redis),
    clickhouse: () => startDatabase(options),
  });
  const { clickhouse, nats, servers } = stores;
  if (isMigrated) await migrate(clickhouse, silentLogger);
  const direct = { ...stores.environment, RPC_URL: nodeUrl };
  const { proxies, environment } = isDisturbed
    ? await startProxies(direct)
    : { proxies: new Map<Dependency, TcpProxy>(), environment: direct };
  const { roles, start, stop } = createRoles(environment);
  return {
    ...stores,
    /** Contents of backups. */
    addresses: {
      clickhouseUrl: servers.clickhouse.url,
      redisUrl: servers.redis.url,
      natsUrl: servers.nats.url,
      keyPepper: TEST_PEPPER,
      webhookSecretKey: TEST_WEBHOOK_KEY,
    },
    /** Empty unless `isDisturbed`. */
    proxies,
    roles,
    startRoles: start,
    ...createWaits({ clickhouse, nats, roles }),
    /** Compares transfers and pool events with the node's. Resolves to the number of logs. */
    assertFacts: async (client: PublicClient): Promise<number> => {
      const logs = await readLogs(client);
      assertSameLines(await storedTransfers(clickhouse), transferLines(logs), 'transfers');
      assertSameLines(await storedPoolEvents(clickhouse), poolEventLines(logs), 'pool events');
      return logs.length;
    },
    stop: async (): Promise<void> => {
      await stop();
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
      await stores.stop();
    },
  };
};
/** Servers of one test, with roles that read a development chain. */
export type LiveStack = Awaited<ReturnType<typeof startLiveStack>>;
