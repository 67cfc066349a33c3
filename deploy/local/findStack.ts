import {
  createStack,
  hasStack,
  readSettings,
  type Settings,
  type Stack,
  savedSettings,
} from './environment.ts';
import type { Secrets } from './secrets.ts';

/** Settings of stores that belong to no stack: their URLs, and the keys of encrypted data. */
const STORES = [
  'CLICKHOUSE_URL',
  'REDIS_URL',
  'NATS_URL',
  'KEY_PEPPER',
  'WEBHOOK_SECRET_KEY',
] as const satisfies (keyof Settings)[];
const DEAD_LETTERS = ['NATS_URL'] as const;

/**
 * Commands that work on the stores of a stack or on others, with the settings they need. All other commands need a
 * stack.
 */
const NEEDED: Readonly<Record<string, readonly (typeof STORES)[number][]>> = {
  backup: STORES,
  restore: STORES,
  migrate: ['CLICKHOUSE_URL'],
  'dead-letters': DEAD_LETTERS,
  'dead-letter': DEAD_LETTERS,
  'replay-dead-letters': DEAD_LETTERS,
  'delete-dead-letters': DEAD_LETTERS,
};

/** Whether every secret is given, or not needed. */
export const NO_SECRETS: Secrets = {
  nats: '',
  redis: '',
  clickhouseApp: '',
  clickhouseAnalyst: '',
  keyPepper: '',
  webhookSecretKey: '',
};

/** Throws if the environment gives other stores than those of the stack, because they would be ignored. */
export const assertSameStores = (
  command: string,
  stack: Stack,
  environment: NodeJS.ProcessEnv,
): void => {
  const needed = NEEDED[command] ?? [];
  if (needed.length === 0) return;
  const given = readSettings(environment);
  const others = needed.filter(
    (name) => given[name] !== undefined && given[name] !== stack.roleEnvironment[name],
  );
  if (others.length === 0) return;
  throw new Error(
    `${others.join(', ')}: the stack in ${stack.stateDir} has another. ` +
      `Leave it out, or give a STATE_DIR without a stack`,
  );
};

/**
 * The stack that a command works on: the one in `stateDir` or, if there is none, that of the stores in the
 * environment. Writes nothing. Throws if there is neither.
 * @param repeated see `variablesToRepeat`.
 */
export const findStack = (
  command: string,
  stateDir: string,
  environment: NodeJS.ProcessEnv,
  repeated: string,
): Stack => {
  if (hasStack(stateDir)) {
    const stack = createStack(stateDir, savedSettings(stateDir, {}));
    assertSameStores(command, stack, environment);
    return stack;
  }
  const needed = NEEDED[command] ?? [];
  const given = needed.length === 0 ? {} : readSettings(environment);
  const missing = needed.filter((name) => given[name] === undefined);
  if (needed.length > 0 && missing.length === 0) {
    return createStack(stateDir, given, NO_SECRETS);
  }
  const isPartlyGiven = missing.length < needed.length;
  const toGive = isPartlyGiven ? `; without a stack, give ${missing.join(', ')} too` : '';
  throw new Error(`there is no stack in ${stateDir}: make up${repeated} starts one${toGive}`);
};
