import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { retentionFields } from '../../migrations/retention.ts';
import { fields, readConfig, readVariables, wholeNumber } from '../../shared/runtime/config.ts';
import { projectRoot } from '../../shared/runtime/projectRoot.ts';
import { DEVNET_ADDRESSES } from '../../shared/testing/devnet/devnetAddresses.ts';
import { LOOPBACK } from './launch.ts';
import {
  PORT_BASE_DEFAULT,
  PORT_BASE_MAX,
  PORT_BASE_MIN,
  type PortLayout,
  portLayout,
} from './portLayout.ts';
import { loadSecrets } from './secrets.ts';

/** Everything about one stack that follows from its folder, its ports and the user's variables. */
export type Stack = {
  stateDir: string;
  ports: PortLayout;
  natsUrl: string;
  redisUrl: string;
  clickhouseUrl: string;
  /** Undefined with an external ClickHouse whose analyst is not given. */
  analystUrl: string | undefined;
  /** Comma-separated. */
  rpcUrl: string;
  apiUrl: string;
  /** Which parts this stack runs by itself; the others are reached at the URLs given. */
  runs: { nats: boolean; redis: boolean; clickhouse: boolean; devnet: boolean };
  /** What every role is given; ports are added per role. */
  roleEnvironment: Record<string, string>;
};

/** Chain id of the development chain. */
export const DEVNET_CHAIN_ID = 31_337;
/** US dollars per native unit on the devnet until its stable coin has a market: the same as there. */
const DEVNET_NATIVE_PRICE_USD = '2000';

const url = z.string().url();
/** What a user may set; values are kept as given, so that roles parse them themselves. */
const SETTINGS = {
  PORT_BASE: wholeNumber(PORT_BASE_MIN, PORT_BASE_MAX).optional(),
  RPC_URL: fields.RPC_URL.optional(),
  CHAIN_ID: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  START_BLOCK: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
  NATS_URL: fields.NATS_URL,
  NATS_REPLICAS: fields.NATS_REPLICAS,
  CLICKHOUSE_URL: url.optional(),
  CLICKHOUSE_CLUSTER: z.string().optional(),
  CLICKHOUSE_ANALYST_URL: url.optional(),
  REDIS_URL: fields.REDIS_URL,
  WETH_ADDRESS: fields.WETH_ADDRESS,
  STABLE_ADDRESSES: fields.STABLE_ADDRESSES,
  NATIVE_PRICE_USD: fields.NATIVE_PRICE_USD,
  PRIOR_SCAM_RATE: fields.PRIOR_SCAM_RATE,
  LOG_LEVEL: fields.LOG_LEVEL,
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  KEY_PEPPER: fields.KEY_PEPPER.optional(),
  WEBHOOK_SECRET_KEY: fields.WEBHOOK_SECRET_KEY,
  WEBHOOK_ALLOW_PRIVATE: fields.WEBHOOK_ALLOW_PRIVATE,
  WEBHOOK_RETRY_DELAYS_S: fields.WEBHOOK_RETRY_DELAYS_S,
  ...retentionFields,
  HOST: z.string().optional(),
  BASE_URL: url.optional(),
  MAIL_URL: z.string().optional(),
  MAIL_FROM: z.string().optional(),
  OIDC_ISSUER: url.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().optional(),
  OPERATORS: z.string().optional(),
  PLAN_GATE: z.string().optional(),
  TRUSTED_PROXIES: z.string().optional(),
  ADDRESS_REQUESTS_MAX: z.string().optional(),
  ADDRESS_CONNECTIONS_MAX: z.string().optional(),
  DRAIN_DELAY_MS: z.string().optional(),
} as const;

/** Variables that roles receive unchanged when the user gives them. */
const PASSED_ON = [
  'START_BLOCK',
  'NATS_REPLICAS',
  'CLICKHOUSE_CLUSTER',
  'STABLE_ADDRESSES',
  'PRIOR_SCAM_RATE',
  'LOG_LEVEL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'WEBHOOK_SECRET_KEY',
  'WEBHOOK_ALLOW_PRIVATE',
  'WEBHOOK_RETRY_DELAYS_S',
  'RETENTION_ALERTS_DAYS',
  'RETENTION_DELIVERIES_DAYS',
  'RETENTION_USAGE_DAYS',
  'RETENTION_VERDICTS_DAYS',
  'RETENTION_FACTS_DAYS',
] as const;

/** Variables of the API and its dashboard; its own schema checks them. */
const DASHBOARD = [
  'MAIL_URL',
  'MAIL_FROM',
  'OIDC_ISSUER',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'OIDC_NAME',
  'OPERATORS',
  'PLAN_GATE',
  'TRUSTED_PROXIES',
  'ADDRESS_REQUESTS_MAX',
  'ADDRESS_CONNECTIONS_MAX',
  'DRAIN_DELAY_MS',
] as const;

/** The user's variables of one stack, as text. */
export type Settings = Partial<Record<keyof typeof SETTINGS, string>>;

/** Picks the stack's variables out of an environment. Throws an error that names each wrong one. */
export const readSettings = (environment: NodeJS.ProcessEnv): Settings => {
  readConfig(z.object(SETTINGS), environment);
  const variables = readVariables(Object.keys(SETTINGS), environment);
  const entries = Object.keys(SETTINGS).map((name) => [name, variables[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value)) as Settings;
};

/** The folder of a stack's state: STATE_DIR, by default `.local` in the project. */
export const stateDirOf = (environment: NodeJS.ProcessEnv): string =>
  resolve(projectRoot(), environment['STATE_DIR'] || '.local');

const settingsFile = (stateDir: string): string => join(stateDir, 'stack.json');

/** Remembers the variables of `make up`, so that later commands find the stack by its folder alone. */
export const saveSettings = (stateDir: string, settings: Settings): void => {
  mkdirSync(stateDir, { recursive: true });
  const draft = `${settingsFile(stateDir)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(settings, undefined, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(draft, settingsFile(stateDir));
};

/** The variables the stack was started with; those of the environment when it never was. */
export const savedSettings = (stateDir: string, environment: NodeJS.ProcessEnv): Settings => {
  const file = settingsFile(stateDir);
  if (!existsSync(file)) return readSettings(environment);
  return readSettings(z.record(z.string()).parse(JSON.parse(readFileSync(file, 'utf8'))));
};

const chainEnvironment = (settings: Settings): Record<string, string> => {
  if (settings.RPC_URL !== undefined) {
    const { CHAIN_ID, WETH_ADDRESS, NATIVE_PRICE_USD } = settings;
    return defined({ CHAIN_ID, WETH_ADDRESS, NATIVE_PRICE_USD });
  }
  return {
    CHAIN_ID: settings.CHAIN_ID ?? String(DEVNET_CHAIN_ID),
    WETH_ADDRESS: settings.WETH_ADDRESS ?? DEVNET_ADDRESSES.weth,
    STABLE_ADDRESSES: settings.STABLE_ADDRESSES ?? DEVNET_ADDRESSES.stable,
    NATIVE_PRICE_USD: settings.NATIVE_PRICE_USD ?? DEVNET_NATIVE_PRICE_USD,
  };
};

const defined = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

/** Computes a stack; makes its folder and secrets when they are missing. */
export const createStack = (stateDir: string, settings: Settings): Stack => {
  const secrets = loadSecrets(stateDir);
  const ports = portLayout(Number(settings.PORT_BASE ?? PORT_BASE_DEFAULT));
  const address = `${LOOPBACK}:${ports.clickhouseHttp}/tsd`;
  const natsUrl = settings.NATS_URL ?? `nats://${LOOPBACK}:${ports.nats}`;
  const redisUrl = settings.REDIS_URL ?? `redis://${LOOPBACK}:${ports.redis}/0`;
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
    analystUrl: settings.CLICKHOUSE_ANALYST_URL ?? ownAnalystUrl,
    rpcUrl,
    apiUrl,
    runs: {
      nats: settings.NATS_URL === undefined,
      redis: settings.REDIS_URL === undefined,
      clickhouse: settings.CLICKHOUSE_URL === undefined,
      devnet: settings.RPC_URL === undefined,
    },
    roleEnvironment: {
      NATS_URL: natsUrl,
      REDIS_URL: redisUrl,
      CLICKHOUSE_URL: clickhouseUrl,
      // A devnet tells its heads by WebSocket, so that the watcher need not ask for them.
      RPC_URL: settings.RPC_URL ?? `${rpcUrl},${rpcUrl.replace('http', 'ws')}`,
      ...chainEnvironment(settings),
      ...defined(Object.fromEntries(PASSED_ON.map((name) => [name, settings[name]]))),
      HOST: settings.HOST ?? LOOPBACK,
      BASE_URL: settings.BASE_URL ?? apiUrl,
      KEY_PEPPER: settings.KEY_PEPPER ?? secrets.keyPepper,
      MAIL_DIR: join(stateDir, 'mail'),
      ...defined(Object.fromEntries(DASHBOARD.map((name) => [name, settings[name]]))),
    },
  };
};
