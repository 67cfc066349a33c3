import assert from 'node:assert/strict';
import { existsSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { runCommand } from '../local/runCommand.ts';
import { anvil, natsServer, promtool } from '../local/serverBinaries.ts';
import { packageVersion } from '../packageVersion.ts';
import { cacheDir, isKept, podman, run } from './machine.ts';

/** The image of the service, as compose and the manifests name it. */
export const APP_IMAGE = `localhost/token-scam-detection:${packageVersion()}`;
export const DEVNET_IMAGE = 'localhost/tsd-deployment-devnet:latest';
const DEBIAN_IMAGE = 'localhost/debian:latest';
const NODE_IMAGE = 'docker.io/library/node:20.20.2-bookworm-slim';
/** Targets of `images/Dockerfile` by the names that compose uses. */
const SERVER_IMAGES: Readonly<Record<string, string>> = {
  nats: 'docker.io/library/nats:2.10.27-alpine',
  redis: 'docker.io/library/redis:7.2.5-bookworm',
  prometheus: 'docker.io/prom/prometheus:v3.5.0',
  clickhouse: 'docker.io/clickhouse/clickhouse-server:26.7',
  devnet: DEVNET_IMAGE,
};
const BUILD_TIMEOUT_MS = 1_200_000;
const BASE_TIMEOUT_MS = 600_000;
/** Maximum size of the service's image, unpacked, in bytes. */
const IMAGE_BYTES_MAX = 350_000_000;

const SLIM = ['doc', 'man', 'locale', 'info'].map(
  (folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`,
);

/**
 * A minimal Debian, as small as its published image, with what servers and their probes need. Kept between runs.
 */
const debianArchive = async (): Promise<string> => {
  const archive = join(cacheDir(), 'debian.tar');
  if (existsSync(archive)) return archive;
  const draft = join(cacheDir(), 'draft.tar');
  const packages = 'usr-is-merged,libstdc++6,busybox,tini,redis-server';
  const options = [
    '--variant=minbase',
    '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
    '--aptopt=Apt::Install-Recommends "false"',
    ...SLIM,
    `--include=${packages}`,
    '--customize-hook=ln -s busybox "$1/usr/bin/wget"',
  ];
  const timeoutMs = BASE_TIMEOUT_MS;
  await run('mmdebstrap', ['--quiet', ...options, 'bookworm', draft], { timeoutMs });
  renameSync(draft, archive);
  return archive;
};

const mount = (from: string, to: string): string[] => ['-v', `${from}:/machine/${to}:ro`];

/** Programs of this machine that are copied into images. */
const machineMounts = async (): Promise<string[]> => {
  const require = createRequire(import.meta.url);
  const modules = ['chdb', '@chdb', 'ffi-rs', '@yuuang'];
  const prometheus = join(dirname((await promtool()).path), 'prometheus');
  const npm = (await run('npm', ['root', '--global'])).trim();
  return [
    ...mount(process.execPath, 'node'),
    ...mount(join(npm, 'npm'), 'npm'),
    ...mount((await natsServer()).path, 'nats-server'),
    ...mount(prometheus, 'prometheus'),
    ...mount(anvil().path, 'anvil'),
    ...modules.flatMap((name) =>
      mount(
        join(dirname(require.resolve('chdb/package.json')), '..', name),
        `node_modules/${name}`,
      ),
    ),
  ];
};

/** Label of images that are removed at the end. */
const LABEL = 'token-scam-detection.made-by=deployment-test';

const build = (args: readonly string[]): Promise<string> => {
  const layers = `--layers=${isKept()}`;
  const options = ['--quiet', '--pull=never', '--format', 'docker', layers, '--label', LABEL];
  return podman(['build', ...options, ...args], BUILD_TIMEOUT_MS);
};

const isThere = async (image: string): Promise<boolean> =>
  (await runCommand('podman', ['image', 'exists', image], { timeoutMs: 60_000 })).code === 0;

/** Builds the base image and those of the servers if missing. Resolves to the names of the images built. */
export const buildServerImages = async (): Promise<string[]> => {
  const images = Object.entries({ node: NODE_IMAGE, ...SERVER_IMAGES });
  const found = await Promise.all(images.map(([, name]) => isThere(name)));
  const missing = images.filter((_image, i) => !found[i]);
  if (missing.length === 0) return [];
  const label = ['--change', `LABEL ${LABEL}`];
  await podman(['import', '-q', ...label, await debianArchive(), DEBIAN_IMAGE], BASE_TIMEOUT_MS);
  const mounts = await machineMounts();
  const folder = join(projectRoot(), 'deploy/deployment/images');
  for (const [target, name] of missing) {
    await build([...mounts, '--target', target, '-t', name, folder]);
  }
  return missing.map(([, name]) => name);
};

/** npm registry settings of this machine, which the Dockerfile does not contain. */
const npmMounts = async (): Promise<string[]> => {
  const found = [
    [join(process.env['HOME'] ?? '/root', '.npmrc'), '/root/.npmrc'],
    [(await run('npm', ['config', 'get', 'globalconfig'])).trim(), '/usr/local/etc/npmrc'],
    ['/etc/ssl/certs', '/etc/ssl/certs'],
  ] as const;
  return found.flatMap(([from, to]) => (existsSync(from) ? ['-v', `${from}:${to}:ro`] : []));
};

/** Builds the service's image from its Dockerfile. Resolves to its size in bytes; throws if it is too large. */
export const buildAppImage = async (): Promise<number> => {
  const own = ['-f', 'deploy/Dockerfile', '-t', APP_IMAGE, '.'];
  await build(['--network', 'host', ...(await npmMounts()), ...own]);
  const bytes = Number(await podman(['image', 'inspect', '--format', '{{.Size}}', APP_IMAGE]));
  if (bytes > IMAGE_BYTES_MAX) throw new Error(`the image has ${bytes} bytes`);
  return bytes;
};

/** Created by podman for its pods. */
const PAUSE_IMAGE = 'localhost/podman-pause';

/** Removes the images that were built here. */
export const removeImages = async (): Promise<void> => {
  const filters = [`label=${LABEL}`, `reference=${PAUSE_IMAGE}`];
  const found = await Promise.all(
    filters.map((filter) => podman(['images', '-aq', '--no-trunc', '--filter', filter])),
  );
  const ids = [...new Set(found.join('\n').split('\n').filter(Boolean))];
  if (ids.length > 0) await podman(['rmi', '-f', ...ids]);
};

/** Files only for tests, training and the build. */
const UNWANTED = /\.(test|scale|chaos|bench)\.|\/(testing|training|fixtures)(\/|$)|\.ts$/;
const UNWANTED_PACKAGES = ['typescript', 'tsx', 'chdb', 'biome', 'solc', 'anvil'];
/** Part of the path of native code for other platforms. */
const OTHER_PLATFORM = /\/(win32|darwin|arm64)\//;

const runIn = (args: readonly string[]): Promise<string> =>
  podman(['run', '--rm', '--pull=never', '--network', 'none', '--read-only', ...args]);

/**
 * Checks the image's contents, its user, and that nothing can be written. Throws an error that lists what is wrong.
 */
export const assertImage = async (): Promise<void> => {
  const list = await runIn(['--entrypoint', 'find', APP_IMAGE, '/app', '-type', 'f']);
  const files = list.trim().split('\n');
  const own = files.filter((file) => !file.startsWith('/app/node_modules/'));
  assert.ok(own.includes('/app/dist/api/main.js'));
  assert.deepEqual(
    own.filter((file) => UNWANTED.test(file)),
    [],
  );
  const packages = UNWANTED_PACKAGES.filter((name) =>
    files.some((file) => file.startsWith(`/app/node_modules/${name}/`)),
  );
  assert.deepEqual(packages, []);
  assert.deepEqual(
    files.filter((file) => OTHER_PLATFORM.test(file) && file.endsWith('.node')),
    [],
  );
  const code = `const { writeFileSync } = require('fs');
    const tries = ['/app/x', '/app/dist/x', '/x'].map((path) => {
      try { writeFileSync(path, ''); return 'written'; } catch (error) { return error.code; } });
    console.log([process.getuid(), process.getgid(), ...tries].join(' '))`;
  assert.equal((await runIn([APP_IMAGE, '-e', code])).trim(), '10001 10001 EROFS EROFS EROFS');
};
