import type { Context } from 'koa';
import { invalidRequest } from '../server/apiError.ts';
import { receiveBody } from '../server/middleware/readBody.ts';

/** Bytes of a form: names, addresses and a password. */
const FORM_BYTES_MAX = 16 * 1024;
const FIELDS_MAX = 50;

/** The fields of a posted form. Of a field sent more than once the last one counts, except lists. */
export interface Form {
  /** The text of a field; empty where it is absent. */
  text(name: string): string;
  all(name: string): string[];
}

/** Fields from parameters of a form or a query. */
export const formOf = (parameters: URLSearchParams): Form => ({
  text: (name) => parameters.getAll(name).at(-1) ?? '',
  all: (name) => parameters.getAll(name),
});

const MULTIPART = 'multipart/form-data';

/** The fields of a form in parts, in which mail programs unsubscribe. */
const fieldsInParts = async (ctx: Context, body: Buffer): Promise<URLSearchParams> => {
  const headers = { 'content-type': ctx.get('Content-Type') };
  const parts = await new Response(body, { headers }).formData().catch(() => {
    throw invalidRequest('The parts of this form cannot be read');
  });
  const fields = [...parts].filter((field): field is [string, string] => {
    return typeof field[1] === 'string';
  });
  return new URLSearchParams(fields);
};

/** @throws ApiError 413 for a form too large, 415 for another type of body. */
export const readForm = async (ctx: Context): Promise<Form> => {
  const { type } = ctx.request;
  if (type !== 'application/x-www-form-urlencoded' && type !== MULTIPART) {
    throw invalidRequest('Only forms are taken here', { status: 415 });
  }
  const body = await receiveBody(ctx.req, FORM_BYTES_MAX, 'form');
  const parameters =
    type === MULTIPART
      ? await fieldsInParts(ctx, body)
      : new URLSearchParams(body.toString('utf8'));
  if (parameters.size > FIELDS_MAX) throw invalidRequest(`More than ${FIELDS_MAX} fields`);
  return formOf(parameters);
};
