import type { ParameterRow } from './row.ts';

/** A value of a query parameter, and whether it is accepted. */
export interface ParameterCase {
  readonly value: string;
  readonly isGood: boolean;
}

const good = (value: string | number): ParameterCase => ({ value: String(value), isGood: true });
const bad = (value: string | number): ParameterCase => ({ value: String(value), isGood: false });

const numberIn = (rule: string, word: string): number | undefined => {
  const found = new RegExp(`\\b${word} (\\d+)`).exec(rule)?.[1];
  return found === undefined ? undefined : Number(found);
};

const integerCases = (rule: string): ParameterCase[] => {
  const min = numberIn(rule, 'min') ?? 0;
  // "offset mode: default 20, max 100; page mode: … max 1000" ends with the larger.
  const maxima = [...rule.matchAll(/\bmax (\d+)/g)].map((match) => Number(match[1]));
  const max = maxima.at(-1);
  return [
    good(min),
    bad(min - 1),
    ...(max === undefined ? [] : [good(max), bad(max + 1)]),
    ...['x', '1.5', '', '1e1'].map(bad),
  ];
};

const BY_TYPE: Readonly<Record<string, (rule: string, name: string) => ParameterCase[]>> = {
  integer: integerCases,
  number: () => [good('0'), good('0.5'), good('1'), bad('x'), bad('-1'), bad('1.5'), bad('')],
  string: (rule, name) => {
    const max = numberIn(rule, 'max length');
    const tooLong = max === undefined ? [] : [bad('a'.repeat(max + 1))];
    if (rule.startsWith('EVM address')) return [bad('0x12'), bad('x')];
    if (
      rule.startsWith('ISO 8601') ||
      ['from', 'to'].includes(name) ||
      name.startsWith('created_')
    ) {
      return [good('2020-01-02'), good('2020-01-02T03:04:05Z'), bad('yesterday'), bad('')];
    }
    if (rule.startsWith('comma list')) return [good('created,funded'), bad('nope'), bad('')];
    if (name === 'cursor') return [...tooLong, bad('nonsense'), bad('')];
    const min = numberIn(rule, 'min length');
    return [...tooLong, ...(min === undefined ? [] : [bad('a'.repeat(min - 1))])];
  },
};

/** Values at and beyond the edges of what a row of a table allows. */
export const parameterCases = ([name, , type, , rule]: ParameterRow): ParameterCase[] => {
  const byType = BY_TYPE[type];
  if (byType) return byType(rule, name);
  const choices = type.split(', ');
  const [first = ''] = choices;
  const otherCase = first === first.toUpperCase() ? first.toLowerCase() : first.toUpperCase();
  return [...choices.map(good), bad(otherCase), bad('nope'), bad('')];
};

/** The default a row names, as a query would carry it; undefined where it names none. */
export const defaultOf = ([, , , , rule]: ParameterRow): string | undefined =>
  rule.includes('mode') ? undefined : /\bdefault "?([\w]+)"?/.exec(rule)?.[1];
