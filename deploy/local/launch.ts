import { createHash } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../../shared/runtime/projectRoot.ts';
import { secretsFile } from './secrets.ts';
import { anvil, type Binary, natsServer, redisServer } from './serverBinaries.ts';

/** A process to start: program, arguments, and what its environment holds beside the caller's. */
export type Launch = { command: string; args: string[]; env: Record<string, string> };

/** Every server of the local stack listens here only. */
export const LOOPBACK = '127.0.0.1';

const launch = ({ path, env }: Binary, args: string[]): Launch => ({ command: path, args, env });
const deployFile = (name: string): string => join(projectRoot(), 'deploy', name);
const flags = (values: Record<string, string | number>): string[] =>
  Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]);

/** A nats-server's place in a cluster: its name, where it listens for the others, and where they do. */
export type NatsMember = { name: string; listen: string; routes: readonly string[] };

/** nats-server with JetStream in `dataDir`; its health is served on `monitoringPort`. */
export const launchNats = async (args: {
  dataDir: string;
  port: number;
  monitoringPort: number;
  address?: string;
  member?: NatsMember;
}): Promise<Launch> => {
  const { member } = args;
  const options = flags({
    config: deployFile('nats.conf'),
    addr: args.address ?? LOOPBACK,
    port: args.port,
    http_port: args.monitoringPort,
    store_dir: args.dataDir,
    ...(member && {
      name: member.name,
      cluster_name: 'tsd',
      cluster: member.listen,
      routes: member.routes.join(','),
    }),
  });
  return launch(await natsServer(), ['--jetstream', ...options]);
};

/** redis-server with its append-only file in `dataDir`. */
export const launchRedis = async (args: {
  dataDir: string;
  port: number;
  options?: readonly string[];
}): Promise<Launch> => {
  const options = flags({ bind: LOOPBACK, port: args.port, dir: args.dataDir });
  // A copy: in a failover the server writes its new place into its configuration.
  const configFile = join(args.dataDir, 'redis.conf');
  copyFileSync(deployFile('redis.conf'), configFile);
  return launch(await redisServer(), [configFile, ...options, ...(args.options ?? [])]);
};

/** A sentinel, which writes what it learns into its configuration file. */
export const launchSentinel = async (configFile: string): Promise<Launch> =>
  launch(await redisServer(), [configFile, '--sentinel']);

/**
 * The embedded ClickHouse with data in `dataDir` and the passwords of `stateDir`.
 * @param args.isSynced false where what was confirmed may be lost with the power.
 */
export const launchClickhouse = (args: {
  dataDir: string;
  stateDir: string;
  httpPort: number;
  tcpPort: number;
  configFile?: string;
  isSynced?: boolean;
}): Launch => ({
  command: process.execPath,
  args: [
    '--import',
    import.meta.resolve('tsx'),
    fileURLToPath(import.meta.resolve('./clickhouseServer.ts')),
    args.dataDir,
    secretsFile(args.stateDir),
    String(args.httpPort),
    String(args.tcpPort),
    args.configFile ?? deployFile('clickhouse/config.xml'),
  ],
  env: { CLICKHOUSE_FSYNC: (args.isSynced ?? true) ? '1' : '0' },
});

/** A development chain which mines a block per transaction unless `options` say otherwise. */
export const launchAnvil = (args: {
  port: number;
  chainId: number;
  options?: readonly string[];
}): Launch => {
  const own = flags({ host: LOOPBACK, port: args.port, 'chain-id': args.chainId });
  return launch(anvil(), ['--silent', ...own, ...(args.options ?? [])]);
};

/** The form in which the server knows a password. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');
