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
import { parseJson } from '../../shared/platform/parseJson.ts';

const present = z.string({ required_error: 'is missing' }).min(1, 'is empty');
/** A password must be usable unchanged in URLs and in a server's configuration. */
const password = present.regex(/^[A-Za-z0-9_-]+$/, 'must be made of letters, digits, - and _');

const secretsSchema = z.object({
  nats: password,
  redis: password,
  clickhouseApp: password,
  clickhouseAnalyst: password,
  keyPepper: present,
  webhookSecretKey: present,
});

/** The random values of one stack. */
export type Secrets = z.infer<typeof secretsSchema>;

const SECRET_BYTES = 24;

/** Where a stack keeps its secrets. */
export const secretsFile = (stateDir: string): string => join(stateDir, 'secrets.json');

/** A file created in a folder survives a power cut once the folder is synced. */
const syncFolder = (folder: string): void => {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
};

/**
 * Reads the secrets of a stack; the first call creates them (mode 0600) and returns when they are on disk. Concurrent
 * first calls agree: the file appears complete, and only once.
 */
export const loadSecrets = (stateDir: string): Secrets => {
  const file = secretsFile(stateDir);
  if (!existsSync(file)) {
    if (existsSync(join(stateDir, 'data'))) {
      throw new Error(
        `${file} is missing, but there is data that was stored with it: put it back. ` +
          'With new secrets no API key would be recognised and no webhook could be signed',
      );
    }
    makeSecrets(stateDir);
  }
  const json = parseJson(readFileSync(file, 'utf8'));
  if (json === undefined) throw new Error(`${file} is not JSON: repair it, or put a copy back`);
  const found = secretsSchema.safeParse(json);
  if (found.success) return found.data;
  const problems = found.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new Error(`${file} cannot be used: ${problems.join('; ')}`);
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
