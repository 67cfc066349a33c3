import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import type { Answer } from './startApp.ts';

const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;

/** A JSON Schema validator for OpenAPI 3.1, with string formats. */
export const createAjv = (): Ajv2020 => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  return ajv;
};

/** The JSON Schema keywords that the specification and the service's document use for input. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly default?: string | number | boolean;
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  /** Rules by the value of one field: `if` it has this constant, `then` others are narrowed. */
  readonly allOf?: readonly {
    readonly if: { readonly properties: Readonly<Record<string, { readonly const: string }>> };
    readonly then: { readonly properties: Readonly<Record<string, Schema | false>> };
  }[];
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

/** One operation of the contract. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly style: string;
  readonly lowestTier: string;
  readonly parameters: readonly Parameter[];
  readonly body?: Schema;
  readonly isBodyRequired?: boolean;
  readonly success: number;
  /** Schema of the whole body of a success. */
  readonly answer: Schema;
  readonly errors: readonly number[];
}

export interface Contract {
  readonly operations: readonly Operation[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface JsonContent {
  readonly content: { readonly 'application/json': { readonly schema: Schema } };
}
interface DesignOperation {
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: JsonContent & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, JsonContent>>;
}
type Design = Pick<Contract, 'components'> & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DesignOperation>>>>;
};

/** Operations that answer with a stream: separate tests compare them with the contract. */
const STREAMS: ReadonlySet<string> = new Set(['/api/events', '/api/ws']);
/** Objects with additional fields: features depend on the model. */
const OPEN_SCHEMAS: ReadonlySet<string> = new Set(['TokenFeatures']);

/**
 * Fields that the service adds to the contract's schemas, by schema; after a dot, to those of a field. The OpenAPI
 * document describes them, and responses are compared with that too.
 */
const ADDED_TO_SCHEMAS: Readonly<Record<string, readonly string[]>> = {
  TokenListEntryA: ['certainty', 'advice'],
  TokenDetailA: ['certainty', 'advice', 'reasons', 'locks', 'frameworks', 'market'],
  TokenListEntryB: ['certainty', 'advice'],
  TokenB: ['certainty', 'advice'],
  PredictResultB: ['certainty', 'advice'],
  'PredictResultB.explanation': ['advice_text', 'reasons'],
  Webhook: ['kind', 'chat_id', 'email', 'language', 'digest', 'quiet_hours'],
  VerdictHistoryEntry: ['reason'],
};
/** The same for fields of `data`, by path. */
const ADDED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  '/stats': ['accuracy_source', 'accuracy_samples'],
  '/api/health': ['node', 'index_lag', 'scored', 'consumers', 'late'],
};

/** Optional fields with any content. */
const anything = (names: readonly string[] = []): Record<string, Schema> =>
  Object.fromEntries(names.map((name) => [name, {}]));

/** The schema with the service's additional fields, if it has this name. */
const extended = (name: string, schema: Schema): Schema => {
  if (!schema.properties) return schema;
  const fields = Object.entries(schema.properties).map(
    ([field, inner]) => [field, extended(`${name}.${field}`, inner)] as const,
  );
  const added = anything(ADDED_TO_SCHEMAS[name]);
  return { ...schema, properties: { ...Object.fromEntries(fields), ...added } };
};

const jsonOf = ({ content }: JsonContent): Schema => content['application/json'].schema;

const operationOf = (path: string, method: string, design: DesignOperation): Operation => {
  const { description, parameters = [], requestBody, responses } = design;
  const [, style = '', lowestTier = ''] =
    /^Style (\w)\. Lowest tier: (\w+)\./.exec(description) ?? [];
  const statuses = Object.keys(responses).map(Number);
  const success = statuses.find((status) => status < 300);
  const answer = responses[String(success)];
  assert(success !== undefined && answer, `${method} ${path} has no success`);
  const errors = statuses.filter((status) => status >= 400);
  return {
    method: method.toUpperCase(),
    path,
    style,
    lowestTier,
    parameters,
    ...(requestBody && {
      body: jsonOf(requestBody),
      isBodyRequired: requestBody.required ?? false,
    }),
    success,
    answer: jsonOf(answer),
    errors,
  };
};

/** The design document's promises for each operation, without examples and prose. */
export const contractOf = ({ paths, components }: Design): Contract => ({
  operations: Object.entries(paths)
    .filter(([path]) => !STREAMS.has(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, design]) => operationOf(path, method, design)),
    ),
  components: { schemas: components.schemas },
});

/** The committed form: one line per operation and schema. */
export const contractText = ({ operations, components }: Contract): string => {
  const lines = (parts: readonly string[]): string => parts.join(',\n');
  const compact = (value: unknown): string =>
    JSON.stringify(value, (key, each) => (key === 'example' ? undefined : each));
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `${JSON.stringify(name)}:${compact(schema)}`,
  );
  return `{"operations":[\n${lines(operations.map(compact))}\n],"components":{"schemas":{\n${lines(schemas)}\n}}}\n`;
};

const CONTRACT_FILE = join(projectRoot(), 'api/testing/fixtures/contract.json');
/** The design document, next to the project on the developers' machine. */
export const DESIGN_FILE = join(projectRoot(), '../shared/design/openapi-design.json');

/** The contract as it is committed. */
export const CONTRACT: Contract = JSON.parse(readFileSync(CONTRACT_FILE, 'utf8'));

// ---- answers

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/** The schema with every object that names its fields closed to others. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, closed(each)]));
  return 'properties' in inner ? { additionalProperties: false, ...inner } : inner;
};

/** A response schema with fields added to its `data`. */
const withAdded = ({ components }: Contract, answer: Schema, added?: readonly string[]): Schema => {
  const data = answer.properties?.['data'];
  if (!added || !data) return answer;
  const name = data.$ref?.split('/').at(-1) ?? '';
  const named = extended(name, components.schemas[name] ?? data);
  const properties = { ...named.properties, ...anything(added) };
  return { ...answer, properties: { ...answer.properties, data: { ...named, properties } } };
};

/**
 * Checks responses against the contract: a field that is absent, of a wrong type, or unknown is a problem.
 * @returns problems as `place: what is wrong`, places as JSON pointers
 */
export const createContractChecker = (contract: Contract) => {
  const ajv = createAjv();
  ajv.addFormat('date-time', ISO_TIME);
  const schemas = Object.entries(contract.components.schemas).map(
    ([name, schema]) =>
      [name, OPEN_SCHEMAS.has(name) ? schema : closed(extended(name, schema))] as const,
  );
  const answers = contract.operations.map(
    ({ method, path, answer }) =>
      [`${method} ${path}`, closed(withAdded(contract, answer, ADDED_FIELDS[path]))] as const,
  );
  ajv.addSchema(
    { components: { schemas: Object.fromEntries(schemas) }, answers: Object.fromEntries(answers) },
    'contract',
  );
  return ({ method, path }: Operation, body: unknown): string[] => {
    const validate = ajv.getSchema(`contract#/answers/${pointerPart(`${method} ${path}`)}`);
    assert(validate, `${method} ${path} is in no contract`);
    if (validate(body)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      const more = params['additionalProperty'] ?? params['allowedValues'] ?? '';
      return `${instancePath.replace(/\/\d+(?=\/|$)/g, '/*')}: ${message} ${more}`.trimEnd();
    });
  };
};

/** A name within a reference to a schema. */
const pointerPart = (name: string): string =>
  encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Checks responses against an OpenAPI document. */
export const createDocumentChecker = (document: object) => {
  const ajv = createAjv();
  ajv.addSchema(document, 'openapi');
  const typesOf = (parts: readonly string[]): string[] => {
    let place: unknown = document;
    for (const part of [...parts, 'content']) {
      place = (place as Readonly<Record<string, unknown>> | undefined)?.[part];
    }
    return Object.keys(place ?? {});
  };
  /** Fails for an undocumented status and for a body that does not match its schema. */
  return (path: string, method: string, answer: Answer): void => {
    const parts = ['paths', path, method, 'responses', String(answer.status)];
    const types = typesOf(parts);
    if (!types.includes('application/json') && types.length > 0) {
      const type = answer.headers.get('Content-Type')?.split(';')[0] ?? '';
      const known = `${method} ${path} answers ${type}, documented are ${types.join(', ')}`;
      assert.ok(types.includes(type), known);
      return;
    }
    const place = [...parts, 'content', 'application/json', 'schema'].map(pointerPart);
    const validate = ajv.getSchema(`openapi#/${place.join('/')}`);
    assert.ok(validate, `${method} ${path} ${answer.status} is not documented: ${answer.text}`);
    assert.ok(validate(answer.body), `${place.join('/')}: ${ajv.errorsText(validate.errors)}`);
  };
};

// ---- input at and beyond the limits of a schema

interface Values {
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const letters = (count: number): string => 'a'.repeat(count);
const present = <T>(value: number | undefined, make: (bound: number) => T): T[] =>
  value === undefined ? [] : [make(value)];

const isAddress = ({ pattern }: Schema): boolean => pattern?.startsWith('^0x') ?? false;

/** Lengths just beyond the limits, and an invalid address. */
const badStrings = (schema: Schema): string[] => [
  ...present(schema.minLength, (min) => letters(min - 1)),
  ...present(schema.maxLength, (max) => letters(max + 1)),
  ...(isAddress(schema) ? ['0x12'] : []),
];

const otherCase = ([first = '']: readonly string[]): string =>
  first === first.toUpperCase() ? first.toLowerCase() : first.toUpperCase();

const queryValues = ({ name, schema }: Parameter): Values => {
  const { description = '', enum: choices, type, minimum = 0, maximum } = schema;
  if (choices) return { good: choices, bad: [otherCase(choices), 'nope', ''] };
  if (type === 'integer') {
    return {
      good: [minimum, ...present(maximum, (max) => max)],
      bad: [minimum - 1, ...present(maximum, (max) => max + 1), 'x', '1.5', '', '1e1'],
    };
  }
  if (type === 'number') return { good: [0, 0.5, 1], bad: ['x', -1, 1.5, ''] };
  if (isAddress(schema)) return { good: [], bad: ['0x12', 'x'] };
  const isTime = ['from', 'to'].includes(name) || name.startsWith('created_');
  if (isTime || description.startsWith('ISO 8601')) {
    return { good: ['2020-01-02', '2020-01-02T03:04:05Z'], bad: ['yesterday', ''] };
  }
  if (description.startsWith('comma list')) return { good: ['created,funded'], bad: ['nope', ''] };
  const cursor = name === 'cursor' ? ['nonsense', ''] : [];
  return { good: [], bad: [...badStrings(schema), ...cursor] };
};

/** Values of a query parameter, and whether each is accepted. */
export const parameterCases = (parameter: Parameter): { value: string; isGood: boolean }[] => {
  const { good, bad } = queryValues(parameter);
  return [
    ...good.map((value) => ({ value: String(value), isGood: true })),
    ...bad.map((value) => ({ value: String(value), isGood: false })),
  ];
};

/** The default of a parameter in query form; undefined if it has none. */
export const defaultOf = ({ schema }: Parameter): string | undefined => {
  const fallback = schema.default ?? /^default (\w+);/.exec(schema.description ?? '')?.[1];
  return fallback === undefined ? undefined : String(fallback);
};

const WRONG_TYPES: Readonly<Record<string, readonly unknown[]>> = {
  string: [7, null, {}],
  integer: ['1', 1.5, null],
  number: ['1', null],
  boolean: ['true', 1, null],
  object: ['x', 7, [1]],
};

const bodyValues = (schema: Schema): Values => {
  const { enum: choices, items, minItems, maxItems, minimum, maximum } = schema;
  if (choices) return { good: choices, bad: ['nope', 7, null] };
  const [type = '', orNull] = [schema.type ?? []].flat();
  if (type === 'array') {
    return {
      good: items?.enum ? [items.enum.slice(0, 2)] : [],
      bad: [
        'x',
        7,
        [7],
        ...(items?.enum ? [['nope']] : []),
        ...present(minItems, () => []),
        ...present(maxItems, (max) => Array(max + 1).fill('x')),
      ],
    };
  }
  const wrong = WRONG_TYPES[type] ?? assert.fail(`no values of type ${type}`);
  return {
    good: [...present(minimum, (min) => min), ...present(maximum, (max) => max)],
    bad: [
      ...wrong.filter((value) => value !== null || orNull === undefined),
      ...present(minimum, (min) => min - 1),
      ...present(maximum, (max) => max + 1),
      ...badStrings(schema),
    ],
  };
};

type Fields = Readonly<Record<string, unknown>>;

/** A body with one changed field, and whether it is accepted. */
export interface BodyCase {
  readonly field: string;
  readonly body: Fields;
  readonly isGood: boolean;
}

/** Bodies at and beyond the limits of a schema, derived from a valid one. */
export const bodyCases = (schema: Schema, sample: Fields): BodyCase[] => {
  const inside = ({ properties = {}, required = [] }: Schema, around: Fields, place: string) =>
    Object.entries(properties).flatMap(([name, field]): BodyCase[] => {
      const change = (isGood: boolean) => (value: unknown) => ({
        field: `${place}${name}`,
        body: { ...around, [name]: value },
        isGood,
      });
      const { good, bad } = bodyValues(field);
      const deeper: BodyCase[] = inside(
        field,
        (around[name] ?? {}) as Fields,
        `${place}${name}.`,
      ).map((each) => ({ ...each, body: { ...around, [name]: each.body } }));
      // A required field has its valid value in the sample.
      return [
        ...(required.includes(name) ? [] : good.map(change(true))),
        ...bad.map(change(false)),
        ...deeper,
      ];
    });
  const unknown = { field: 'unknown_field', body: { ...sample, unknown_field: 1 }, isGood: false };
  return [...inside(schema, sample, ''), unknown];
};
