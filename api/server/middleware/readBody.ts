import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import rawBody from 'raw-body';
import { invalidFields, invalidRequest } from '../apiError.ts';

/** Maximum bytes of a request body. */
const BODY_BYTES_MAX = 256 * 1024;
/** Maximum nesting of objects and arrays. */
const BODY_DEPTH_MAX = 20;
/**
 * Maximum number of objects, arrays, strings and numbers in a body: four times the size of the longest list. Each is
 * validated before its list is found to be too long: validating 256 KiB of them took 0.9 s of the only thread, 2,000
 * at most 0.1 s.
 */
const BODY_VALUES_MAX = 2_000;

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && error.type === 'entity.too.large';

/**
 * Reads a body up to a number of bytes.
 * @param part the name of the body in errors.
 * @throws ApiError 413 for a larger one, 400 for an incomplete one: the client disconnected or was too slow.
 */
export const receiveBody = async (
  request: IncomingMessage,
  bytesMax: number,
  part = 'body',
): Promise<Buffer> => {
  const length = request.headers['content-length'] ?? null;
  try {
    return await rawBody(request, { limit: bytesMax, length });
  } catch (error) {
    if (!isTooLarge(error)) throw invalidRequest(`${part}: did not arrive`);
    // The rest of the body is not read, so the connection cannot be reused.
    throw invalidRequest(`${part}: must be at most ${bytesMax} bytes`, {
      status: 413,
      headers: { Connection: 'close' },
    });
  }
};

/** Which limit a parsed value exceeds; bounded itself because it works level by level. */
const exceededBy = (value: unknown): string | undefined => {
  let level = [value];
  let values = 1;
  for (let depth = 0; level.length > 0; depth += 1) {
    const containers = level.filter(
      (item): item is object => typeof item === 'object' && item !== null,
    );
    if (containers.length > 0 && depth >= BODY_DEPTH_MAX) {
      return `must not nest deeper than ${BODY_DEPTH_MAX} levels`;
    }
    level = containers.flatMap((item) => Object.values(item) as unknown[]);
    values += level.length;
    if (values > BODY_VALUES_MAX) return `must have at most ${BODY_VALUES_MAX} values in all`;
  }
  return undefined;
};

const refuse = (message: string): never => {
  throw invalidFields([{ in: 'body', path: '', message }]);
};

const parse = (bytes: Buffer): unknown => {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refuse('is not valid JSON');
  }
  const exceeded = exceededBy(value);
  return exceeded === undefined ? value : refuse(exceeded);
};

const checkType = (ctx: Context): void => {
  const encoding = ctx.get('Content-Encoding');
  const charset = ctx.request.charset.toLowerCase();
  const isJson = ctx.request.type.toLowerCase() === 'application/json';
  if (isJson && ['', 'utf-8', 'utf8'].includes(charset) && ['', 'identity'].includes(encoding)) {
    return;
  }
  throw invalidRequest('header: Content-Type must be application/json in UTF-8, not compressed', {
    status: 415,
    details: [{ in: 'header', path: 'Content-Type', message: 'must be application/json' }],
  });
};

/**
 * Reads the JSON body of a request; an absent one counts as `{}` if it is optional.
 * @throws ApiError 400 for an absent or malformed body, 413 for one that is too large, 415 for another content type.
 */
export const readBody = async (ctx: Context, isOptional = false): Promise<unknown> => {
  const hasBody = ctx.get('Transfer-Encoding') !== '' || Number(ctx.get('Content-Length')) > 0;
  if (hasBody) checkType(ctx);
  const bytes = hasBody ? await receiveBody(ctx.req, BODY_BYTES_MAX) : Buffer.alloc(0);
  if (bytes.length === 0) {
    if (isOptional) return {};
    throw invalidFields([{ in: 'body', path: '', message: 'is required' }], { code: 'REQ_002' });
  }
  return parse(bytes);
};
