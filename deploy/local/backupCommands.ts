import { resolve } from 'node:path';
import { createBackup, type Stores } from '../backup/createBackup.ts';
import { restoreBackup } from '../backup/restoreBackup.ts';
import type { Stack } from './environment.ts';
import { bringUp } from './lifecycle.ts';
import { partsOf } from './parts.ts';
import { createProcesses } from './processes.ts';

/** The stores of a stack, its own and external ones. */
const storesOf = ({ clickhouseUrl, redisUrl, natsUrl, roleEnvironment }: Stack): Stores => ({
  clickhouseUrl,
  redisUrl,
  natsUrl,
  keyPepper: roleEnvironment['KEY_PEPPER'] ?? '',
  webhookSecretKey: roleEnvironment['WEBHOOK_SECRET_KEY'] ?? '',
});

const rowsOf = (tables: readonly { rows: number }[]): number =>
  tables.reduce((sum, { rows }) => sum + rows, 0);

/** Backs a stack up into the folder TO. Resolves to what was saved, in words. */
export const backUpStack = async (
  stack: Stack,
  environment: NodeJS.ProcessEnv,
): Promise<string> => {
  const to = environment['TO'];
  if (!to) throw new Error('give a new folder: make backup TO=folder');
  const { tables, redis, streams } = await createBackup(storesOf(stack), resolve(to));
  const messages = streams.reduce((sum, stream) => sum + stream.messages, 0);
  return `${rowsOf(tables)} rows of ${tables.length} tables, ${redis.keys} keys, ${messages} messages: ${to}`;
};

/**
 * Restores a stack from the folder FROM; FORCE=1 replaces what it holds. Starts its servers. Throws an error
 * while a role runs: it would write between what is restored.
 */
export const restoreStack = async (
  stack: Stack,
  environment: NodeJS.ProcessEnv,
  report: (line: string) => void,
): Promise<string> => {
  const from = environment['FROM'];
  if (!from) throw new Error('give the folder of a backup: make restore FROM=folder [FORCE=1]');
  const processes = createProcesses(stack.stateDir);
  const roles = partsOf(stack).filter(({ name, kind }) => kind === 'role' && processes.find(name));
  if (roles.length > 0) {
    throw new Error(`${roles.map(({ name }) => name).join(', ')} still run: make down first`);
  }
  await bringUp(stack, { isServersOnly: true, report });
  const force = environment['FORCE'] === '1';
  const { createdAt, tables } = await restoreBackup(storesOf(stack), resolve(from), { force });
  return `${rowsOf(tables)} rows of ${createdAt} are back; make up starts the roles`;
};
