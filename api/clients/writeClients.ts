import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientTypes } from '../server/documentation/clientTypes.ts';
import { type Operation, operationsIn } from '../server/documentation/document.ts';
import { createOpenApi } from '../server/documentation/openapi.ts';
import type { Endpoint } from '../server/endpoint.ts';
import { createEndpoints, type EndpointPorts } from '../server/endpoints.ts';

/** Operations with an endless answer; both clients have a function of their own for events. */
const STREAMS: ReadonlySet<string> = new Set(['openSocket', 'openEvents', 'exportDay']);
const HEADER = 'Generated from the operations of the API by `make clients`.';

interface Field {
  readonly name: string;
  readonly isRequired: boolean;
}
interface ClientOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly pathFields: readonly string[];
  readonly queryFields: readonly Field[];
  readonly bodyFields: readonly Field[];
}
const clientOperation = (path: string, method: string, operation: Operation): ClientOperation => {
  const { operationId: id, summary, parameters = [], requestBody } = operation;
  const fieldsIn = (place: string): Field[] =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required: isRequired = false }) => ({ name, isRequired }));
  const { properties = {}, required = [] } = requestBody?.content['application/json']?.schema ?? {};
  return {
    id,
    method,
    path,
    summary,
    pathFields: fieldsIn('path').map(({ name }) => name),
    queryFields: fieldsIn('query'),
    bodyFields: Object.keys(properties).map((name) => ({
      name,
      isRequired: required.includes(name),
    })),
  };
};

const typescriptMethod = ({ id, method, path, summary, ...fields }: ClientOperation): string => {
  const hasInput = [fields.pathFields, fields.queryFields, fields.bodyFields].some(
    ({ length }) => length > 0,
  );
  const query = JSON.stringify(fields.queryFields.map(({ name }) => name));
  return `  /** ${summary}: ${method.toUpperCase()} ${path} */
  readonly ${id} = this.operation('${method}', '${path}'${hasInput ? `, ${query}` : ''});`;
};

/** The operations as methods of a class in TypeScript. */
const typescriptOperations = (operations: readonly ClientOperation[]): string => `// ${HEADER}
import { BaseClient } from './baseClient.ts';

/** A method for every operation of the API. */
export class Operations extends BaseClient {
${operations.map(typescriptMethod).join('\n')}
}
`;

/** Names reserved in Python get an underscore. */
const PYTHON_WORDS: ReadonlySet<string> = new Set(['from', 'in', 'class', 'def']);
const pythonName = (name: string): string => {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return PYTHON_WORDS.has(snake) ? `${snake}_` : snake;
};

const pythonMethod = (operation: ClientOperation): string => {
  const { id, method, path, summary, pathFields, queryFields, bodyFields } = operation;
  const given = [...bodyFields, ...queryFields];
  const needed = given.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  // None is a value of body fields: it removes a description, for example.
  const optional = [
    ...bodyFields.map((field) => ({ ...field, absent: '...' })),
    ...queryFields.map((field) => ({ ...field, absent: 'None' })),
  ].filter(({ isRequired }) => !isRequired);
  const parameters = [
    ...[...pathFields, ...needed].map((name) => `${pythonName(name)}: Any`),
    ...(optional.length > 0 ? ['*'] : []),
    ...optional.map(({ name, absent }) => `${pythonName(name)}: Any = ${absent}`),
  ];
  const dictionary = (names: readonly string[]): string =>
    `{${names.map((name) => `"${name}": ${pythonName(name)}`).join(', ')}}`;
  const call = [
    `"${method.toUpperCase()}"`,
    `"${path}"`,
    dictionary(pathFields),
    dictionary(queryFields.map(({ name }) => name)),
    bodyFields.length > 0 ? dictionary(bodyFields.map(({ name }) => name)) : 'None',
  ];
  return `    def ${pythonName(id)}(${['self', ...parameters].join(', ')}) -> Any:
        """${summary}: ${method.toUpperCase()} ${path}"""
        return self.call(${call.join(', ')})`;
};

/** The operations as methods of a class in Python. */
const pythonOperations = (operations: readonly ClientOperation[]): string => `# ${HEADER}
from typing import Any

from .base_client import BaseClient


class Operations(BaseClient):
    """A method for every operation of the API. None is sent as null in a body, and leaves out a field of a query."""

${operations.map(pythonMethod).join('\n\n')}
`;

/** The generated files of both clients by their path in this folder. */
export const clientFiles = (endpoints: readonly Endpoint[]): ReadonlyMap<string, string> => {
  const document = createOpenApi(endpoints, 'https://api.example');
  const operations = operationsIn(document)
    .map(({ path, method, operation }) => clientOperation(path, method, operation))
    .filter(({ id }) => !STREAMS.has(id));
  return new Map([
    ['typescript/schema.ts', `// ${HEADER}\n${clientTypes(document)}`],
    ['typescript/operations.ts', typescriptOperations(operations)],
    ['python/token_scam_client/operations.py', pythonOperations(operations)],
  ]);
};

/** Only the handlers need the dependencies of the operations. */
const withoutServices = { jobs: {}, chainId: 1, baseUrl: '' } as unknown as EndpointPorts;

if (process.argv[1] === import.meta.filename) {
  for (const [name, text] of clientFiles(createEndpoints(withoutServices))) {
    writeFileSync(join(import.meta.dirname, name), text);
  }
}
