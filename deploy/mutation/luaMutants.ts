/** A changed program, and what was changed. */
export interface Mutant {
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** Operator replacements: each changes the result of its step. */
const SWAPS: readonly (readonly [from: RegExp, to: string])[] = [
  [/ > /g, ' >= '],
  [/ <= /g, ' < '],
  [/ == /g, ' ~= '],
  [/ ~= /g, ' == '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ \* /g, ' / '],
  [/ \/ /g, ' * '],
  [/ and /g, ' or '],
  [/ or /g, ' and '],
  [/\bnot /g, ''],
  [/math\.max/g, 'math.min'],
  [/math\.min/g, 'math.max'],
  [/math\.floor/g, 'math.ceil'],
  [/math\.ceil/g, 'math.floor'],
];
const WHOLE_NUMBER = /(?<![\w.'[])\d+(?![\w.\]])/g;
/** A statement of a line that only writes. */
const WRITE = /^\s*redis\.call\(.*\)$/;

const changesOf = (line: string): readonly (readonly [at: number, from: string, to: string])[] => [
  ...SWAPS.flatMap(([pattern, to]) =>
    [...line.matchAll(pattern)].map((found) => [found.index, found[0], to] as const),
  ),
  ...[...line.matchAll(WHOLE_NUMBER)].map(
    (found) => [found.index, found[0], String(Number(found[0]) + 1)] as const,
  ),
  ...(WRITE.test(line) ? [[0, line, ''] as const] : []),
];

/**
 * Every change of one operator, rounding, limit, number or write in the Lua programs of a TypeScript source:
 * multi-line template strings. Lines with TypeScript interpolations are left alone.
 */
export const luaMutants = (source: string): Mutant[] => {
  const lines = source.split('\n');
  let isLua = false;
  return lines.flatMap((line, i) => {
    if (line.includes('${')) return [];
    if (line.includes('`')) {
      isLua = line.endsWith('`');
      return [];
    }
    if (!isLua) return [];
    return changesOf(line).map(([at, from, to]) => {
      const changed = line.slice(0, at) + to + line.slice(at + from.length);
      return { line: i + 1, from, to, text: lines.with(i, changed).join('\n') };
    });
  });
};
