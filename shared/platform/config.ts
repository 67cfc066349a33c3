import { readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ADDRESS_RULE, ADDRESS_TEXT } from '../chain/address.ts';
import { CHAIN_PROFILES } from '../chain/chains.ts';
import { FatalError } from './errors.ts';

/** One URL, kept as text. */
export const url = (protocols: readonly string[]) =>
  z.string().refine((text) => isUrl(text, protocols), {
    message: `must be a URL with ${protocols.map((p) => `${p}://`).join(' or ')}`,
  });

/** One or more URLs, comma-separated, kept as text. */
const urls = (protocols: readonly string[]) =>
  z.string().refine((text) => text.split(',').every((part) => isUrl(part.trim(), protocols)), {
    message: `must be URLs with ${protocols.map((p) => `${p}://`).join(' or ')}, comma-separated`,
  });

const isUrl = (text: string, protocols: readonly string[]): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocols.includes(protocol.slice(0, -1)) && hostname !== '';
};

const address = z
  .string()
  .regex(ADDRESS_TEXT, ADDRESS_RULE)
  .transform((text) => text.toLowerCase() as `0x${string}`);

const list = <T extends z.ZodTypeAny>(item: T) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    )
    .pipe(z.array(item).min(1, 'must have at least one entry'));

/** False unless it is 1. */
export const flag = z
  .enum(['0', '1'])
  .default('0')
  .transform((text) => text === '1');

/** A whole number in decimal digits, within bounds. */
export const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d+$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message));
};

const SECRET_LENGTH_MIN = 32;
const secret = z
  .string()
  .min(SECRET_LENGTH_MIN, `must have at least ${SECRET_LENGTH_MIN} characters`);

/** An e-mail address, alone or in angle brackets after a name; the domain may be a local host name. */
const MAILBOX = /^(?:[^\s<>@]+@[^\s<>@]+|[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>)$/;

/** Environment variables that more than one role reads, each defined once. */
export const fields = {
  NATS_URL: urls(['nats', 'tls']).default('nats://127.0.0.1:4222'),
  /** Servers of a NATS cluster that store each stream; the same for every role. */
  NATS_REPLICAS: z
    .enum(['1', '3', '5'])
    .default('1')
    .transform((text) => Number(text)),
  CLICKHOUSE_URL: url(['http', 'https']).default('http://default@127.0.0.1:8123/tsd'),
  /** One server, or the sentinels that know the primary: see `connectRedis`. */
  REDIS_URL: urls(['redis', 'rediss', 'sentinel']).default('redis://127.0.0.1:6379/0'),
  RPC_URL: list(url(['http', 'https', 'ws', 'wss'])),
  CHAIN_ID: wholeNumber(1, Number.MAX_SAFE_INTEGER).default('1'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  HEALTH_PORT: wholeNumber(0, 65_535).default('0'),
  /** Address on which `/healthz` and `/readyz` listen; 0.0.0.0 if an orchestrator probes from outside. */
  HEALTH_HOST: z.string().ip().default('127.0.0.1'),
  /** Milliseconds between two heartbeats of a role; the API considers a role late after three. */
  HEARTBEAT_MS: wholeNumber(100, 60_000).default('5000'),
  /** OpenTelemetry collector for spans of blocks, OTLP over HTTP; no spans are sent if absent. */
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http', 'https']).optional(),
  /** The secret for key digests: without it, guessed keys cannot be verified. */
  KEY_PEPPER: secret,
  WEBHOOK_SECRET_KEY: secret,
  /** Seconds before each retry of a delivery. */
  WEBHOOK_RETRY_DELAYS_S: z
    .string()
    .regex(/^\d{1,7}(,\d{1,7}){0,31}$/, 'must be whole seconds, such as 5,300,1800')
    .transform((text) => text.split(',').map(Number))
    .optional(),
  /** 1 allows webhooks to private addresses, over http and on any port: for tests and on-premise use. */
  WEBHOOK_ALLOW_PRIVATE: flag,
  /** Public address of the API, for callers and for links in messages. */
  BASE_URL: url(['http', 'https'])
    .refine((text) => !/[\s?#]/.test(text), 'must be without ?, # and spaces')
    .transform((text) => text.replace(/\/+$/, ''))
    .optional(),
  /** Mail server, `smtp://user:password@host:port`; without one, mails are files in MAIL_DIR. */
  MAIL_URL: url(['smtp', 'smtps']).optional(),
  MAIL_DIR: z.string().min(1).default(join(tmpdir(), 'token-scam-detection-mail')),
  MAIL_FROM: z
    .string()
    .regex(MAILBOX, 'must be an e-mail address, or a name and <address>')
    .default('Token Scam Detection <no-reply@localhost>'),
  WETH_ADDRESS: address.optional(),
  STABLE_ADDRESSES: list(address).optional(),
  NATIVE_PRICE_USD: z
    .string()
    .regex(/^\d{1,9}(\.\d+)?$/, 'must be a decimal number of US dollars, such as 2500.50')
    .transform(Number)
    .optional(),
  /** Share of scams that the operator expects among scored tokens. */
  PRIOR_SCAM_RATE: z
    .string()
    .regex(/^0\.\d+$/, 'must be a share between 0 and 1, such as 0.5')
    .transform(Number)
    .pipe(z.number().min(0.001, 'must be 0.001 or more').max(0.999, 'must be 0.999 or less'))
    .optional(),
} as const;

/** Settings that every pipeline role has. */
export const roleFields = {
  NATS_URL: fields.NATS_URL,
  NATS_REPLICAS: fields.NATS_REPLICAS,
  CHAIN_ID: fields.CHAIN_ID,
  LOG_LEVEL: fields.LOG_LEVEL,
  HEALTH_PORT: fields.HEALTH_PORT,
  HEALTH_HOST: fields.HEALTH_HOST,
  HEARTBEAT_MS: fields.HEARTBEAT_MS,
  OTEL_EXPORTER_OTLP_ENDPOINT: fields.OTEL_EXPORTER_OTLP_ENDPOINT,
} as const;

/** Settings of every role that reads from JetStream and stores in ClickHouse. */
export const readerFields = { ...roleFields, CLICKHOUSE_URL: fields.CLICKHOUSE_URL } as const;
export type ReaderConfig = z.output<z.ZodObject<typeof readerFields>>;

/** Settings for valuing pools in US dollars. */
export const pricingFields = {
  WETH_ADDRESS: fields.WETH_ADDRESS,
  STABLE_ADDRESSES: fields.STABLE_ADDRESSES,
  NATIVE_PRICE_USD: fields.NATIVE_PRICE_USD,
} as const;

/**
 * Settings that are or contain a secret. Each may be given as a file instead:
 * `KEY_PEPPER_FILE=/run/secrets/key_pepper`.
 */
export const SECRET_SETTINGS = [
  'NATS_URL',
  'CLICKHOUSE_URL',
  'CLICKHOUSE_ANALYST_URL',
  'REDIS_URL',
  'RPC_URL',
  'KEY_PEPPER',
  'WEBHOOK_SECRET_KEY',
  'MAIL_URL',
  'OIDC_CLIENT_SECRET',
] as const;
const FILE_SUFFIX = '_FILE';
/** Maximum bytes of a secret's file: a larger file is a mistake. */
const SECRET_BYTES_MAX = 64 * 1024;

/** Empty variables count as absent: `FOO= make up` means "not set". */
const withoutEmpty = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => !!entry[1]),
  );

/** The text of a secret's file, without the final newline that most editors add; or why it cannot be read. */
const readSecret = (path: string): { text: string } | { problem: string } => {
  try {
    const { size } = statSync(path);
    if (size > SECRET_BYTES_MAX) return { problem: `has more than ${SECRET_BYTES_MAX} bytes` };
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return text === '' ? { problem: 'is empty' } : { text };
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
};

/**
 * The variables that are set; for each secret X of `names`, the contents of `X_FILE` if that is given.
 * @throws FatalError that names each secret given twice and each unreadable file.
 */
export const readVariables = (
  names: readonly string[],
  environment: NodeJS.ProcessEnv,
): Record<string, string> => {
  const given = withoutEmpty(environment);
  const variables = { ...given };
  const problems: string[] = [];
  for (const name of SECRET_SETTINGS.filter((secretName) => names.includes(secretName))) {
    const fileName = `${name}${FILE_SUFFIX}`;
    const path = given[fileName];
    if (path === undefined) continue;
    const secretText = readSecret(path);
    if (given[name] !== undefined) {
      problems.push(`  ${name}: must not be set together with ${fileName}`);
    } else if ('text' in secretText) variables[name] = secretText.text;
    else problems.push(`  ${fileName}: the file ${path} ${secretText.problem}`);
  }
  if (problems.length > 0) throw new FatalError(`wrong configuration\n${problems.join('\n')}`);
  return variables;
};

/**
 * Reads a role's configuration. This is the only reader of the environment.
 * @throws FatalError that names every invalid variable and the allowed values, never the value given.
 */
export const readConfig = <S extends z.ZodTypeAny>(
  schema: S,
  environment: NodeJS.ProcessEnv = process.env,
): z.output<S> => {
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const parsed = schema.safeParse(readVariables(names, environment));
  if (parsed.success) return parsed.data as z.output<S>;
  const lines = parsed.error.issues.map((issue) => {
    const missing = issue.code === 'invalid_type' && issue.received === 'undefined';
    const message =
      issue.code === 'invalid_enum_value'
        ? `must be one of ${issue.options.join(', ')}`
        : issue.message;
    const [name = 'environment', ...inner] = issue.path;
    const path = inner.filter((part) => typeof part === 'string').join('.');
    const place = path === '' ? '' : `${path}: `;
    return `  ${name}: ${place}${missing ? 'must be set' : message}`;
  });
  throw new FatalError(`wrong configuration\n${lines.join('\n')}`);
};

/** What a role needs to value a pool in US dollars. */
export interface PricingConfig {
  readonly weth: `0x${string}`;
  readonly stables: readonly `0x${string}`[];
  readonly nativePriceUsd: number;
}

/**
 * The base tokens of a chain: from the environment, else from the chain's profile.
 * @throws FatalError for an unknown chain without WETH_ADDRESS.
 */
export const pricingOf = (
  config: { CHAIN_ID: number } & z.output<z.ZodObject<typeof pricingFields>>,
): PricingConfig => {
  const known = CHAIN_PROFILES.get(config.CHAIN_ID);
  const weth = config.WETH_ADDRESS ?? known?.weth;
  if (!weth) throw new FatalError(`WETH_ADDRESS: must be set for chain ${config.CHAIN_ID}`);
  return {
    weth,
    stables: config.STABLE_ADDRESSES ?? known?.stables.map(({ address }) => address) ?? [],
    nativePriceUsd: config.NATIVE_PRICE_USD ?? known?.nativePriceUsd ?? 0,
  };
};
