import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { confine } from './confinement.ts';
import { loadSecrets } from './secrets.ts';
import { anvil, type Binary, natsServer, redisServer } from './serverBinaries.ts';

/** A process to start. */
export type Launch = {
  command: string;
  args: string[];
  /** What its environment holds beside the caller's. */
  env: Record<string, string>;
  /** Files it reads its configuration and passwords from: where one of them has changed, it has to be started again. */
  files?: readonly string[];
};

/** Every server of the local stack listens here only. */
export const LOOPBACK = '127.0.0.1';

const launch = (binary: Binary, args: string[]): Launch => ({
  command: binary.path,
  args: [...binary.args, ...args],
  env: binary.env,
});
const deployFile = (name: string): string => join(projectRoot(), 'deploy', name);
const flags = (values: Record<string, string | number>): string[] =>
  Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]);

/** The form in which the server knows a password. */
const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A nats-server's place in a cluster: its name, where it listens for the others, and where they do. */
export type NatsMember = { name: string; listen: string; routes: readonly string[] };

/**
 * A copy of a file of `deploy` in `dataDir` with settings added, for the owner alone: command lines, which
 * everybody can read, hold no password. Synced: an empty one after a power cut would let everybody in.
 */
const configFileIn = (dataDir: string, name: string, settings: readonly string[]): string => {
  const file = join(dataDir, name);
  const lines = [readFileSync(deployFile(name), 'utf8'), ...settings];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600, flush: true });
  return file;
};

/**
 * From here on NATS collects garbage instead of growing: it holds blocks of 8 MiB that are written and read, 20 to 45 MiB in use, and would
 * let as much garbage gather beside the most it ever held.
 */
const NATS_HEAP_MAX = '128MiB';

/**
 * nats-server with JetStream in `dataDir`, at the address and for the user and password in `url` alone. It has
 * no monitoring port, which would answer everybody.
 */
export const launchNats = async (args: {
  dataDir: string;
  url: string;
  member?: NatsMember;
}): Promise<Launch> => {
  const { member } = args;
  const { hostname, port, username, password } = new URL(args.url);
  const login = `authorization { user: "${username}", password: "${password}" }`;
  const configFile = configFileIn(args.dataDir, 'nats.conf', [login]);
  const options = flags({
    config: configFile,
    addr: hostname,
    port,
    store_dir: args.dataDir,
    ...(member && {
      name: member.name,
      cluster_name: 'tsd',
      cluster: member.listen,
      routes: member.routes.join(','),
    }),
  });
  const { command, args: natsArgs, env } = launch(await natsServer(), ['--jetstream', ...options]);
  return {
    command,
    args: natsArgs,
    env: { ...env, GOMEMLIMIT: NATS_HEAP_MAX },
    files: [configFile],
  };
};

/** redis-server with its append-only file in `dataDir`, at the address and with the password in `url`. */
export const launchRedis = async (args: {
  dataDir: string;
  url: string;
  options?: readonly string[];
}): Promise<Launch> => {
  const { hostname, port, password } = new URL(args.url);
  const options = flags({ bind: hostname, port, dir: args.dataDir });
  // In a failover the server writes its new place into its configuration.
  const configFile = configFileIn(args.dataDir, 'redis.conf', [
    `requirepass ${password}`,
    `masterauth ${password}`,
  ]);
  const redis = launch(await redisServer(), [configFile, ...options, ...(args.options ?? [])]);
  return { ...redis, files: [configFile] };
};

/** A sentinel, which writes its state into its configuration file. */
export const launchSentinel = async (configFile: string): Promise<Launch> =>
  launch(await redisServer(), [configFile, '--sentinel']);

/** What the embedded ClickHouse reads beside its configuration: its users with their limits. */
const CLICKHOUSE_USERS = ['clickhouse/users.xml', 'clickhouse/users.d/embedded.xml'];

/**
 * The embedded ClickHouse with data in `dataDir` and the passwords of `stateDir`. Of the file system it reaches its
 * data, its configuration and what Node needs to run it. Throws where the machine cannot confine it.
 * @param args.tcpPort for the other shards of a cluster; it does not listen for them where absent.
 * @param args.isSynced false where what was confirmed may be lost with the power.
 */
export const launchClickhouse = async (args: {
  dataDir: string;
  stateDir: string;
  httpPort: number;
  tcpPort?: number;
  configFile?: string;
  isSynced?: boolean;
}): Promise<Launch> => {
  const { clickhouseApp, clickhouseAnalyst } = loadSecrets(args.stateDir);
  const program = fileURLToPath(import.meta.resolve('./clickhouseServer.mjs'));
  const configFile = args.configFile ?? deployFile('clickhouse/config.xml');
  const confined = await confine({
    read: [
      program,
      configFile,
      deployFile('clickhouse'),
      join(projectRoot(), 'node_modules'),
      // Since version 24 Node does not run a program whose package file it finds but may not read.
      join(projectRoot(), 'package.json'),
    ],
    write: [args.dataDir],
  });
  const ports = [args.httpPort, args.tcpPort].filter((port) => port !== undefined).map(String);
  const argv = [process.execPath, program, args.dataDir, configFile, ...ports];
  return {
    ...launch(confined, argv),
    env: {
      ...confined.env,
      // A query means the same on every machine: now(), today() and times without a zone.
      TZ: 'UTC',
      CLICKHOUSE_FSYNC: (args.isSynced ?? true) ? '1' : '0',
      CLICKHOUSE_APP_PASSWORD: clickhouseApp,
      CLICKHOUSE_APP_SHA256: sha256Hex(clickhouseApp),
      CLICKHOUSE_ANALYST_SHA256: sha256Hex(clickhouseAnalyst),
      // Files of the machine which Node would read before anything else.
      OPENSSL_CONF: '/dev/null',
      NODE_EXTRA_CA_CERTS: '',
      NODE_OPTIONS: '',
    },
    files: [program, configFile, ...CLICKHOUSE_USERS.map(deployFile)],
  };
};

/**
 * A development chain which mines a block per transaction unless `options` say otherwise. All it writes is in `dataDir`: the chain, which it
 * goes on with, and gigabytes of earlier states, which it would put into the user's home and leave there when it is killed.
 */
export const launchAnvil = (args: {
  port: number;
  chainId: number;
  dataDir: string;
  options?: readonly string[];
}): Launch => {
  const states = join(args.dataDir, 'states');
  rmSync(states, { recursive: true, force: true });
  const own = flags({
    host: LOOPBACK,
    port: args.port,
    'chain-id': args.chainId,
    state: join(args.dataDir, 'chain.json'),
    'cache-path': states,
  });
  return launch(anvil(), ['--silent', ...own, ...(args.options ?? [])]);
};
