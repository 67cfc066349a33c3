import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One entry of the machine's apt sources, in the fields that choose a mirror and its key. */
export type AptSource = {
  uris: string[];
  suites: string[];
  components: string[];
  /** A keyring path or an embedded key; undefined means the keys apt trusts by itself. */
  signedBy: string | undefined;
};

const words = (text: string | undefined): string[] => text?.split(/\s+/).filter(Boolean) ?? [];

const parseStanza = (stanza: string): AptSource[] => {
  const fields = new Map<string, string>();
  let name = '';
  for (const line of stanza.split('\n')) {
    if (line.startsWith('#')) continue;
    const field = /^([A-Za-z][A-Za-z-]*):[ \t]*(.*)$/.exec(line);
    if (field) {
      name = (field[1] ?? '').toLowerCase();
      fields.set(name, field[2] ?? '');
    } else if (/^[ \t]/.test(line) && name !== '') {
      fields.set(name, `${fields.get(name) ?? ''}\n${line}`);
    }
  }
  const disabled = /^(no|false|0|off)$/i.test(fields.get('enabled')?.trim() ?? 'yes');
  if (disabled || !words(fields.get('types')).includes('deb')) return [];
  return [
    {
      uris: words(fields.get('uris')),
      suites: words(fields.get('suites')),
      components: words(fields.get('components')),
      signedBy: fields.get('signed-by')?.trimEnd(),
    },
  ];
};

/** Reads the deb822 format (`*.sources`). */
export const parseSourcesFile = (text: string): AptSource[] =>
  text
    .replaceAll('\r', '')
    .split(/\n[ \t]*\n/)
    .flatMap(parseStanza);

/** Reads the one-line format (`*.list`). */
export const parseListFile = (text: string): AptSource[] =>
  text.split('\n').flatMap((rawLine) => {
    const line = rawLine.replace(/#.*$/, '').trim();
    const entry = /^deb\s+(?:\[([^\]]*)\]\s*)?(\S+)\s+(\S+)\s+(.+)$/.exec(line);
    if (!entry) return [];
    const [, options, uri = '', suite = '', components] = entry;
    const signedBy = words(options).find((option) => option.startsWith('signed-by='));
    return [
      {
        uris: [uri],
        suites: [suite],
        components: words(components),
        signedBy: signedBy?.slice('signed-by='.length),
      },
    ];
  });

/** The entries which carry Debian's own packages for a release (`bookworm`), updates and security excluded. */
export const debianMirrors = (sources: readonly AptSource[], codename: string): AptSource[] =>
  sources
    .filter(
      ({ uris, suites, components }) =>
        uris.length > 0 && suites.includes(codename) && components.includes('main'),
    )
    .map((source) => ({ ...source, suites: [codename], components: ['main'] }))
    // Other vendors also name their suites after Debian's releases; Debian mirrors end in /debian.
    .sort((left, right) => Number(isDebianUri(right)) - Number(isDebianUri(left)));

const isDebianUri = ({ uris }: AptSource): boolean => uris.every((uri) => /\/debian\/?$/.test(uri));

/** Writes entries in the deb822 format. */
export const renderSources = (sources: readonly AptSource[]): string =>
  sources
    .map(({ uris, suites, components, signedBy }) =>
      [
        'Types: deb',
        `URIs: ${uris.join(' ')}`,
        `Suites: ${suites.join(' ')}`,
        `Components: ${components.join(' ')}`,
        ...(signedBy === undefined ? [] : [`Signed-By: ${signedBy}`]),
        '',
      ].join('\n'),
    )
    .join('\n');

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
