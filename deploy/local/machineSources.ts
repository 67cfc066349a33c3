import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AptSource, parseListFile, parseSourcesFile } from './aptSources.ts';

/** The entries of a machine's apt sources, in either format. */
export const readAptSources = (aptFolder: string): AptSource[] => {
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
export const debianCodename = (): string => {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const codename = /^VERSION_CODENAME="?([a-z]+)"?$/m.exec(release)?.[1];
  if (!/^ID="?debian"?$/m.test(release) || codename === undefined) {
    throw new Error('this system is not a Debian release');
  }
  return codename;
};
