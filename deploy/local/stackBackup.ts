import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createBackup, type Stores } from '../backup/createBackup.ts';
import { describeBackup } from '../backup/manifest.ts';
import { openBackup, restoreBackup } from '../backup/restoreBackup.ts';
import { createStack, type Stack, savedSettings, saveSettings } from './environment.ts';
import { assertSameStores, NO_SECRETS } from './findStack.ts';
import { bringUp } from './lifecycle.ts';
import { partsOf } from './parts.ts';
import { createProcesses } from './processes.ts';
import { loadSecrets, secretsFile } from './secrets.ts';

/** The stores of a stack, its own and external ones. */
const storesOf = ({ clickhouseUrl, redisUrl, natsUrl, roleEnvironment }: Stack): Stores => ({
  clickhouseUrl,
  redisUrl,
  natsUrl,
  keyPepper: roleEnvironment['KEY_PEPPER'] ?? '',
  webhookSecretKey: roleEnvironment['WEBHOOK_SECRET_KEY'] ?? '',
});

/** Backs a stack up into the folder TO. Resolves to what was saved, in words. */
export const backUpStack = async (
  stack: Stack,
  environment: NodeJS.ProcessEnv,
): Promise<string> => {
  const to = environment['TO'];
  if (!to) throw new Error('give a new folder: make backup TO=folder');
  return `${describeBackup(await createBackup(storesOf(stack), resolve(to)))}: ${to}`;
};

/**
 * Restores a stack from the folder FROM; FORCE=1 replaces what it holds. Starts its servers. Throws an error
 * while a role runs: it would write between what is restored.
 */
export const restoreStack = async (
  stateDir: string,
  environment: NodeJS.ProcessEnv,
  report: (line: string) => void,
): Promise<string> => {
  const { FROM: from, FORCE: force } = environment;
  if (!from) throw new Error('give the folder of a backup: make restore FROM=folder [FORCE=1]');
  if (!existsSync(from)) throw new Error(`FROM: there is no folder ${from}`);
  const settings = savedSettings(stateDir, environment);
  // Before anything is written: if the folder has no secrets, the given ones must be those of the backup.
  const secrets = existsSync(secretsFile(stateDir)) ? loadSecrets(stateDir) : NO_SECRETS;
  const found = createStack(stateDir, settings, secrets);
  assertSameStores('restore', found, environment);
  openBackup(resolve(from), storesOf(found));
  const processes = createProcesses(stateDir);
  const roles = partsOf(found).filter(({ name, kind }) => kind === 'role' && processes.find(name));
  if (roles.length > 0) {
    throw new Error(`${roles.map(({ name }) => name).join(', ')} still run: make down first`);
  }
  const stack = createStack(stateDir, settings);
  saveSettings(stateDir, settings);
  await bringUp(stack, { isServersOnly: true, report });
  const options = { force: force === '1' };
  const manifest = await restoreBackup(storesOf(stack), resolve(from), options);
  return `${describeBackup(manifest)} of ${manifest.createdAt} are back; make up starts the roles`;
};
