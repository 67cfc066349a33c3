import type { FieldRow } from './row.ts';
import { SCHEMAS } from './schemas.ts';

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const ADDRESS = /^0x[0-9a-f]{40}$/;

/** Objects that may have more fields than the table names: features are what the model has. */
const IS_OPEN: ReadonlySet<string> = new Set(['TokenFeatures']);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const PRIMITIVES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  null: (value) => value === null,
  any: () => true,
  false: (value) => value === false,
};

/** Whether a value keeps what the rule of its row says in words that can be checked. */
const ruleProblem = (value: unknown, rule: string): string | undefined => {
  if (typeof value === 'number') {
    const min = /\bmin (\d+)/.exec(rule)?.[1];
    const max = /\bmax (\d+)/.exec(rule)?.[1];
    if (min !== undefined && value < Number(min)) return `${value} is below ${min}`;
    if (max !== undefined && value > Number(max)) return `${value} is above ${max}`;
  }
  if (typeof value === 'string') {
    if (rule.startsWith('ISO 8601') && !ISO_TIME.test(value)) return `${value} is no time`;
    if (rule.startsWith('EVM address') && !ADDRESS.test(value)) return `${value} is no address`;
  }
  return undefined;
};

/** What is wrong with a value of a type as the tables write it. */
export const typeProblems = (
  value: unknown,
  type: string,
  rule: string,
  place: string,
): string[] => {
  const shown = JSON.stringify(value)?.slice(0, 80);
  if (type.includes(' & any')) return typeProblems(value, type.replace(' & any', ''), rule, place);
  const item = /^array of (.+)$/.exec(type)?.[1];
  if (item !== undefined) {
    if (!Array.isArray(value)) return [`${place}: ${shown} is no array`];
    return value.flatMap((each, index) => typeProblems(each, item, rule, `${place}[${index}]`));
  }
  const valueType = /^map of (.+)$/.exec(type)?.[1];
  if (valueType !== undefined) {
    if (!isObject(value)) return [`${place}: ${shown} is no object`];
    return Object.entries(value).flatMap(([name, each]) =>
      typeProblems(each, valueType, '', `${place}.${name}`),
    );
  }
  const rows = SCHEMAS[type];
  if (rows) return fieldProblems(value, rows, place, IS_OPEN.has(type));
  const choices = type.split(' or ');
  const isType = choices.every((choice) => choice in PRIMITIVES);
  const fits = isType
    ? choices.some((choice) => PRIMITIVES[choice]?.(value))
    : type.split(', ').includes(String(value));
  if (!fits) return [`${place}: ${shown} is not ${type}`];
  const problem = ruleProblem(value, rule);
  return problem === undefined ? [] : [`${place}: ${problem}`];
};

/** Rows of the fields directly inside, with the rows further inside each. */
const childrenOf = (rows: readonly FieldRow[], name: string): FieldRow[] =>
  rows.flatMap(([path, type, required, rule]) => {
    const inner = new RegExp(`^${name}(?:\\[\\])?\\.(.+)$`).exec(path)?.[1];
    return inner === undefined ? [] : [[inner, type, required, rule] as const];
  });

/** What is wrong with an object: fields absent, of a wrong type, or unknown to the table. */
export const fieldProblems = (
  value: unknown,
  rows: readonly FieldRow[],
  place: string,
  isOpen = false,
): string[] => {
  if (!isObject(value)) return [`${place}: is no object`];
  const own = rows.filter(([path]) => /^\w+$/.test(path));
  const names = new Set(own.map(([name]) => name));
  const unknown = isOpen ? [] : Object.keys(value).filter((name) => !names.has(name));
  const problems = own.flatMap(([name, type, required, rule]) => {
    const inside = `${place}.${name}`;
    const field = value[name];
    if (field === undefined) return required === 'yes' ? [`${inside}: is absent`] : [];
    const children = childrenOf(rows, name);
    const wrong = typeProblems(field, type, rule, inside);
    if (children.length === 0 || wrong.length > 0 || field === null) return wrong;
    const objects = Array.isArray(field) ? field : [field];
    return objects.flatMap((each, index) =>
      fieldProblems(each, children, Array.isArray(field) ? `${inside}[${index}]` : inside),
    );
  });
  return [...unknown.map((name) => `${place}.${name}: is in no table`), ...problems];
};
