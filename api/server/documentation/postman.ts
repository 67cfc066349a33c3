import { type Document, type Operation, operationsIn, type Parameter } from './document.ts';

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

const variable = ({ name, description = '', example, schema = {} }: Parameter) => ({
  key: name,
  value: textOf(example ?? schema.example ?? schema.default),
  description,
});

const requestOf = (method: string, path: string, operation: Operation) => {
  const body = operation.requestBody?.content['application/json']?.example;
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
  const items = operationsIn(document).map(({ path, method, operation }) => ({
    tag: operation.tags?.[0] ?? 'Other',
    item: {
      name: operation.summary,
      request: requestOf(method, path, operation),
      response: [],
    },
  }));
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
