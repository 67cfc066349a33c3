import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../local/runCommand.ts';
import type { Stores } from './createBackup.ts';

const ENGINE_TIMEOUT_MS = 30_000;

/** How to find the containers of a compose project. */
export interface ComposeProject {
  /** `docker` or `podman`. */
  readonly engine: string;
  readonly project: string;
  /** Folder written by `make secrets`. */
  readonly secretsDir: string;
}

const ask = async (engine: string, args: readonly string[]): Promise<string> => {
  const result = await runCommand(engine, args, { timeoutMs: ENGINE_TIMEOUT_MS });
  if (result.code !== 0) throw new Error(`${engine} ${args[0]}: ${result.stderr.trim()}`);
  return result.stdout.trim();
};

/** Running containers of a service, by id. */
const containersOf = async (
  { engine, project }: ComposeProject,
  service: string,
): Promise<string[]> => {
  const labels = [`project=${project}`, `service=${service}`];
  const filters = labels.flatMap((label) => ['--filter', `label=com.docker.compose.${label}`]);
  return (await ask(engine, ['ps', '-q', ...filters])).split('\n').filter(Boolean);
};

const addressOf = async (project: ComposeProject, service: string): Promise<string> => {
  const [id] = await containersOf(project, service);
  if (id === undefined) throw new Error(`no container of ${service} runs in ${project.project}`);
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}';
  const [address = ''] = (await ask(project.engine, ['inspect', '--format', format, id])).split(
    ' ',
  );
  if (address === '') throw new Error(`${service} has no address on this machine`);
  return address;
};

/**
 * The stores of a compose project, by their addresses on the internal network, to which this machine is connected.
 * Throws if one does not run.
 */
export const composeStores = async (project: ComposeProject): Promise<Stores> => {
  const secret = (name: string): string => {
    const file = join(project.secretsDir, name);
    if (!existsSync(file)) {
      throw new Error(`there is no ${file}: give SECRETS_DIR, the folder that make secrets made`);
    }
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  };
  const at = async (service: string): Promise<string> => {
    const url = new URL(secret(`${service}_url`));
    url.hostname = await addressOf(project, service);
    return url.href;
  };
  const [clickhouseUrl, redisUrl, natsUrl] = await Promise.all([
    at('clickhouse'),
    at('redis'),
    at('nats'),
  ]);
  return {
    clickhouseUrl,
    redisUrl,
    natsUrl,
    keyPepper: secret('key_pepper'),
    webhookSecretKey: secret('webhook_secret_key'),
  };
};

/** Which of the services run. */
export const runningServices = async (
  project: ComposeProject,
  services: readonly string[],
): Promise<string[]> => {
  const found = await Promise.all(services.map((service) => containersOf(project, service)));
  return services.filter((_service, i) => (found[i]?.length ?? 0) > 0);
};
