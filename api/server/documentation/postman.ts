import { exampleDetail } from '../examples.ts';
import type { createOpenApi } from './openapi.ts';

type Document = ReturnType<typeof createOpenApi>;

/** The parts of JSON Schema that say what a body may hold. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly example?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Of an operation of the document what a collection holds. */
interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { schema?: Schema }> };
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

/** A text that a schema accepts. */
const textOf = ({ format, pattern, minLength = 0 }: Schema): string => {
  if (format === 'uri') return 'https://example.org/';
  if (format === 'email') return 'me@example.org';
  return pattern?.includes('40') ? exampleDetail.address : 'text'.padEnd(minLength, ' text');
};

/** The least that a schema accepts: of objects the fields that must be there. */
const exampleOf = (schema: Schema): unknown => {
  const given = schema.example ?? schema.default ?? schema.enum?.[0];
  if (given !== undefined) return given;
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0]);
  const type = typeof schema.type === 'object' ? schema.type[0] : schema.type;
  if (type === 'array') return schema.items ? [exampleOf(schema.items)] : [];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0;
  if (type !== 'object') return textOf(schema);
  const properties = Object.entries(schema.properties ?? {});
  return Object.fromEntries(
    properties
      .filter(([name]) => schema.required?.includes(name))
      .map(([name, each]) => [name, exampleOf(each)]),
  );
};

const valueOf = ({ example, schema = {}, required }: Parameter): string =>
  String(example ?? (required ? exampleOf(schema) : (schema.example ?? schema.default ?? '')));

const variable = (parameter: Parameter) => ({
  key: parameter.name,
  value: valueOf(parameter),
  description: parameter.description ?? '',
});

const requestOf = (method: string, path: string, operation: Operation) => {
  const schema = operation.requestBody?.content['application/json']?.schema;
  const body = schema && exampleOf(schema);
  const parameters = operation.parameters ?? [];
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    // Sent only when it is ticked: an empty parameter is a wrong one.
    .map((parameter) => ({ ...variable(parameter), disabled: parameter.required !== true }));
  const segments = path.slice(1).replace(/\{(\w+)\}/g, ':$1');
  return {
    method: method.toUpperCase(),
    description: operation.description ?? '',
    header: body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
    url: {
      raw: `{{baseUrl}}/${segments}`,
      host: ['{{baseUrl}}'],
      path: segments.split('/'),
      query,
      variable: parameters.filter((parameter) => parameter.in === 'path').map(variable),
    },
    ...(body === undefined
      ? {}
      : {
          body: {
            mode: 'raw',
            raw: JSON.stringify(body, undefined, 2),
            options: { raw: { language: 'json' } },
          },
        }),
  };
};

/** The operations as a collection of Postman, format 2.1, one folder a tag. The key is the variable `apiKey`. */
export const postmanCollection = (document: Document): object => {
  const items = Object.entries(document.paths ?? {}).flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, Operation>).map(([method, operation]) => ({
      tag: operation.tags?.[0] ?? 'Other',
      item: {
        name: operation.summary ?? `${method} ${path}`,
        request: requestOf(method, path, operation),
        response: [],
      },
    })),
  );
  const tags = [...new Set(items.map(({ tag }) => tag))];
  return {
    info: {
      name: document.info.title,
      description: document.info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'X-API-Key', type: 'string' },
        { key: 'value', value: '{{apiKey}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    variable: [
      { key: 'baseUrl', value: document.servers?.[0]?.url ?? '' },
      { key: 'apiKey', value: '' },
    ],
    item: tags.map((name) => ({
      name,
      item: items.filter(({ tag }) => tag === name).map(({ item }) => item),
    })),
  };
};
