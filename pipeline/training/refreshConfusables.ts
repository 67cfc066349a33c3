import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { InputError, readLines, readOptions, runCommand } from './readCsv.ts';

const USAGE = 'usage: make confusables FILE=confusables.txt (Unicode Technical Standard 39)';
const OUT = 'shared/names/artifacts/confusables.ts';
/** An ASCII letter or digit: token names are compared by these only. */
const LATIN = /^[A-Za-z0-9]$/;
const HEX = /^[0-9A-F]{4,6}$/;

/** `source ; target ; type # …`; a target of several characters is skipped. */
const readPair = (line: string, place: string): readonly [string, string] | null => {
  const [source = '', target = ''] = line.split(';').map((cell) => cell.trim());
  if (line.trim() === '' || line.startsWith('#')) return null;
  const points = target.split(' ');
  if (!HEX.test(source) || !points.every((point) => HEX.test(point))) {
    throw new InputError(`${place}: expected “hex ; hex … ; MA”, not ${JSON.stringify(line)}`);
  }
  const latin = String.fromCodePoint(...points.map((point) => Number.parseInt(point, 16)));
  return LATIN.test(latin) ? [String.fromCodePoint(Number.parseInt(source, 16)), latin] : null;
};

/**
 * The standard treats capital I, digit 1 and small l as one letter, and writes it l. Here everything but a small
 * letter l reads as I, so that words can be found in a folded text.
 */
const readAs = (other: string, latin: string): string =>
  latin === 'l' && !/\p{Ll}/u.test(other) ? 'I' : latin;

const main = async (): Promise<void> => {
  const { file } = readOptions(USAGE, ['file']);
  const others = new Map<string, string[]>();
  const head: Record<string, string> = {};
  let line = 0;
  for await (const text of readLines(file)) {
    line += 1;
    const [, field = '', value = ''] = /^\uFEFF?# (Date|Version|©) ?:? ?(.+)$/.exec(text) ?? [];
    if (field !== '') head[field] ??= value.trim();
    const pair = readPair(text.replace(/^\uFEFF/, ''), `${file}, line ${line}`);
    // Compatibility forms fold without a table, and ASCII is the target of folding.
    if (!pair || pair[0].normalize('NFKC') !== pair[0] || pair[0] < '\x80') continue;
    const latin = readAs(...pair);
    others.set(latin, [...(others.get(latin) ?? []), pair[0]]);
  }
  const { Version: version, Date: date } = head;
  if (!version || !date) throw new InputError(`${file} has no lines “# Version:” and “# Date:”`);
  const rows = [...others].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const count = rows.reduce((sum, [, letters]) => sum + letters.length, 0);
  const lines = rows.map(
    ([latin, letters]) => `  ${latin}: '${letters.toSorted().map(escaped).join('')}',`,
  );
  writeFileSync(join(projectRoot(), OUT), artifact({ version, date, lines }));
  console.log(`${OUT}: ${count} characters of version ${version}`);
};

/** Written by number, because many are marks or run from right to left. */
const escaped = (letter: string): string => `\\u{${letter.codePointAt(0)?.toString(16)}}`;

const artifact = (made: { version: string; date: string; lines: readonly string[] }): string =>
  `/**
 * Characters that look like a letter or digit of ASCII, by that one: confusables.txt of Unicode Technical Standard 39,
 * version ${made.version} of ${made.date}, © Unicode, Inc., https://www.unicode.org/terms_of_use.html.
 * Made by \`make confusables\`; do not edit.
 */
export const CONFUSABLES: Readonly<Record<string, string>> = {
${made.lines.join('\n')}
};
`;

await runCommand(main);
