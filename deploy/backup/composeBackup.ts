import { resolve } from 'node:path';
import { z } from 'zod';
import { readConfig } from '../../shared/platform/config.ts';
import { composeStores, runningServices } from './composeStores.ts';
import { createBackup } from './createBackup.ts';
import { describeBackup } from './manifest.ts';
import { restoreBackup } from './restoreBackup.ts';

// Backup and restore of the stores in compose.yaml: node --import tsx deploy/backup/composeBackup.ts backup|restore

const EXIT_USAGE = 64;
const ROLES = ['watcher', 'scorer', 'alerts', 'clusters', 'push', 'api', 'api-2'];

const schema = z.object({
  TO: z.string().optional(),
  FROM: z.string().optional(),
  FORCE: z.enum(['0', '1']).default('0'),
  ENGINE: z.enum(['docker', 'podman']).default('docker'),
  PROJECT: z.string().default('token-scam-detection'),
  SECRETS_DIR: z.string().default('deploy/secrets'),
});

const main = async (command: string | undefined): Promise<void> => {
  const { TO, FROM, FORCE, ENGINE, PROJECT, SECRETS_DIR } = readConfig(schema);
  const project = { engine: ENGINE, project: PROJECT, secretsDir: resolve(SECRETS_DIR) };
  if (command === 'backup') {
    if (!TO) throw new Error('give a new folder: make compose-backup TO=folder');
    const manifest = await createBackup(await composeStores(project), resolve(TO));
    console.log(`${describeBackup(manifest)}: ${TO}`);
  } else if (command === 'restore') {
    if (!FROM) throw new Error('give the folder of a backup: make compose-restore FROM=folder');
    const roles = await runningServices(project, ROLES);
    if (roles.length > 0) throw new Error(`${roles.join(', ')} still run: stop them first`);
    const options = { force: FORCE === '1' };
    const manifest = await restoreBackup(await composeStores(project), resolve(FROM), options);
    console.log(`${describeBackup(manifest)} of ${manifest.createdAt} are back: start the roles`);
  } else {
    console.error('usage: composeBackup.ts backup|restore');
    process.exitCode = EXIT_USAGE;
  }
};

try {
  await main(process.argv[2]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
