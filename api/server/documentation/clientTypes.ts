import type { Content, Document, Operation, Parameter, Schema } from './document.ts';

const PLACES = ['query', 'header', 'path', 'cookie'];

const quoted = (value: unknown): string => JSON.stringify(value) ?? 'undefined';
const joined = (types: readonly string[], sign: '|' | '&'): string =>
  types.length === 1 ? (types[0] ?? '') : `(${[...new Set(types)].join(` ${sign} `)})`;

const objectType = ({ properties = {}, required = [], additionalProperties }: Schema): string => {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${quoted(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};`,
  );
  const named = `{ ${fields.join(' ')} }`;
  if (typeof additionalProperties !== 'object') return fields.length > 0 ? named : 'object';
  const open = `{ [name: string]: ${typeOf(additionalProperties)} }`;
  return fields.length > 0 ? `(${named} & ${open})` : open;
};

const namedType = (type: string, schema: Schema): string => {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return `${typeOf(schema.items ?? {})}[]`;
    case 'object':
      return objectType(schema);
    default:
      return type;
  }
};

const typeOf = (schema: Schema): string => {
  if (schema.$ref) return `components["schemas"]["${schema.$ref.split('/').at(-1)}"]`;
  if (schema.const !== undefined) return quoted(schema.const);
  if (schema.enum) return joined(schema.enum.map(quoted), '|');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return joined(choices.map(typeOf), '|');
  // A schema that only describes adds nothing to the type.
  if (schema.allOf) {
    const types = schema.allOf.map(typeOf).filter((type) => type !== 'unknown');
    return types.length === 0 ? 'unknown' : joined(types, '&');
  }
  if (schema.type === undefined) return 'unknown';
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  return joined(
    types.map((type) => namedType(type, schema)),
    '|',
  );
};

const contentType = (content: Content): string => {
  const media = Object.entries(content).map(
    ([type, { schema = {} }]) => `${quoted(type)}: ${typeOf(schema)};`,
  );
  return `{ ${media.join(' ')} }`;
};

const parametersType = (parameters: readonly Parameter[]): string => {
  const places = PLACES.map((place) => {
    const own = parameters.filter((parameter) => parameter.in === place);
    if (own.length === 0) return `${place}?: never;`;
    const fields = own.map(
      ({ name, required, schema = {} }) =>
        `${quoted(name)}${required ? '' : '?'}: ${typeOf(schema)};`,
    );
    const isNeeded = own.some(({ required }) => required);
    return `${place}${isNeeded ? '' : '?'}: { ${fields.join(' ')} };`;
  });
  return `{ ${places.join(' ')} }`;
};

const operationType = ({ parameters = [], requestBody, responses }: Operation): string => {
  const body = requestBody
    ? `requestBody${requestBody.required ? '' : '?'}: { content: ${contentType(requestBody.content)} };`
    : 'requestBody?: never;';
  const answers = Object.entries(responses).map(
    ([status, { content }]) =>
      `${status}: { headers: { [name: string]: unknown }; content: ${content ? contentType(content) : '{}'} };`,
  );
  return `{ parameters: ${parametersType(parameters)}; ${body} responses: { ${answers.join(' ')} }; }`;
};

const pathType = (operations: Readonly<Record<string, Operation>>): string => {
  const methods = Object.entries(operations).map(
    ([method, operation]) => `    ${method}: ${operationType(operation)};`,
  );
  return `{\n${methods.join('\n')}\n  }`;
};

/**
 * The document as TypeScript types `paths` and `components`, as the client `openapi-fetch` expects.
 * openapi-typescript is not used because it needs the TypeScript 5 compiler at run time, which this service neither
 * ships nor is built with.
 */
export const clientTypes = (document: Document): string => {
  const paths = Object.entries(document.paths).map(
    ([path, operations]) => `  ${quoted(path)}: ${pathType(operations)};`,
  );
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `    ${name}: ${typeOf(schema)};`,
  );
  return [
    'export interface paths {',
    ...paths,
    '}',
    'export interface components {',
    '  schemas: {',
    ...schemas,
    '  };',
    '}',
    '',
  ].join('\n');
};
