import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { DEVNET_PRICING } from '../../shared/testing/devnet/devnetAddresses.ts';
import { until } from '../../shared/testing/pipelineProcess.ts';
import { DEVNET_CHAIN_ID } from '../local/environment.ts';
import { runCommand } from '../local/runCommand.ts';
import { DEVNET_IMAGE } from './images.ts';
import { podman, run } from './machine.ts';

/** Name of the compose project: its containers, networks and volumes have it as a prefix. */
export const PROJECT = 'tsd-deployment-test';
const COMPOSE_FILE = join(projectRoot(), 'deploy/compose.yaml');
const COMPOSE_TIMEOUT_MS = 300_000;
const HEALTHY_TIMEOUT_MS = 180_000;
const PROBE_TIMEOUT_MS = 20_000;
const LOG_LINES = '30';
const DEVNET_NAME = `${PROJECT}-devnet`;
/** Where the roles find the chain. */
export const DEVNET_URL = `http://${DEVNET_NAME}:8545`;
const API_PORT = 8_080;
const HEALTH_PORT = 9_464;
/** File and thread limits of a server: no more than this machine's shell has. */
const OPEN_MAX = '4096';

const serviceSchema = z.object({
  depends_on: z.record(z.object({ condition: z.string() })).default({}),
  profiles: z.array(z.string()).default([]),
});
const composeSchema = z.object({ services: z.record(serviceSchema) });

/** Settings of the user for compose, besides the file. */
export interface ComposeSettings {
  readonly secretsDir: string;
  readonly ports: readonly [number, number];
}

const conditionsOf = (): Map<string, Record<string, string>> => {
  const text = readFileSync(COMPOSE_FILE, 'utf8');
  const { services } = composeSchema.parse(parse(text, { merge: true }));
  return new Map(
    Object.entries(services)
      .filter(([, { profiles }]) => profiles.length === 0)
      .map(([name, { depends_on: on }]) => [
        name,
        Object.fromEntries(Object.entries(on).map(([one, { condition }]) => [one, condition])),
      ]),
  );
};

/**
 * The variables of the file with their defaults. They must be passed explicitly to Podman-compose 1.3, which does not
 * substitute a variable named like its setting (`LOG_LEVEL: ${LOG_LEVEL:-info}`).
 */
const defaultsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/\$\{(\w+):-([^}]*)\}/g)].map(([, name = '', value = '']) => [name, value]),
  );

/** Commands on the project by the container engine and by podman-compose. */
const createCommands = (command: readonly string[], { secretsDir, ports }: ComposeSettings) => {
  const env = {
    ...defaultsOf(readFileSync(COMPOSE_FILE, 'utf8')),
    SECRETS_DIR: secretsDir,
    API_PORT: String(ports[0]),
    API_PORT_2: String(ports[1]),
    CHAIN_ID: String(DEVNET_CHAIN_ID),
    START_BLOCK: '0',
    ...DEVNET_PRICING,
    WEBHOOK_ALLOW_PRIVATE: '1',
    CLICKHOUSE_FILES_MAX: OPEN_MAX,
    CLICKHOUSE_THREADS_MAX: OPEN_MAX,
  };
  const container = (service: string): string => `${PROJECT}_${service}_1`;
  return {
    container,
    compose: (args: readonly string[]): Promise<string> => {
      const [program = '', ...first] = command;
      const argv = [...first, '-p', PROJECT, '-f', COMPOSE_FILE, ...args];
      return run(program, argv, { timeoutMs: COMPOSE_TIMEOUT_MS, env });
    },
    /** An address by which this machine reaches a container on a network of the project. */
    addressOf: async (name: string, network: string): Promise<string> => {
      const format = `{{(index .NetworkSettings.Networks "${PROJECT}_${network}").IPAddress}}`;
      return (await podman(['inspect', '--format', format, name])).trim();
    },
  };
};

/** Waits for a container; a failure is reported with the end of its log. */
const explained = async (container: string, work: Promise<unknown>): Promise<void> => {
  await work.catch(async (cause: unknown) => {
    const args = ['logs', '--tail', LOG_LINES, container];
    const { stdout, stderr } = await runCommand('podman', args, { timeoutMs: PROBE_TIMEOUT_MS });
    throw new Error(`${container}: ${String(cause)}\n${stdout}${stderr}`, { cause });
  });
};

/** Probes a role from inside its container, where its port is, until it is ready. */
export const untilContainerReady = (
  role: string,
  container: string,
  timeoutMs: number,
): Promise<void> => {
  const port = role.startsWith('api') ? API_PORT : HEALTH_PORT;
  const code = `fetch('http://127.0.0.1:${port}/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`;
  const isReady = async (): Promise<true | undefined> => {
    const args = ['exec', container, 'node', '-e', code];
    const { code: status } = await runCommand('podman', args, { timeoutMs: PROBE_TIMEOUT_MS });
    return status === 0 || undefined;
  };
  return explained(container, until('ready', isReady, timeoutMs));
};

/** Waits for a service's compose condition. */
const createWaits = ({ container }: ReturnType<typeof createCommands>) => {
  /** Podman runs probes by systemd timers, which do not exist here: they are run as specified in the file. */
  const isHealthy = async (service: string): Promise<true | undefined> => {
    const args = ['healthcheck', 'run', container(service)];
    const { code } = await runCommand('podman', args, { timeoutMs: PROBE_TIMEOUT_MS });
    return code === 0 || undefined;
  };
  const hasEnded = async (service: string): Promise<true | undefined> => {
    const format = '{{.State.Status}} {{.State.ExitCode}}';
    const state = (await podman(['inspect', '--format', format, container(service)])).trim();
    if (state.startsWith('exited') && state !== 'exited 0') throw new Error(state);
    return state === 'exited 0' || undefined;
  };
  const untilHealthy = (service: string): Promise<void> =>
    explained(
      container(service),
      until('healthy', () => isHealthy(service), HEALTHY_TIMEOUT_MS),
    );
  const untilEnded = (service: string): Promise<void> =>
    explained(
      container(service),
      until('ended', () => hasEnded(service), HEALTHY_TIMEOUT_MS),
    );
  const untilReady = (role: string): Promise<void> =>
    untilContainerReady(role, container(role), HEALTHY_TIMEOUT_MS);
  return { untilHealthy, untilEnded, untilReady };
};

/** Ends and removes everything the project created. */
const createRemovals = () => {
  const filter = ['--filter', `label=io.podman.compose.project=${PROJECT}`];
  const listed = async (args: readonly string[]): Promise<string[]> =>
    (await podman([...args, ...filter])).split('\n').filter(Boolean);
  /** Ends and removes everything, including volumes, except the chain. */
  const removeServices = async (): Promise<void> => {
    const ids = await listed(['ps', '-aq']);
    if (ids.length > 0)
      await podman(['rm', '-f', '--depend', '--ignore', '-t', '0', ...ids], COMPOSE_TIMEOUT_MS);
    const volumes = await listed(['volume', 'ls', '-q']);
    if (volumes.length > 0) await podman(['volume', 'rm', '-f', ...volumes]);
  };
  const remove = async (): Promise<void> => {
    const options = { timeoutMs: COMPOSE_TIMEOUT_MS };
    await runCommand('podman', ['rm', '-f', '-t', '0', DEVNET_NAME], options);
    await removeServices();
    const networks = await listed(['network', 'ls', '-q']);
    if (networks.length > 0) await podman(['network', 'rm', '-f', ...networks]);
  };
  return { remove, removeServices };
};

/**
 * The services of compose.yaml, started in their order on this machine.
 * @param command podman-compose with its first arguments.
 */
export const createComposeStack = (command: readonly string[], settings: ComposeSettings) => {
  const conditions = conditionsOf();
  const commands = createCommands(command, settings);
  const { container, compose, addressOf } = commands;
  const { untilHealthy, untilEnded, untilReady } = createWaits(commands);
  const services = [...conditions.keys()].filter((name) => name !== 'migrate');
  const isRole = (name: string): boolean => 'migrate' in (conditions.get(name) ?? {});

  /** Starts services, each when the conditions of its dependencies are met. */
  const start = async (names: readonly string[]): Promise<void> => {
    for (const name of names) {
      for (const [other, condition] of Object.entries(conditions.get(name) ?? {})) {
        await (condition === 'service_healthy' ? untilHealthy(other) : untilEnded(other));
      }
      await podman(['start', container(name)]);
    }
  };
  /** Starts the development chain next to the services. Resolves to its URL for this machine. */
  const startDevnet = async (): Promise<string> => {
    const network = ['--network', `${PROJECT}_outside`];
    const options = ['--host', '0.0.0.0', '--chain-id', String(DEVNET_CHAIN_ID), '--silent'];
    const limits = ['--cap-drop', 'all', '--memory', '2g', '--restart', 'no'];
    const args = ['--pull=never', '--name', DEVNET_NAME, ...network, ...limits, DEVNET_IMAGE];
    await podman(['run', '--detach', ...args, ...options]);
    return `http://${await addressOf(DEVNET_NAME, 'outside')}:8545`;
  };
  return {
    /** Long-running services, without those of a profile. */
    services,
    roles: services.filter(isRole),
    servers: services.filter((name) => !isRole(name)),
    container,
    compose,
    addressOf,
    /** Creates networks, volumes and containers. */
    create: async (): Promise<void> => {
      await compose(['up', '--no-start', '--no-build']);
    },
    start,
    untilHealthy,
    untilReady,
    /** The address of this machine on a network of the project. */
    gatewayOf: async (network: string): Promise<string> => {
      const format = '{{range .Subnets}}{{.Gateway}} {{end}}';
      const text = await podman([
        'network',
        'inspect',
        '--format',
        format,
        `${PROJECT}_${network}`,
      ]);
      return text.trim().split(' ')[0] ?? '';
    },
    startDevnet,
    ...createRemovals(),
  };
};
export type ComposeStack = ReturnType<typeof createComposeStack>;
