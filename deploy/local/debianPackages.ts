import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type AptSource,
  debianMirrors,
  parseListFile,
  parseSourcesFile,
  renderSources,
} from './aptSources.ts';
import { runCommand } from './runCommand.ts';

/** A command of apt or dpkg may take this long: package lists are about 20 MB. */
const APT_TIMEOUT_MS = 180_000;
const NETWORK_TIMEOUT_S = 20;
/** Rounds of fetching the libraries that the libraries fetched before need. */
const LIBRARY_ROUNDS_MAX = 4;
/** Libraries that a program loads from packages of these names; other dependencies only set up services. */
const LIBRARY_PACKAGE = /^(lib|lua-)/;

/** Unpacks packages of one Debian release, with apt's own signature checks, without installing them. */
export type DebianPackages = {
  /** The release of this machine (`bookworm`). */
  codename: string;
  /** Downloads and unpacks `packages` of `release` into `folder`. */
  unpack: (packages: readonly string[], release: string, folder: string) => Promise<void>;
  /** Adds the libraries which `binary` needs and the machine lacks; returns the folders to load them from. */
  addMissingLibraries: (binary: string, release: string, folder: string) => Promise<string[]>;
};

/** Text of a failed command without the address of any mirror. */
const withoutHosts = (text: string): string =>
  text
    .replace(/\w+:\/\/[^\s'"]+/g, '<mirror>')
    .replace(/(resolving|connect to|resolve|Connecting to) '?[^\s']+'?/gi, '$1 <mirror>')
    .trim()
    .split('\n')
    .slice(-8)
    .join('\n');

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
    throw new Error(`${what} failed:\n${withoutHosts(`${result.stdout}\n${result.stderr}`)}`);
  }
  return result.stdout;
};

const readSources = (aptFolder: string): AptSource[] => {
  const parts = join(aptFolder, 'sources.list.d');
  const files = [
    join(aptFolder, 'sources.list'),
    ...(existsSync(parts) ? readdirSync(parts).sort() : []).map((name) => join(parts, name)),
  ];
  return files.flatMap((file) => {
    if (!existsSync(file)) return [];
    if (file.endsWith('.list')) return parseListFile(readFileSync(file, 'utf8'));
    return file.endsWith('.sources') ? parseSourcesFile(readFileSync(file, 'utf8')) : [];
  });
};

/** The release name of a Debian machine (`bookworm`); throws on any other system. */
const debianCodename = (): string => {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const codename = /^VERSION_CODENAME="?([a-z]+)"?$/m.exec(release)?.[1];
  if (!/^ID="?debian"?$/m.test(release) || codename === undefined) {
    throw new Error('this system is not a Debian release');
  }
  return codename;
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

/**
 * Opens Debian's package archive through the mirror of this machine's own apt sources. Nothing outside
 * `folder` is changed. `report` is told of every download. Throws where the system is not Debian.
 */
export const createDebianPackages = (args: {
  folder: string;
  aptFolder?: string;
  report: (line: string) => void;
}): DebianPackages => {
  const { folder, report, aptFolder = '/etc/apt' } = args;
  const codename = debianCodename();
  const updated = new Set<string>();
  const debFiles: string[] = [];

  const update = async (release: string): Promise<void> => {
    if (updated.has(release)) return;
    const mirrors = debianMirrors(readSources(aptFolder), codename);
    if (mirrors.length === 0) throw new Error(`no Debian mirror in ${aptFolder} for ${codename}`);
    let failure: unknown;
    for (const mirror of mirrors) {
      const options = privateApt(folder);
      const suites = [...new Set([codename, release])];
      const text = renderSources([{ ...mirror, suites }]);
      writeFileSync(join(folder, 'sources', 'debian.sources'), text);
      report(`reading Debian's package lists (${suites.join(', ')}) …`);
      try {
        await run('reading package lists', 'apt-get', [...options, '-qq', 'update']);
        updated.add(release);
        return;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
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
    await run(`downloading ${packages.join(', ')}`, 'apt-get', options, downloads);
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
      const next = [...new Set(wanted)].filter((name) => !fetched.has(name) && name !== 'libc6');
      if (next.length === 0) throw new Error(`libraries not found: ${missing.join(', ')}`);
      for (const name of next) fetched.add(name);
      await unpack(next, release, target);
    }
    throw new Error(`libraries of ${binary} are still missing after ${LIBRARY_ROUNDS_MAX} rounds`);
  };

  return { codename, unpack, addMissingLibraries };
};
