import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Launch,
  LOOPBACK,
  launchAnvil,
  launchClickhouse,
  launchNats,
  launchRedis,
  launchSentinel,
} from '../../deploy/local/launch.ts';
import {
  answersClickhouse,
  answersNats,
  answersRedis,
  answersRpc,
} from '../../deploy/local/probes.ts';
import { loadSecrets } from '../../deploy/local/secrets.ts';
import { projectRoot } from '../platform/projectRoot.ts';
import { endProcess, hasEnded, spawnBound } from './pipelineProcess.ts';

/** A real server of one test: its data is in a temporary folder, and it never outlives the test process. */
export type Service = {
  url: string;
  /** Ends the server and removes its data. */
  stop: () => Promise<void>;
  /** SIGKILL; the data is kept for `restart`. */
  kill: () => Promise<void>;
  /** Restarts it on the same port and data, ending it first if it still runs. */
  restart: () => Promise<void>;
  /** Sends a signal, such as SIGSTOP. */
  signal: (name: NodeJS.Signals) => void;
  /** Whether its process has exited, by itself or not. */
  hasEnded: () => boolean;
};

/** ClickHouse with the empty database `tsd`. */
export type ClickhouseService = Service & {
  /** Where it keeps its data. */
  dataDir: string;
  /** The read-only user with the limits of an analyst. */
  analystUrl: string;
};

/** Options of a development chain; the default is one block per transaction on chain 31337. */
export type AnvilOptions = {
  chainId?: number;
  /** Further command line options of anvil, such as `['--block-time', '1']`. */
  args?: readonly string[];
};

const START_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 5_000;
const POLL_MS = 20;
/** A free port may be taken before the server binds it: then another one is tried. */
const START_ATTEMPTS_MAX = 3;
/** Below the kernel's port range for outgoing connections. */
const PORT_MIN = 10_000;
const PORT_COUNT = 9_000;
const PORT_TRIES_MAX = 200;
const ORPHAN_CHECK_MS = 250;
const FOLDER_PREFIX = 'tsd-test-';
/** Folder of the servers' data; `make test-integration` sets one in memory. */
const PARENT_FOLDER = process.env['SERVER_DATA_DIR'] ?? tmpdir();

/** Whether nothing listens on a port of this machine. */
export const canListen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, LOOPBACK, () => server.close(() => resolve(true)));
  });

/** A port of this machine on which nothing listens. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < PORT_TRIES_MAX; tries += 1) {
    const port = PORT_MIN + Math.floor(Math.random() * PORT_COUNT);
    if (await canListen(port)) return port;
  }
  throw new Error(`no free port in ${PORT_TRIES_MAX} tries`);
};

/** Whether a process of this machine runs. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Removes what killed test processes left behind. */
const removeAbandonedFolders = (): void => {
  for (const name of readdirSync(PARENT_FOLDER)) {
    const pid = name.startsWith(FOLDER_PREFIX) ? Number(name.split('-')[2]) : Number.NaN;
    if (Number.isSafeInteger(pid) && !isAlive(pid)) {
      rmSync(join(PARENT_FOLDER, name), { recursive: true, force: true });
    }
  }
};

let isPrepared = false;
/** The servers die with this process; this process dies with the test runner that started it. */
const prepareProcess = (): void => {
  if (isPrepared) return;
  isPrepared = true;
  removeAbandonedFolders();
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, ORPHAN_CHECK_MS).unref();
};

const end = (child: ChildProcess, signal: NodeJS.Signals): Promise<void> =>
  endProcess(child, signal, STOP_TIMEOUT_MS);

const startProcess = async (args: {
  launch: Launch;
  logFile: string;
  isReady: () => Promise<boolean>;
}): Promise<ChildProcess> => {
  const { command, args: argv, env } = args.launch;
  const log = openSync(args.logFile, 'a');
  const child = spawnBound(command, argv, { stdio: ['ignore', log, log], env });
  closeSync(log);
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await args.isReady())) {
    const problem = failure?.message ?? (hasEnded(child) ? 'ended at start' : undefined);
    if (problem !== undefined || Date.now() > deadline) {
      await end(child, 'SIGKILL');
      const lines = readFileSync(args.logFile, 'utf8').trimEnd().split('\n').slice(-20);
      throw new Error(`${command}: ${problem ?? 'not ready in time'}\n${lines.join('\n')}`);
    }
    await sleep(POLL_MS);
  }
  if (hasEnded(child)) throw new Error(`${command}: another program answers on its port`);
  return child;
};

/** Properties of a kind of server: how it is started in a folder, and when it is up. */
type Plan = { launch: Launch; isReady: () => Promise<boolean> };

/** @param parent folder in which the server's own is created. */
const startService = async <Details extends { url: string }>(
  plan: (folder: string) => Promise<Plan & { details: Details }>,
  parent = PARENT_FOLDER,
): Promise<Details & Service> => {
  prepareProcess();
  for (let attempt = 1; ; attempt += 1) {
    const folder = mkdtempSync(join(parent, `${FOLDER_PREFIX}${process.pid}-`));
    try {
      const { launch, isReady, details } = await plan(folder);
      const start = (): Promise<ChildProcess> =>
        startProcess({ launch, isReady, logFile: join(folder, 'log') });
      let child = await start();
      return {
        ...details,
        stop: async () => {
          // Its data is deleted, so it need not shut down cleanly, which takes ClickHouse a second.
          await end(child, 'SIGKILL');
          rmSync(folder, { recursive: true, force: true });
        },
        kill: () => end(child, 'SIGKILL'),
        signal: (name) => {
          child.kill(name);
        },
        hasEnded: () => hasEnded(child),
        restart: async () => {
          await end(child, 'SIGTERM');
          child = await start();
        },
      };
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      if (attempt === START_ATTEMPTS_MAX) throw error;
    }
  }
};

/** Starts nats-server with JetStream. */
export const startNats = (parent?: string): Promise<Service> =>
  startService(async (folder) => {
    const url = `nats://tsd:${loadSecrets(folder).nats}@${LOOPBACK}:${await freePort()}`;
    return {
      launch: await launchNats({ dataDir: folder, url }),
      isReady: () => answersNats(url),
      details: { url },
    };
  }, parent);

/** One server of a NATS cluster, and its addresses. */
export type NatsServer = Service & { name: string };

/** Host of a cluster's server: this machine, or a separate network namespace. */
export type NatsHost = {
  name: string;
  /** Its addresses for clients, and for the other servers. */
  address: string;
  routeAddress: string;
  routePort: number;
  /** Starts a program there. */
  run: (launch: Launch) => Launch;
};

/** Hosts that are all this machine. */
export const loopbackHosts = (names: readonly string[]): Promise<NatsHost[]> =>
  Promise.all(
    names.map(async (name) => ({
      name,
      address: LOOPBACK,
      routeAddress: LOOPBACK,
      routePort: await freePort(),
      run: (launch: Launch) => launch,
    })),
  );

/** Starts servers that form one NATS cluster. */
export const startNatsCluster = (hosts: readonly NatsHost[]): Promise<NatsServer[]> => {
  const password = randomUUID();
  const routes = hosts.map(({ routeAddress, routePort }) => `nats://${routeAddress}:${routePort}`);
  return Promise.all(
    hosts.map(({ name, address, run }, index) =>
      startService(async (folder) => {
        const url = `nats://tsd:${password}@${address}:${await freePort()}`;
        const member = { name, listen: routes[index] ?? '', routes };
        return {
          launch: run(await launchNats({ dataDir: folder, url, member })),
          isReady: () => answersNats(url),
          details: { url, name },
        };
      }),
    ),
  );
};

/** Starts redis-server. */
export const startRedis = (parent?: string): Promise<Service> => startRedisLike(undefined, parent);

/** @param primary the server to replicate, with the same password; if absent, it is standalone. */
const startRedisLike = (primary: Service | undefined, parent?: string): Promise<Service> =>
  startService(async (folder) => {
    const url = new URL(primary?.url ?? `redis://:${loadSecrets(folder).redis}@${LOOPBACK}/0`);
    const options = primary ? ['--replicaof', LOOPBACK, url.port] : [];
    url.port = String(await freePort());
    return {
      launch: await launchRedis({ dataDir: folder, url: url.href, options }),
      isReady: () => answersRedis(url.href),
      details: { url: url.href },
    };
  }, parent);

/** Starts a replica of a Redis server. */
export const startRedisReplica = (primary: Service): Promise<Service> => startRedisLike(primary);

/** Milliseconds without an answer after which sentinels consider a server dead. */
const SENTINEL_DOWN_MS = 1_000;

/** Starts a sentinel that watches a primary by this name; `quorum` of them agree on a failover. */
export const startSentinel = (primary: Service, name: string, quorum: number): Promise<Service> =>
  startService(async (folder) => {
    const { port, password } = new URL(primary.url);
    const address = `${LOOPBACK}:${await freePort()}`;
    const configFile = join(folder, 'sentinel.conf');
    const lines = [
      `port ${new URL(`redis://${address}`).port}`,
      `bind ${LOOPBACK}`,
      `dir ${folder}`,
      `sentinel monitor ${name} ${LOOPBACK} ${port} ${quorum}`,
      `sentinel auth-pass ${name} ${password}`,
      `sentinel down-after-milliseconds ${name} ${SENTINEL_DOWN_MS}`,
      `sentinel failover-timeout ${name} ${SENTINEL_DOWN_MS * 10}`,
    ];
    writeFileSync(configFile, `${lines.join('\n')}\n`);
    return {
      launch: await launchSentinel(configFile),
      isReady: () => answersRedis(`redis://${address}`),
      // User and password are those of the Redis servers.
      details: { url: `sentinel://:${password}@${address}/${name}` },
    };
  });

/** Options of a ClickHouse server; the default is standalone. */
type ClickhouseMember = { tcpPort: number; stateDir: string; configFile: string };

/** Options of a ClickHouse server; the default is empty and standalone. */
type ClickhouseOptions = {
  member?: ClickhouseMember;
  /**
   * Parent of its folder. Only such a server syncs confirmed data: the others need not survive a power cut, and are
   * faster.
   */
  parent?: string | undefined;
  /** Writes initial files into its data folder. */
  fill?: (dataDir: string) => void;
};

/** Starts ClickHouse; `url` is of the user that reads and writes. */
export const startClickhouse = ({
  member,
  parent,
  fill,
}: ClickhouseOptions = {}): Promise<ClickhouseService> =>
  startService(async (folder) => {
    const httpPort = await freePort();
    const stateDir = member?.stateDir ?? folder;
    const secrets = loadSecrets(stateDir);
    const address = `${LOOPBACK}:${httpPort}/tsd`;
    const url = `http://app:${secrets.clickhouseApp}@${address}`;
    const analystUrl = `http://analyst:${secrets.clickhouseAnalyst}@${address}`;
    const dataDir = join(folder, 'clickhouse');
    mkdirSync(dataDir);
    fill?.(dataDir);
    const options = member ? { configFile: member.configFile, tcpPort: member.tcpPort } : {};
    const isSynced = parent !== undefined;
    return {
      launch: await launchClickhouse({ dataDir, stateDir, httpPort, isSynced, ...options }),
      isReady: () => answersClickhouse(url),
      details: { url, analystUrl, dataDir },
    };
  }, parent);

/** Name of the cluster that `startClickhouseCluster` makes. */
export const CLICKHOUSE_CLUSTER = 'tsd';

/** Starts servers that know one another as the shards of one cluster, with the same users. */
export const startClickhouseCluster = async (shards: number): Promise<ClickhouseService[]> => {
  prepareProcess();
  const stateDir = mkdtempSync(join(PARENT_FOLDER, `${FOLDER_PREFIX}${process.pid}-`));
  const ports = await Promise.all(Array.from({ length: shards }, freePort));
  const password = loadSecrets(stateDir).clickhouseApp;
  const shard = (port: number): string =>
    `<shard><replica><host>${LOOPBACK}</host><port>${port}</port><user>app</user><password>${password}</password></replica></shard>`;
  const servers = `<remote_servers><${CLICKHOUSE_CLUSTER}>${ports.map(shard).join('')}</${CLICKHOUSE_CLUSTER}></remote_servers>`;
  const folder = join(projectRoot(), 'deploy/clickhouse');
  const config = readFileSync(join(folder, 'config.xml'), 'utf8')
    .replace('users.xml', join(folder, 'users.xml'))
    .replace('</clickhouse>', `${servers}</clickhouse>`);
  const configFile = join(stateDir, 'config.xml');
  writeFileSync(configFile, config);
  return Promise.all(
    ports.map((tcpPort) => startClickhouse({ member: { tcpPort, stateDir, configFile } })),
  );
};

/**
 * Starts a development chain. Its state survives `restart` of a running chain, not `kill`.
 * The funded accounts are those of anvil's default mnemonic.
 */
export const startAnvil = (options: AnvilOptions = {}): Promise<Service> =>
  startService(async (folder) => {
    const port = await freePort();
    const url = `http://${LOOPBACK}:${port}`;
    return {
      launch: launchAnvil({
        port,
        chainId: options.chainId ?? 31_337,
        dataDir: folder,
        ...(options.args ? { options: options.args } : {}),
      }),
      isReady: () => answersRpc(url),
      details: { url },
    };
  });
