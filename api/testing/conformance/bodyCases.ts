import type { FieldRow } from './row.ts';

/** A body with one field changed, and whether it is accepted. */
export interface BodyCase {
  readonly field: string;
  readonly body: unknown;
  readonly isGood: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** The body with a value at a path such as `thresholds.price_drop`. */
const withValue = (body: Fields, path: string, value: unknown): Fields => {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...body, [name]: value };
  return { ...body, [name]: withValue((body[name] ?? {}) as Fields, rest.join('.'), value) };
};

const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  string: [7, null, {}],
  integer: ['1', 1.5, null],
  number: ['1', null],
  boolean: ['true', 1, null],
  object: ['x', 7, [1]],
  'object or null': ['x', 7],
};

const boundCases = (rule: string): { good: unknown[]; bad: unknown[] } => {
  const numberIn = (word: string) => {
    const found = new RegExp(`\\b${word} (\\d+)`).exec(rule)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const [min, max] = [numberIn('min'), numberIn('max')];
  const [shortest, longest] = [numberIn('min length'), numberIn('max length')];
  return {
    good: [...(min === undefined ? [] : [min]), ...(max === undefined ? [] : [max])],
    bad: [
      ...(min === undefined ? [] : [min - 1]),
      ...(max === undefined ? [] : [max + 1]),
      ...(shortest === undefined ? [] : ['a'.repeat(shortest - 1)]),
      ...(longest === undefined ? [] : ['a'.repeat(longest + 1)]),
    ],
  };
};

const valuesOf = (type: string, rule: string): { good: unknown[]; bad: unknown[] } => {
  const wrong = WRONG[type];
  if (wrong) {
    const bounds = boundCases(rule);
    const badAddress = rule.startsWith('EVM address') ? ['0x12'] : [];
    return { good: bounds.good, bad: [...wrong, ...bounds.bad, ...badAddress] };
  }
  if (type.startsWith('map of')) return { good: [], bad: ['x', 7] };
  const item = /^array of (.+)$/.exec(type)?.[1];
  if (item !== undefined) {
    const isEnum = item.includes(', ');
    const tooMany = /max items (\d+)/.exec(rule)?.[1];
    const few = /min items 1/.test(rule) ? [[]] : [];
    const many = tooMany === undefined ? [] : [Array(Number(tooMany) + 1).fill('x')];
    return {
      good: isEnum ? [item.split(', ').slice(0, 2)] : [],
      bad: ['x', 7, [7], ...(isEnum ? [['nope']] : []), ...few, ...many],
    };
  }
  return { good: type.split(', '), bad: ['nope', 7, null] };
};

/** Values at and beyond the edges of what the rows of a body allow, around a body that is accepted. */
export const bodyCases = (rows: readonly FieldRow[], sample: Fields): BodyCase[] => [
  ...rows.flatMap(([field, type, required, rule]) => {
    const { good, bad } = valuesOf(type, rule);
    const change = (isGood: boolean) => (value: unknown) => ({
      field,
      body: withValue(sample, field, value),
      isGood,
    });
    // A field that every body needs has its good value in the sample.
    return [...(required === 'yes' ? [] : good.map(change(true))), ...bad.map(change(false))];
  }),
  { field: 'unknown_field', body: { ...sample, unknown_field: 1 }, isGood: false },
];
