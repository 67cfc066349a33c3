import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runCommand } from './runCommand.ts';

/** A command of apt or dpkg may take this long: package lists are about 20 MB. */
const APT_TIMEOUT_MS = 180_000;
/** How much of a failed command's output is shown. */
const ERROR_LINES_MAX = 8;
const NETWORK_TIMEOUT_S = 20;
/** Rounds of fetching libraries that previously fetched libraries need. */
const LIBRARY_ROUNDS_MAX = 4;
/**
 * Packages with these names contain libraries that a program loads; other dependencies only set up services.
 */
const LIBRARY_PACKAGE = /^(lib|lua-)/;

// Uses `apt-get download` and `dpkg-deb -x`. For a different release (nats-server and setpriv of trixie) they read
// the machine's own sources with the release name replaced: the same mirrors and keys.

/** Unpacks packages of one Debian release, with apt's own signature checks, without installing them. */
export type DebianPackages = {
  /** The release of this machine (`bookworm`). */
  codename: string;
  /** Downloads and unpacks `packages` of `release` into `folder`. */
  unpack: (packages: readonly string[], release: string, folder: string) => Promise<void>;
  /** Adds the libraries that `binary` needs and the machine lacks; returns the folders to load them from. */
  addMissingLibraries: (binary: string, release: string, folder: string) => Promise<string[]>;
};

const run = async (
  what: string,
  command: string,
  args: readonly string[],
  cwd?: string,
): Promise<string> => {
  const result = await runCommand(command, args, {
    timeoutMs: APT_TIMEOUT_MS,
    env: { ...process.env, LC_ALL: 'C' },
    ...(cwd === undefined ? {} : { cwd }),
  });
  if (result.code !== 0) {
    const lines = `${result.stdout}\n${result.stderr}`.trim().split('\n').slice(-ERROR_LINES_MAX);
    throw new Error(`${what} failed:\n${withoutHosts(lines.join('\n'))}`);
  }
  return result.stdout;
};

const privateApt = (folder: string): string[] => {
  for (const name of ['state/lists/partial', 'cache/archives/partial', 'sources']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  const options = {
    'Dir::State': join(folder, 'state'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': join(folder, 'cache'),
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': join(folder, 'sources'),
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': String(NETWORK_TIMEOUT_S),
    'Acquire::https::Timeout': String(NETWORK_TIMEOUT_S),
    // The folders are private to this user; apt's own download user could not write there.
    'APT::Sandbox::User': 'root',
    'APT::Update::Error-Mode': 'any',
  };
  return Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
};

/** Names of the packages a package file depends on, first alternatives only. */
const dependenciesOf = async (debFile: string): Promise<string[]> => {
  const text = await run('reading a package', 'dpkg-deb', ['-f', debFile, 'Depends']);
  return text
    .split(',')
    .map((part) => part.trim().split(/[\s:(|]/)[0] ?? '')
    .filter((name) => LIBRARY_PACKAGE.test(name));
};

/** Whether dpkg has installed a package of this name. */
export const isPackageInstalled = async (name: string): Promise<boolean> => {
  const query = ['-W', '-f', '${db:Status-Status}', name];
  const { code, stdout } = await runCommand('dpkg-query', query, { timeoutMs: APT_TIMEOUT_MS });
  return code === 0 && stdout === 'installed';
};

const missingLibraries = async (binary: string, folders: readonly string[]): Promise<string[]> => {
  const { stdout } = await runCommand('ldd', [binary], {
    timeoutMs: APT_TIMEOUT_MS,
    env: { ...process.env, LC_ALL: 'C', LD_LIBRARY_PATH: folders.join(':') },
  });
  return [...stdout.matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name ?? '');
};

const libraryFolders = (folder: string): string[] => [
  ...new Set(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.so(\.|$)/.test(name))
      .map((name) => dirname(join(folder, name))),
  ),
];

/** The release name of a Debian machine (`bookworm`); throws on any other system. */
const debianCodename = (): string => {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const codename = /^VERSION_CODENAME="?([a-z]+)"?$/m.exec(release)?.[1];
  if (!/^ID="?debian"?$/m.test(release) || codename === undefined) {
    throw new Error('this system is not a Debian release');
  }
  return codename;
};

/** Text of apt's sources, in either format, with another release in its suites (`bookworm`, `bookworm-updates`). */
export const sourcesOfRelease = (text: string, codename: string, release: string): string =>
  text.replace(new RegExp(`(?<=\\s)${codename}(?=[-/\\s]|$)`, 'g'), release);

/** Copies the machine's sources, adapted to a release, to where `privateApt` reads them. */
const writeSources = (
  folder: string,
  aptFolder: string,
  suites: { codename: string; release: string },
): void => {
  const parts = join(aptFolder, 'sources.list.d');
  const names = existsSync(parts) ? readdirSync(parts) : [];
  const files = [join(aptFolder, 'sources.list'), ...names.map((name) => join(parts, name))];
  for (const file of files.filter((path) => /\.(list|sources)$/.test(path) && existsSync(path))) {
    const text = sourcesOfRelease(readFileSync(file, 'utf8'), suites.codename, suites.release);
    writeFileSync(join(folder, 'sources', basename(file)), text);
  }
};

/**
 * Opens Debian's package archive through this machine's own apt sources. Nothing outside `folder` is changed.
 * `report` receives a line for every download. Throws if the system is not Debian.
 */
export const createDebianPackages = (args: {
  folder: string;
  aptFolder?: string;
  report: (line: string) => void;
}): DebianPackages => {
  const { folder, report, aptFolder = '/etc/apt' } = args;
  const codename = debianCodename();
  /** Errors of reading a release's package lists, by release: other vendors may have none for it. */
  const updated = new Map<string, unknown>();
  const debFiles: string[] = [];

  const update = async (release: string): Promise<void> => {
    if (updated.has(release)) return;
    report(`reading Debian's package lists (${release}) …`);
    const options = privateApt(folder);
    writeSources(folder, aptFolder, { codename, release });
    const reading = run('reading package lists', 'apt-get', [...options, '-qq', 'update']);
    updated.set(
      release,
      await reading.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
  };

  const unpack: DebianPackages['unpack'] = async (packages, release, target) => {
    await update(release);
    const downloads = join(folder, 'downloads');
    rmSync(downloads, { recursive: true, force: true });
    mkdirSync(downloads, { recursive: true });
    mkdirSync(target, { recursive: true });
    report(`downloading Debian packages ${packages.join(', ')} (${release}) …`);
    const names = packages.map((name) => `${name}/${release}`);
    const options = [...privateApt(folder), '-qq', 'download', ...names];
    await run(`downloading ${packages.join(', ')}`, 'apt-get', options, downloads).catch(
      (error: unknown) => {
        throw updated.get(release) ?? error;
      },
    );
    for (const name of readdirSync(downloads)) {
      await run(`unpacking ${name}`, 'dpkg-deb', ['-x', join(downloads, name), target]);
      debFiles.push(join(downloads, name));
    }
  };

  const addMissingLibraries: DebianPackages['addMissingLibraries'] = async (
    binary,
    release,
    target,
  ) => {
    const fetched = new Set<string>();
    for (let round = 0; round < LIBRARY_ROUNDS_MAX; round += 1) {
      const folders = libraryFolders(target);
      const missing = await missingLibraries(binary, folders);
      if (missing.length === 0) return folders;
      const wanted = (await Promise.all(debFiles.splice(0).map(dependenciesOf))).flat();
      const next: string[] = [];
      for (const name of new Set(wanted)) {
        if (!fetched.has(name) && !(await isPackageInstalled(name))) next.push(name);
      }
      if (next.length === 0) throw new Error(`libraries not found: ${missing.join(', ')}`);
      for (const name of next) fetched.add(name);
      await unpack(next, release, target);
    }
    throw new Error(`libraries of ${binary} are still missing after ${LIBRARY_ROUNDS_MAX} rounds`);
  };

  return { codename, unpack, addMissingLibraries };
};

/** Removes addresses from a failed command's output: the mirror in use is private. */
export const withoutHosts = (text: string): string =>
  text
    .replace(/\w+:\/\/[^\s'"]+/g, '<mirror>')
    .replace(/(resolving|resolve|connect to|connecting to) '?[^\s']+'?/gi, '$1 <mirror>')
    .replace(/\d+\.\d+\.\d+\.\d+(:\d+)?/g, '<address>')
    .replace(/\([0-9a-f:]+\)/gi, '(<address>)');
