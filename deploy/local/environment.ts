import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { apiConfigSchema, identityProviderOf } from '../../api/server/config.ts';
import { migrateConfigSchema } from '../../migrations/migrate.ts';
import { alertsConfigSchema } from '../../pipeline/alerts/config.ts';
import { clustersConfigSchema } from '../../pipeline/clusters/config.ts';
import { pushConfigSchema } from '../../pipeline/push/config.ts';
import { scorerConfigSchema } from '../../pipeline/scorer/config.ts';
import { watcherConfigSchema } from '../../pipeline/watcher/config.ts';
import {
  readConfig,
  readVariables,
  SECRET_SETTINGS,
  url,
  wholeNumber,
} from '../../shared/platform/config.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { DEVNET_ADDRESSES } from '../../shared/testing/devnet/devnetAddresses.ts';
import { LOOPBACK } from './launch.ts';
import { INHERITED } from './processes.ts';
import { loadSecrets, type Secrets } from './secrets.ts';

/** The ports of one stack, all on the loopback address. */
export type PortLayout = {
  api: number;
  nats: number;
  redis: number;
  clickhouseHttp: number;
  devnet: number;
  watcherHealth: number;
  scorerHealth: number;
  alertsHealth: number;
  pushHealth: number;
  clustersHealth: number;
  apiHealth: number;
};

/** The API's default port. */
const PORT_BASE_DEFAULT = 8_080;
/** Number of ports of a stack, from its base upward. */
export const PORTS_PER_STACK = 11;
/** Lower ports belong to the system. */
const PORT_BASE_MIN = 1_024;
/** The highest base whose last port exists. */
export const PORT_BASE_MAX = 65_536 - PORTS_PER_STACK;

/** Assigns a port to every part of a stack: the API at `base`, the others at the following numbers. */
export const portLayout = (base: number): PortLayout => ({
  api: base,
  nats: base + 1,
  apiHealth: base + 2,
  redis: base + 3,
  clickhouseHttp: base + 4,
  devnet: base + 5,
  watcherHealth: base + 6,
  scorerHealth: base + 7,
  alertsHealth: base + 8,
  pushHealth: base + 9,
  clustersHealth: base + 10,
});

/** Everything about one stack that is derived from its folder, its ports and the user's variables. */
export type Stack = {
  stateDir: string;
  ports: PortLayout;
  natsUrl: string;
  redisUrl: string;
  clickhouseUrl: string;
  /** Undefined with an external ClickHouse without an analyst user. */
  analystUrl: string | undefined;
  /** Comma-separated. */
  rpcUrl: string;
  apiUrl: string;
  /** Which parts this stack runs; the others are external, at the given URLs. */
  runs: { nats: boolean; redis: boolean; clickhouse: boolean; devnet: boolean };
  /** Every setting of the stack's programs. A role receives only those it reads, and its ports. */
  roleEnvironment: Readonly<Record<string, string>>;
};

/** Chain id of the development chain. */
export const DEVNET_CHAIN_ID = 31_337;
/** Defaults of roles for the development chain. */
const DEVNET_CHAIN = {
  CHAIN_ID: String(DEVNET_CHAIN_ID),
  WETH_ADDRESS: DEVNET_ADDRESSES.weth,
  STABLE_ADDRESSES: DEVNET_ADDRESSES.stable,
  /** US dollars per native unit until the stablecoin has a market: the same as in the demo. */
  NATIVE_PRICE_USD: '2000',
} as const;

/** Settings that the stack chooses: where its programs listen and where mails are written. */
const CHOSEN = { PORT: true, HEALTH_PORT: true, HEALTH_HOST: true, MAIL_DIR: true } as const;
export const CHOSEN_NAMES: ReadonlySet<string> = new Set(Object.keys(CHOSEN));

/** What the programs of a stack read, as validated by each. */
const settingsSchema = z
  .object({
    ...watcherConfigSchema.shape,
    ...scorerConfigSchema.shape,
    ...alertsConfigSchema.shape,
    ...clustersConfigSchema.shape,
    ...pushConfigSchema.shape,
    ...apiConfigSchema.shape,
    ...migrateConfigSchema.shape,
    CLICKHOUSE_ANALYST_URL: url(['http', 'https']),
    PORT_BASE: wholeNumber(PORT_BASE_MIN, PORT_BASE_MAX),
  })
  .omit(CHOSEN)
  .partial();

/** Variables of make, of its commands and of Node that a `.env` may contain besides settings. */
const OTHER_NAMES = ['STATE_DIR', 'SERVER_CACHE_DIR', 'API_KEY', 'API_URL', ...INHERITED];

/** Names that may be given to the stack. */
export const SETTING_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(settingsSchema.shape),
  ...SECRET_SETTINGS.map((name) => `${name}_FILE`),
  ...OTHER_NAMES,
]);

/** The user's variables of one stack, as text. */
export type Settings = Partial<Record<keyof typeof settingsSchema.shape, string>>;

/** Picks the stack's variables from an environment. Throws an error that names each invalid one. */
export const readSettings = (environment: NodeJS.ProcessEnv): Settings => {
  const config = readConfig(settingsSchema, environment);
  identityProviderOf({ ...config, OIDC_NAME: config.OIDC_NAME ?? '' });
  const names = Object.keys(settingsSchema.shape);
  const variables = readVariables(names, environment);
  const entries = names.map((name) => [name, variables[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value)) as Settings;
};

/** The user's own variables; those given to make take precedence. */
export const ENV_FILE = join(projectRoot(), '.env');

/** Loads the variables of `.env` into the environment of this process. */
export const loadEnvFile = (): void => {
  if (existsSync(ENV_FILE)) process.loadEnvFile(ENV_FILE);
};

/** The variables by which later commands find this stack, as typed after `make down`. */
export const variablesToRepeat = (given: NodeJS.ProcessEnv): string =>
  ['STATE_DIR', 'PORT_BASE']
    .filter((name) => given[name])
    .map((name) => ` ${name}=${shellWord(given[name] ?? '')}`)
    .join('');

const shellWord = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The folder of a stack's state: STATE_DIR, by default `.local` in the project. */
export const stateDirOf = (environment: NodeJS.ProcessEnv): string =>
  resolve(projectRoot(), environment['STATE_DIR'] || '.local');

const settingsFile = (stateDir: string): string => join(stateDir, 'stack.json');

/** Whether there is a stack in a folder: one that was started or restored there. */
export const hasStack = (stateDir: string): boolean => existsSync(settingsFile(stateDir));

/** Stores the variables of `make up`, so that later commands find the stack by its folder alone. */
export const saveSettings = (stateDir: string, settings: Settings): void => {
  mkdirSync(stateDir, { recursive: true });
  const draft = `${settingsFile(stateDir)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(settings, undefined, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(draft, settingsFile(stateDir));
};

/** The variables with which the stack was started; those of the environment if it never was. */
export const savedSettings = (stateDir: string, environment: NodeJS.ProcessEnv): Settings => {
  const file = settingsFile(stateDir);
  if (!existsSync(file)) return readSettings(environment);
  const text = readFileSync(file, 'utf8');
  try {
    return readSettings(z.record(z.string()).parse(JSON.parse(text)));
  } catch (error) {
    const cause = errorMessage(error);
    throw new Error(`${file}, the variables of the last make up: ${cause}`, { cause: error });
  }
};

/**
 * What `make up` starts, and the names of previous variables that it keeps or drops, except for the id that the node
 * returned.
 */
export type SettingsToStart = { settings: Settings; kept: string[]; left: string[] };

/**
 * The given settings; all previous ones if nothing else is given, as after a reboot. A variable given as empty is
 * dropped. A `.env` is complete, so nothing is kept beside it.
 */
export const settingsToStart = (
  stateDir: string,
  environment: NodeJS.ProcessEnv,
  hasEnvFile: boolean,
): SettingsToStart => {
  const given = readSettings(environment);
  const last = savedSettings(stateDir, {});
  const lastNames = Object.keys(last) as (keyof Settings)[];
  const missing = lastNames.filter((name) => given[name] === undefined);
  const names = missing.filter((name) => name !== 'CHAIN_ID');
  const isRepetition =
    !hasEnvFile &&
    missing.every((name) => environment[name] === undefined) &&
    (Object.keys(given) as (keyof Settings)[]).every((name) => given[name] === last[name]);
  return isRepetition
    ? { settings: last, kept: names, left: [] }
    : { settings: given, kept: [], left: names };
};

/**
 * What the demo starts: the stack in the folder, or a new one. Throws if that reads a chain of the user's, because
 * the demo uses a devnet of its own.
 */
export const settingsOfDemo = (
  stateDir: string,
  environment: NodeJS.ProcessEnv,
  hasEnvFile: boolean,
): Settings => {
  if (readSettings(environment).RPC_URL !== undefined) {
    throw new Error('RPC_URL is set, but the demo plays on a devnet of its own: leave it out');
  }
  if (savedSettings(stateDir, {}).RPC_URL !== undefined) {
    throw new Error(
      `the stack in ${stateDir} reads the chain of its RPC_URL, but the demo plays on a devnet of its own: ` +
        'give the demo another STATE_DIR and PORT_BASE',
    );
  }
  return settingsToStart(stateDir, environment, hasEnvFile).settings;
};

/** Computes a stack; creates its folder and secrets if missing, unless secrets are given. */
export const createStack = (
  stateDir: string,
  settings: Settings,
  secrets: Secrets = loadSecrets(stateDir),
): Stack => {
  const { PORT_BASE: portBase, CLICKHOUSE_ANALYST_URL: givenAnalystUrl, ...given } = settings;
  const ports = portLayout(Number(portBase ?? PORT_BASE_DEFAULT));
  const address = `${LOOPBACK}:${ports.clickhouseHttp}/tsd`;
  const natsUrl = settings.NATS_URL ?? `nats://tsd:${secrets.nats}@${LOOPBACK}:${ports.nats}`;
  const redisUrl = settings.REDIS_URL ?? `redis://:${secrets.redis}@${LOOPBACK}:${ports.redis}/0`;
  const ownClickhouseUrl = `http://app:${secrets.clickhouseApp}@${address}`;
  const clickhouseUrl = settings.CLICKHOUSE_URL ?? ownClickhouseUrl;
  const rpcUrl = settings.RPC_URL ?? `http://${LOOPBACK}:${ports.devnet}`;
  const apiUrl = `http://${LOOPBACK}:${ports.api}`;
  const ownAnalystUrl =
    settings.CLICKHOUSE_URL === undefined
      ? `http://analyst:${secrets.clickhouseAnalyst}@${address}`
      : undefined;
  return {
    stateDir,
    ports,
    natsUrl,
    redisUrl,
    clickhouseUrl,
    analystUrl: givenAnalystUrl ?? ownAnalystUrl,
    rpcUrl,
    apiUrl,
    runs: {
      nats: settings.NATS_URL === undefined,
      redis: settings.REDIS_URL === undefined,
      clickhouse: settings.CLICKHOUSE_URL === undefined,
      devnet: settings.RPC_URL === undefined,
    },
    roleEnvironment: {
      // A devnet publishes its heads by WebSocket, so the watcher does not have to poll.
      RPC_URL: `${rpcUrl},${rpcUrl.replace('http', 'ws')}`,
      ...(settings.RPC_URL === undefined ? DEVNET_CHAIN : {}),
      HOST: LOOPBACK,
      BASE_URL: apiUrl,
      KEY_PEPPER: secrets.keyPepper,
      WEBHOOK_SECRET_KEY: secrets.webhookSecretKey,
      ...given,
      NATS_URL: natsUrl,
      REDIS_URL: redisUrl,
      CLICKHOUSE_URL: clickhouseUrl,
      MAIL_DIR: join(stateDir, 'mail'),
    },
  };
};
