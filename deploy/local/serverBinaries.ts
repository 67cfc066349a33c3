import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join, relative, resolve } from 'node:path';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { createDebianPackages, type DebianPackages } from './debianPackages.ts';
import { withHostLock } from './hostLock.ts';
import { runCommand } from './runCommand.ts';

/** A program to start: its first arguments, and its additional environment variables. */
export type Binary = { path: string; args: readonly string[]; env: Record<string, string> };

type Server = {
  name: string;
  versionMin: readonly [major: number, minor: number];
  advice: string;
  packages: readonly string[];
  /** The Debian release with a new enough version; undefined uses the machine's own. */
  release: string | undefined;
  /** Folders of the package with the program; the usual command folders if absent. */
  folders?: readonly string[];
};

const NATS: Server = {
  name: 'nats-server',
  versionMin: [2, 10],
  advice: 'install nats-server 2.10 or newer and have it on PATH',
  packages: ['nats-server'],
  // Bookworm has 2.9, whose JetStream lacks sync_interval; trixie's 2.10 is static and runs on both.
  release: 'trixie',
};

const REDIS: Server = {
  name: 'redis-server',
  versionMin: [7, 0],
  advice: 'install redis-server 7 or newer and have it on PATH',
  packages: ['redis-server', 'redis-tools'],
  release: undefined,
};

// Chromium without a window.
const CHROMIUM: Server = {
  name: 'chromium-headless-shell',
  versionMin: [100, 0],
  advice: 'install chromium-headless-shell and have it on PATH',
  packages: ['chromium-headless-shell', 'chromium-common', 'fonts-dejavu-core'],
  release: undefined,
  // The package's command is a script that looks for the program under /usr.
  folders: ['usr/lib/chromium'],
};

const PROMTOOL: Server = {
  name: 'promtool',
  versionMin: [2, 40],
  advice: 'install promtool, a part of Prometheus, and have it on PATH',
  packages: ['prometheus'],
  release: undefined,
};

const PYTHON: Server = {
  name: 'python3',
  versionMin: [3, 9],
  advice: 'install Python 3.9 or newer and have it on PATH',
  packages: [
    'python3-minimal',
    'python3.11-minimal',
    'libpython3.11-minimal',
    'libpython3.11-stdlib',
  ],
  // The names of the packages hold the version.
  release: 'bookworm',
};

const POSTGRES: Server = {
  name: 'postgres',
  versionMin: [15, 0],
  advice: 'install PostgreSQL 15 or newer and have postgres and initdb on PATH',
  packages: ['postgresql-15'],
  release: 'bookworm',
  folders: ['usr/lib/postgresql/15/bin'],
};

const SETPRIV: Server = {
  name: 'setpriv',
  versionMin: [2, 40],
  advice: 'install util-linux 2.40 or newer and have its setpriv on PATH',
  // Bookworm has 2.38, without Landlock; trixie's needs the C library it was built for.
  packages: ['util-linux', 'libc6'],
  release: 'trixie',
};

const COMMAND_FOLDERS: readonly string[] = ['usr/bin', 'usr/sbin'];
const VERSION_TIMEOUT_MS = 10_000;
/** Longest wait for another process which fetches the same server. */
const FETCH_WAIT_MS = 600_000;

/** Major and minor version in the text that `--version` prints; undefined when there is none. */
export const parseVersion = (text: string): [major: number, minor: number] | undefined => {
  const found = /(?:v=?|\s)(\d+)\.(\d+)/.exec(text);
  return found ? [Number(found[1]), Number(found[2])] : undefined;
};

const isNewEnough = async (binary: Binary, { versionMin }: Server): Promise<boolean> => {
  const env = { ...process.env, ...binary.env };
  const result = await runCommand(binary.path, [...binary.args, '--version'], {
    timeoutMs: VERSION_TIMEOUT_MS,
    env,
  });
  const version = result.code === 0 ? parseVersion(result.stdout) : undefined;
  if (version === undefined) return false;
  const [major, minor] = version;
  return major > versionMin[0] || (major === versionMin[0] && minor >= versionMin[1]);
};

const findOnPath = async (server: Server): Promise<Binary | undefined> => {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, server.name);
    if (folder === '' || !existsSync(path)) continue;
    const binary = { path, args: [], env: {} };
    if (await isNewEnough(binary, server)) return binary;
  }
  return undefined;
};

/** Relative folders of the libraries an unpacked server needs; written last, so it marks a complete folder. */
const LIBRARIES_FILE = 'libraries.json';

const programIn = (folder: string, { name, folders = COMMAND_FOLDERS }: Server) =>
  folders.map((part) => join(folder, part, name)).find(existsSync);

/** The program loader of the C library beside it. */
const LOADER = /^ld-linux.*\.so\.\d+$/;

const loaderIn = (folders: readonly string[]): string | undefined =>
  folders
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .find((path) => LOADER.test(basename(path)));

const unpacked = (folder: string, server: Server): Binary | undefined => {
  const listFile = join(folder, LIBRARIES_FILE);
  if (!existsSync(listFile)) return undefined;
  const libraries = (JSON.parse(readFileSync(listFile, 'utf8')) as string[]).map((name) =>
    join(folder, name),
  );
  const path = programIn(folder, server);
  if (path === undefined) throw new Error(`the package of ${server.name} does not hold it`);
  const loader = loaderIn(libraries);
  if (loader !== undefined) {
    // Not by LD_LIBRARY_PATH: programs that it starts use the machine's own C library.
    return { path: loader, args: ['--library-path', libraries.join(delimiter), path], env: {} };
  }
  return {
    path,
    args: [],
    env: libraries.length === 0 ? {} : { LD_LIBRARY_PATH: libraries.join(delimiter) },
  };
};

const fetchInto = async (folder: string, server: Server, debian: DebianPackages): Promise<void> => {
  const release = server.release ?? debian.codename;
  await debian.unpack(server.packages, release, folder);
  const probe = programIn(folder, server);
  if (probe === undefined) throw new Error(`the package of ${server.name} does not hold it`);
  const libraries = await debian.addMissingLibraries(probe, release, folder);
  const relatives = libraries.map((library) => relative(folder, library));
  writeFileSync(join(folder, LIBRARIES_FILE), JSON.stringify(relatives));
};

/** The folder of unpacked servers: one for all stacks and tests of this checkout. */
export const cacheFolder = (): string =>
  resolve(projectRoot(), process.env['SERVER_CACHE_DIR'] || '.local/cache');

const report = (line: string): void => void process.stderr.write(`${line}\n`);

const fetchServer = async (server: Server, home: string): Promise<void> => {
  mkdirSync(dirname(home), { recursive: true });
  const work = mkdtempSync(join(dirname(home), 'fetch-'));
  try {
    const debian = createDebianPackages({ folder: join(work, 'apt'), report });
    const draft = join(work, 'unpacked');
    await fetchInto(draft, server, debian);
    const binary = unpacked(draft, server);
    if (binary === undefined || !(await isNewEnough(binary, server))) {
      throw new Error(`the packaged ${server.name} does not start or is too old`);
    }
    rmSync(home, { recursive: true, force: true });
    renameSync(draft, home);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};

/** A program from PATH, else unpacked from its Debian package. Throws with advice. */
const findServer = async (server: Server): Promise<Binary> => {
  const onPath = await findOnPath(server);
  if (onPath) return onPath;
  const home = join(cacheFolder(), server.name);
  const ready = unpacked(home, server);
  if (ready) return ready;
  return withHostLock(home, FETCH_WAIT_MS, async () => {
    const meanwhile = unpacked(home, server);
    if (meanwhile) return meanwhile;
    try {
      await fetchServer(server, home);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(
        `${server.name} could not be fetched: ${reason}\nTo go on, ${server.advice}.`,
        {
          cause: error,
        },
      );
    }
    const fetched = unpacked(home, server);
    if (!fetched) throw new Error(`${server.name} vanished after it was fetched`);
    return fetched;
  });
};

/** nats-server 2.10 or newer. */
export const natsServer = (): Promise<Binary> => findServer(NATS);

/** redis-server 7 or newer. */
export const redisServer = (): Promise<Binary> => findServer(REDIS);

/** setpriv of util-linux 2.40 or newer. */
export const setpriv = (): Promise<Binary> => findServer(SETPRIV);

/** promtool, which checks rules of Prometheus. */
export const promtool = (): Promise<Binary> => findServer(PROMTOOL);

/** PostgreSQL, with which the API is compared. */
export const postgres = (): Promise<Binary> => findServer(POSTGRES);

/** Python for tests of its client. */
export const python = (): Promise<Binary> => findServer(PYTHON);

/** Configures the fonts beside an unpacked browser: a machine without a screen has none. */
const writeFontList = (binary: Binary): Record<string, string> => {
  const root = join(dirname(binary.path), '../../..');
  const fonts = join(root, 'usr/share/fonts');
  if (!existsSync(fonts)) return {};
  const file = join(root, 'fonts.conf');
  const folders = [fonts, '/usr/share/fonts'].map((folder) => `<dir>${folder}</dir>`).join('');
  const cache = `<cachedir>${join(root, 'fonts-cache')}</cachedir>`;
  writeFileSync(file, `<?xml version="1.0"?><fontconfig>${folders}${cache}</fontconfig>`);
  return { FONTCONFIG_FILE: file };
};

/** Chromium for tests of pages. */
export const chromium = async (): Promise<Binary> => {
  const binary = await findServer(CHROMIUM);
  return { ...binary, env: { ...binary.env, ...writeFontList(binary) } };
};

/** The anvil program of the npm package for this platform. Throws if there is none. */
export const anvil = (): Binary => {
  const home = dirname(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'));
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const path = join(home, `../anvil-${process.platform}-${architecture}/bin/anvil`);
  if (!existsSync(path)) {
    throw new Error(
      `npm has no anvil for ${process.platform} ${process.arch}: give RPC_URL instead`,
    );
  }
  return { path, args: [], env: {} };
};
