import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { createDebianPackages, isPackageInstalled, withoutHosts } from '../local/debianPackages.ts';
import { runCommand } from '../local/runCommand.ts';

// What containers need of this machine: programs from Debian packages, and settings that hold without systemd.

const PACKAGES = [
  'podman',
  'buildah',
  'runc',
  'catatonit',
  'netavark',
  'aardvark-dns',
  'iptables',
  'uidmap',
  'mmdebstrap',
  'python3-dotenv',
  'python3-yaml',
];
/** Bookworm's 1.0.3 supports neither profiles nor paths of secrets. */
const COMPOSE_RELEASE = 'trixie';
const INSTALL_TIMEOUT_MS = 600_000;
const OUTPUT_CHARS = 3_000;

/** Uses runc and cgroupfs: crun refuses hybrid cgroups, and there is no systemd here. */
const CONTAINERS_CONF = `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`;

/** Where images and tools are kept between runs. */
export const cacheDir = (): string => join(projectRoot(), '.local/cache/deployment');

/** Whether containers and images are kept for inspection and the next run: KEEP=1. */
export const isKept = (): boolean => process.env['KEEP'] === '1';

/** Runs a command to its end. Resolves to its output; throws an error with the output if it fails. */
export const run = async (
  command: string,
  args: readonly string[],
  { timeoutMs = 120_000, env = {} }: { timeoutMs?: number; env?: NodeJS.ProcessEnv } = {},
): Promise<string> => {
  const result = await runCommand(command, args, {
    timeoutMs,
    cwd: projectRoot(),
    env: { ...process.env, ...env },
  });
  if (result.code === 0) return result.stdout;
  const output = `${result.stdout}\n${result.stderr}`.trim().slice(-OUTPUT_CHARS);
  throw new Error(`${command} ${args.slice(0, 4).join(' ')} …: ${withoutHosts(output)}`);
};

/** Runs podman. */
export const podman = (args: readonly string[], timeoutMs?: number): Promise<string> =>
  run('podman', args, timeoutMs === undefined ? {} : { timeoutMs });

const installPackages = async (): Promise<void> => {
  const found = await Promise.all(PACKAGES.map(isPackageInstalled));
  const missing = PACKAGES.filter((_name, i) => !found[i]);
  if (missing.length === 0) return;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { timeoutMs: INSTALL_TIMEOUT_MS, env });
  const options = ['install', '-y', '-qq', '--no-install-recommends'];
  await run('apt-get', [...options, ...missing], { timeoutMs: INSTALL_TIMEOUT_MS, env });
};

/** The program of podman-compose: a Python script that runs beside the machine's Python. */
const fetchCompose = async (report: (line: string) => void): Promise<string> => {
  const folder = join(cacheDir(), 'podman-compose');
  const program = join(folder, 'usr/lib/python3/dist-packages/podman_compose.py');
  if (existsSync(program)) return program;
  const debian = createDebianPackages({ folder: join(cacheDir(), 'apt'), report });
  await debian.unpack(['podman-compose'], COMPOSE_RELEASE, folder);
  return program;
};

/**
 * Podman without `--requires`, by which podman-compose links containers: one whose dependency has ended, as the
 * migrations do, could not be started. In compose the start order is only an order.
 */
const PODMAN_WITHOUT_TIES = `#!/bin/bash
arguments=()
for argument; do [[ $argument == --requires=* ]] || arguments+=("$argument"); done
exec podman "\${arguments[@]}"
`;

/** podman-compose as a command: program and first arguments. */
const composeCommand = async (report: (line: string) => void): Promise<string[]> => {
  const shim = join(cacheDir(), 'podman');
  writeFileSync(shim, PODMAN_WITHOUT_TIES, { mode: 0o755 });
  // The machine's own Python, which has the packages that it needs.
  return [
    '/usr/bin/python3',
    await fetchCompose(report),
    '--podman-path',
    shim,
    '--in-pod',
    'false',
  ];
};

/** Installs what is missing. Resolves to the command of podman-compose. Throws if the user is not root. */
export const prepareMachine = async (report: (line: string) => void): Promise<string[]> => {
  if (process.getuid?.() !== 0) throw new Error('containers with limits need root');
  mkdirSync(cacheDir(), { recursive: true });
  await installPackages();
  const conf = join(cacheDir(), 'containers.conf');
  writeFileSync(conf, CONTAINERS_CONF);
  process.env['CONTAINERS_CONF'] = conf;
  return composeCommand(report);
};
