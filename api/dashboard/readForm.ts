import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { ApiError, invalidRequest } from '../server/apiError.ts';

/** Bytes of a form: names, addresses and a password. */
const FORM_BYTES_MAX = 16 * 1024;
const FIELDS_MAX = 50;

const receive = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const received = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  try {
    for await (const chunk of received) {
      bytes += chunk.length;
      if (bytes > FORM_BYTES_MAX) {
        throw invalidRequest(`The form is larger than ${FORM_BYTES_MAX} bytes`, {
          status: 413,
          headers: { Connection: 'close' },
        });
      }
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof ApiError ? error : invalidRequest('The form did not arrive');
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** The fields of a posted form. Of a field sent more than once the last one counts, except lists. */
export interface Form {
  /** The text of a field; empty where it is absent. */
  text(name: string): string;
  /** All values of a field. */
  all(name: string): string[];
}

/** Fields from parameters of a form or a query. */
export const formOf = (parameters: URLSearchParams): Form => ({
  text: (name) => parameters.getAll(name).at(-1) ?? '',
  all: (name) => parameters.getAll(name),
});

/** @throws ApiError 413 for a form too large, 415 for another type of body. */
export const readForm = async (ctx: Context): Promise<Form> => {
  if (ctx.request.type !== 'application/x-www-form-urlencoded') {
    throw invalidRequest('Only forms are taken here', { status: 415 });
  }
  const parameters = new URLSearchParams(await receive(ctx.req));
  if (parameters.size > FIELDS_MAX) throw invalidRequest(`More than ${FIELDS_MAX} fields`);
  return formOf(parameters);
};
