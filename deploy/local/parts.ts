import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { apiConfigSchema } from '../../api/server/config.ts';
import { alertsConfigSchema } from '../../pipeline/alerts/config.ts';
import { clustersConfigSchema } from '../../pipeline/clusters/config.ts';
import { pushConfigSchema } from '../../pipeline/push/config.ts';
import { scorerConfigSchema } from '../../pipeline/scorer/config.ts';
import { watcherConfigSchema } from '../../pipeline/watcher/config.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { DEVNET_CHAIN_ID, type Stack } from './environment.ts';
import {
  type Launch,
  LOOPBACK,
  launchAnvil,
  launchClickhouse,
  launchNats,
  launchRedis,
} from './launch.ts';
import {
  answersClickhouse,
  answersHttp,
  answersNats,
  answersRedis,
  answersRpc,
  dependenciesDown,
} from './probes.ts';

/** One process of the stack. A part without `launch` is external. */
export type Part = {
  name: string;
  kind: 'server' | 'role';
  /** Ports that must be free before it starts. */
  ports: number[];
  launch: (() => Promise<Launch>) | undefined;
  isReady: () => Promise<boolean>;
  /** Which of its dependencies a role waits for. */
  waitsFor?: () => Promise<string[]>;
};

type Role = {
  name: string;
  /** Node options. */
  program: string[];
  /** Its configuration: of the stack's settings it receives those named here. */
  schema: z.AnyZodObject;
  /** Port of its probes and metrics. */
  healthPort: keyof Stack['ports'];
};

const PIPELINE = 'dist/pipeline/main.js';
/**
 * MiB for young objects, 16 by default: the objects of a batch live until it is stored. A backfill then takes an
 * eighth less CPU time.
 */
export const YOUNG_OBJECTS = '--max-semi-space-size=32';
/** The roles in the order they are listed; they may start in any. */
const ROLES: readonly Role[] = [
  {
    name: 'watcher',
    program: [YOUNG_OBJECTS, PIPELINE, 'watcher'],
    schema: watcherConfigSchema,
    healthPort: 'watcherHealth',
  },
  {
    name: 'scorer',
    program: [YOUNG_OBJECTS, PIPELINE, 'scorer'],
    schema: scorerConfigSchema,
    healthPort: 'scorerHealth',
  },
  {
    name: 'alerts',
    program: [PIPELINE, 'alerts'],
    schema: alertsConfigSchema,
    healthPort: 'alertsHealth',
  },
  {
    name: 'clusters',
    program: [PIPELINE, 'clusters'],
    schema: clustersConfigSchema,
    healthPort: 'clustersHealth',
  },
  { name: 'push', program: [PIPELINE, 'push'], schema: pushConfigSchema, healthPort: 'pushHealth' },
  { name: 'api', program: ['dist/api/main.js'], schema: apiConfigSchema, healthPort: 'apiHealth' },
];

/** The roles in the order of restarts: readers of a message before its writers (deploy/DEPLOY.md). */
const ROLL_ORDER = ['api', 'push', 'alerts', 'clusters', 'scorer', 'watcher'];

/** Roles as they are restarted one after the other. */
export const inRollOrder = (roles: readonly Part[]): Part[] =>
  roles.toSorted((a, b) => ROLL_ORDER.indexOf(a.name) - ROLL_ORDER.indexOf(b.name));

/** Only the settings that a program reads: a scorer must not have the secrets of the API. */
const settingsFor = ({ roleEnvironment }: Stack, schema: z.AnyZodObject): Record<string, string> =>
  Object.fromEntries(Object.entries(roleEnvironment).filter(([name]) => name in schema.shape));

const rolePart = (stack: Stack, { name, program, schema, healthPort }: Role): Part => {
  const health = stack.ports[healthPort];
  const isApi = name === 'api';
  const ownPort = isApi ? { PORT: String(stack.ports.api) } : {};
  // The API is ready when it answers on its public port.
  const probed = isApi ? stack.ports.api : health;
  return {
    name,
    kind: 'role',
    ports: isApi ? [stack.ports.api, health] : [health],
    launch: async () => ({
      command: process.execPath,
      args: program.map((part) => (part.startsWith('dist/') ? join(projectRoot(), part) : part)),
      env: { ...settingsFor(stack, schema), ...ownPort, HEALTH_PORT: String(health) },
    }),
    isReady: () => answersHttp(`http://${LOOPBACK}:${probed}/readyz`),
    waitsFor: () => dependenciesDown(`http://${LOOPBACK}:${probed}/readyz`),
  };
};

const dataDir = (stack: Stack, name: string): string => {
  const folder = join(stack.stateDir, 'data', name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
};

/** Seconds of the chain that a killed devnet may lose. */
const DEVNET_SAVED_EVERY_S = 5;

/** Differences between the servers: how each is started if the stack runs it, and probed, here or elsewhere. */
const serverParts = (stack: Stack): Part[] => {
  const { stateDir, ports, runs, natsUrl, redisUrl, clickhouseUrl, rpcUrl } = stack;
  const server = (
    name: keyof Stack['runs'],
    port: number,
    launch: (dataDir: string) => Promise<Launch>,
    isReady: () => Promise<boolean>,
  ): Part => ({
    name,
    kind: 'server',
    ports: runs[name] ? [port] : [],
    launch: runs[name] ? () => launch(dataDir(stack, name)) : undefined,
    isReady,
  });
  const chainId = Number(stack.roleEnvironment['CHAIN_ID'] ?? DEVNET_CHAIN_ID);
  const options = [
    '--state-interval',
    String(DEVNET_SAVED_EVERY_S),
    '--preserve-historical-states',
  ];
  const devnet = server(
    'devnet',
    ports.devnet,
    // The chain must outlive `make down`, like the data read from it.
    async (dataDir) => launchAnvil({ port: ports.devnet, chainId, dataDir, options }),
    () => answersRpc(rpcUrl),
  );
  return [
    server(
      'nats',
      ports.nats,
      (dataDir) => launchNats({ dataDir, url: natsUrl }),
      () => answersNats(natsUrl),
    ),
    server(
      'redis',
      ports.redis,
      (dataDir) => launchRedis({ dataDir, url: redisUrl }),
      () => answersRedis(redisUrl),
    ),
    server(
      'clickhouse',
      ports.clickhouseHttp,
      (dataDir) => launchClickhouse({ dataDir, stateDir, httpPort: ports.clickhouseHttp }),
      () => answersClickhouse(clickhouseUrl),
    ),
    ...(runs.devnet ? [devnet] : []),
  ];
};

/** The parts of a stack: servers first, then roles. */
export const partsOf = (stack: Stack): Part[] => [
  ...serverParts(stack),
  ...ROLES.map((role) => rolePart(stack, role)),
];
