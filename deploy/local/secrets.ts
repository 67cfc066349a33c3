import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const secretsSchema = z.object({
  nats: z.string().min(1),
  redis: z.string().min(1),
  clickhouseApp: z.string().min(1),
  clickhouseAnalyst: z.string().min(1),
  keyPepper: z.string().min(1),
  webhookSecretKey: z.string().min(1),
});

/** The random values of one stack. */
export type Secrets = z.infer<typeof secretsSchema>;

const SECRET_BYTES = 24;

/** Where a stack keeps its secrets. */
export const secretsFile = (stateDir: string): string => join(stateDir, 'secrets.json');

/** What was made in a folder survives a power cut. */
const syncFolder = (folder: string): void => {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
};

/**
 * Reads the secrets of a stack; the first call makes them (mode 0600) and returns when they are on disk.
 * Two first calls at once agree: the file appears complete, and only once.
 */
export const loadSecrets = (stateDir: string): Secrets => {
  const file = secretsFile(stateDir);
  if (!existsSync(file)) makeSecrets(stateDir);
  const found = secretsSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (found.success) return found.data;
  const missing = found.error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new Error(`${file} lacks ${missing}: add random text under each of these names`);
};

const makeSecrets = (stateDir: string): void => {
  mkdirSync(stateDir, { recursive: true });
  const file = secretsFile(stateDir);
  const random = (): string => randomBytes(SECRET_BYTES).toString('hex');
  const names = Object.keys(secretsSchema.shape);
  const fresh = Object.fromEntries(names.map((name) => [name, random()]));
  const draft = `${file}.${process.pid}.${random()}`;
  try {
    writeFileSync(draft, `${JSON.stringify(fresh, undefined, 2)}\n`, { mode: 0o600, flush: true });
    linkSync(draft, file);
    syncFolder(stateDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
};
