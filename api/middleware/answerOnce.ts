import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { conflict, invalidRequest } from '../apiError.ts';
import type { Reply } from '../endpoint.ts';
import type { Idempotency } from './idempotency.ts';

const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const idempotencyKey = (ctx: Context): string | undefined => {
  const key = ctx.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && KEY_PATTERN.test(key)) return key;
  const message = 'must be 1 to 255 printable ASCII characters';
  throw invalidRequest(`Idempotency-Key: ${message}`, {
    details: [{ in: 'header', path: 'Idempotency-Key', message }],
  });
};

/**
 * Runs `work` once per Idempotency-Key, family, method and path; a repetition gets the stored answer.
 * Only answers are stored: a refusal or failure frees the key.
 * @throws ApiError 422 for the same key with another body, 409 while the first request runs.
 */
export const answerOnce = async (args: {
  ctx: Context;
  idempotency: Idempotency;
  family: string;
  body: unknown;
  work: () => Promise<Reply<unknown>>;
}): Promise<Reply<unknown>> => {
  const { ctx, idempotency, family, work } = args;
  const key = idempotencyKey(ctx);
  if (key === undefined) return work();
  const scope = sha256([family, ctx.method, ctx.path, key].join('\n'));
  const bodyHash = sha256(JSON.stringify(args.body));
  const state = await idempotency.begin(scope, bodyHash);
  switch (state.kind) {
    case 'replay':
      return {
        ...state.reply,
        headers: { ...state.reply.headers, 'Idempotency-Replayed': 'true' },
      };
    case 'mismatch':
      throw invalidRequest('Idempotency-Key: was used with another body', {
        status: 422,
        details: [{ in: 'header', path: 'Idempotency-Key', message: 'was used with another body' }],
      });
    case 'running':
      throw conflict('The first request with this Idempotency-Key is still running');
    case 'new':
      break;
  }
  try {
    const reply = await work();
    if ('json' in reply) throw new Error(`${ctx.path}: a rendered answer cannot be stored`);
    const { status = 200, body, headers = {} } = reply;
    await idempotency.finish(scope, bodyHash, { status, body, headers });
    return reply;
  } catch (error) {
    await idempotency.abandon(scope).catch(() => undefined);
    throw error;
  }
};
