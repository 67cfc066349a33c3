import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { Answer } from './startApp.ts';

const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;
const DOCUMENT = 'openapi';

/** A place in the document, as a reference to a schema has it. */
const pointer = (...parts: string[]): string => {
  const escaped = parts.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'));
  return `${DOCUMENT}#/${escaped.map(encodeURIComponent).join('/')}`;
};

/** Media types that are documented for an answer. */
const typesOf = (document: object, parts: readonly string[]): string[] => {
  let place: unknown = document;
  for (const part of [...parts, 'content']) {
    place = (place as Readonly<Record<string, unknown>> | undefined)?.[part];
  }
  return Object.keys(place ?? {});
};

/** Checks answers against what an OpenAPI document promises for them. */
export const createDocumentChecker = (document: object) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema(document, DOCUMENT);
  /** Fails for a status that is not documented and for a body that does not match its schema. */
  return (path: string, method: string, answer: Answer): void => {
    const parts = ['paths', path, method, 'responses', String(answer.status)];
    const types = typesOf(document, parts);
    if (!types.includes('application/json') && types.length > 0) {
      const type = answer.headers.get('Content-Type')?.split(';')[0] ?? '';
      assert.ok(
        types.includes(type),
        `${method} ${path} answers ${type}, documented are ${types.join(', ')}`,
      );
      return;
    }
    const schema = pointer(...parts, 'content', 'application/json', 'schema');
    const validate = ajv.getSchema(schema);
    assert.ok(validate, `${method} ${path} ${answer.status} is not documented: ${answer.text}`);
    assert.ok(validate(answer.body), `${schema}: ${ajv.errorsText(validate.errors)}`);
  };
};
