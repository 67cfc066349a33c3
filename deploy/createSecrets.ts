import { createHash, randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { fields, readConfig } from '../shared/platform/config.ts';
import { openFolder } from './openFolder.ts';

// Writes the secrets of a deployment, one per file: node --import tsx deploy/createSecrets.ts FOLDER

const SECRET_BYTES = 24;
/** Containers read them under users of their own; the folder's permissions exclude all others. */
const FILE_MODE = 0o644;
const FOLDER_MODE = 0o700;

const random = (): string => randomBytes(SECRET_BYTES).toString('hex');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Overrides users.xml: the passwords, and that clients may come from other machines. */
const clickhouseUsers = (passwords: Readonly<Record<string, string>>): string => {
  const users = Object.entries(passwords).map(
    ([name, password]) => `    <${name}>
      <password_sha256_hex replace="replace">${sha256(password)}</password_sha256_hex>
      <networks replace="replace"><ip>::/0</ip></networks>
    </${name}>`,
  );
  return `<clickhouse>\n  <users>\n${users.join('\n')}\n  </users>\n</clickhouse>\n`;
};

/** The secrets of one deployment whose stores have the names in `compose.yaml`, by file. */
export const newSecrets = (rpcUrl: string): Record<string, string> => {
  const [nats, redis, app, analyst] = [random(), random(), random(), random()];
  return {
    rpc_url: rpcUrl,
    nats_url: `nats://tsd:${nats}@nats:4222`,
    nats_auth: `authorization { user: "tsd", password: "${nats}" }\n`,
    redis_url: `redis://:${redis}@redis:6379/0`,
    redis_auth: `requirepass ${redis}\n`,
    clickhouse_url: `http://app:${app}@clickhouse:8123/tsd`,
    clickhouse_analyst_url: `http://analyst:${analyst}@clickhouse:8123/tsd`,
    clickhouse_users: clickhouseUsers({ app, analyst }),
    key_pepper: random(),
    webhook_secret_key: random(),
    grafana_password: random(),
  };
};

/** Writes everything at once: existing secrets are never replaced. Throws if the folder exists. */
export const writeSecrets = (folder: string, rpcUrl: string): string[] => {
  if (existsSync(folder)) throw new Error(`${folder} exists: its secrets are not replaced`);
  openFolder('DIR', folder, FOLDER_MODE);
  const secrets = newSecrets(rpcUrl);
  for (const [name, text] of Object.entries(secrets)) {
    writeFileSync(join(folder, name), text, { mode: FILE_MODE });
  }
  return Object.keys(secrets);
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = resolve(process.argv[2] ?? 'deploy/secrets');
  try {
    const { RPC_URL: urls } = readConfig(z.object({ RPC_URL: fields.RPC_URL }));
    const names = writeSecrets(folder, urls.join(','));
    console.log(`${names.length} secrets in ${folder}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
