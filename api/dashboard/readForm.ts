import type { Context } from 'koa';
import { invalidRequest } from '../server/apiError.ts';
import { receiveBody } from '../server/middleware/readBody.ts';

/** Maximum bytes of a form: names, addresses and a password. */
const FORM_BYTES_MAX = 16 * 1024;
const FIELDS_MAX = 50;

/** The fields of a posted form. If a field is sent more than once, the last one counts, except for lists. */
export interface Form {
  /** The text of a field; empty if absent. */
  text(name: string): string;
  all(name: string): string[];
}

/** Fields from form or query parameters. */
export const formOf = (parameters: URLSearchParams): Form => ({
  text: (name) => parameters.getAll(name).at(-1) ?? '',
  all: (name) => parameters.getAll(name),
});

const MULTIPART = 'multipart/form-data';

/** The fields of a multipart form, which mail programs use to unsubscribe. */
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

/** @throws ApiError 413 for a form that is too large, 415 for another content type. */
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
