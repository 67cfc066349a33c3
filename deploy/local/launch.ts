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
  /** Additional environment variables. */
  env: Record<string, string>;
  /** Files with its configuration and passwords: if one of them has changed, it must be restarted. */
  files?: readonly string[];
};

/** Every server of the local stack listens only here. */
export const LOOPBACK = '127.0.0.1';

const launch = (binary: Binary, args: string[]): Launch => ({
  command: binary.path,
  args: [...binary.args, ...args],
  env: binary.env,
});
const deployFile = (name: string): string => join(projectRoot(), 'deploy', name);
const flags = (values: Record<string, string | number>): string[] =>
  Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]);

/** The form in which the server stores a password. */
const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A nats-server's place in a cluster: its name, its address for the others, and theirs. */
export type NatsMember = { name: string; listen: string; routes: readonly string[] };

/**
 * A copy of a file of `deploy` in `dataDir` with added settings, readable by the owner only, because command lines
 * are visible to everybody and must not contain passwords. Synced to disk: an empty file after a power cut would
 * admit anyone.
 */
const configFileIn = (dataDir: string, name: string, settings: readonly string[]): string => {
  const file = join(dataDir, name);
  const lines = [readFileSync(deployFile(name), 'utf8'), ...settings];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600, flush: true });
  return file;
};

/**
 * From here on NATS collects garbage instead of growing. It holds 8 MiB blocks for reading and writing, 20 to 45 MiB
 * in total, and would otherwise let as much garbage accumulate on top of its peak.
 */
const NATS_HEAP_MAX = '128MiB';

/**
 * nats-server with JetStream in `dataDir`, only at the address and for the user and password in `url`. It has no
 * monitoring port, which would answer everybody.
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
  // In a failover the server writes its new role into its configuration.
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
 * The embedded ClickHouse with data in `dataDir` and the passwords of `stateDir`. It can access only its data, its
 * configuration and what Node needs to run it. Throws if the machine cannot confine it.
 * @param args.tcpPort for the other shards of a cluster; closed if absent.
 * @param args.isSynced false if confirmed data may be lost in a power cut.
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
      // Since version 24 Node does not run a program whose package file exists but is not readable.
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
      // A query has the same result on every machine: now(), today() and times without a zone.
      TZ: 'UTC',
      CLICKHOUSE_FSYNC: (args.isSynced ?? true) ? '1' : '0',
      CLICKHOUSE_APP_PASSWORD: clickhouseApp,
      CLICKHOUSE_APP_SHA256: sha256Hex(clickhouseApp),
      CLICKHOUSE_ANALYST_SHA256: sha256Hex(clickhouseAnalyst),
      // Files of the machine that Node would read before anything else.
      OPENSSL_CONF: '/dev/null',
      NODE_EXTRA_CA_CERTS: '',
      NODE_OPTIONS: '',
    },
    files: [program, configFile, ...CLICKHOUSE_USERS.map(deployFile)],
  };
};

/**
 * A development chain which mines a block per transaction unless `options` say otherwise. Everything it writes is in
 * `dataDir`: the chain, from which it continues, and gigabytes of earlier states, which it would otherwise leave in
 * the user's home when it is killed.
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
