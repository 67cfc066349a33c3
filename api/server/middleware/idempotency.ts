import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Context } from 'koa';
import { z } from 'zod';
import { onRedis } from '../../../shared/platform/redis.ts';
import type { SecretBox } from '../../../shared/platform/secretBox.ts';
import { conflict, invalidFields } from '../apiError.ts';
import type { BodyReply, Reply } from '../endpoint.ts';

/** A stored response. */
export type StoredReply = Required<Pick<BodyReply<unknown>, 'status' | 'body' | 'headers'>>;

/** The state of an idempotency key. */
type Replay =
  | { kind: 'new' }
  | { kind: 'replay'; reply: StoredReply }
  | { kind: 'running' }
  | { kind: 'mismatch' };

/** Seconds for which a response is kept. */
const REPLY_KEPT_S = 24 * 3_600;
/** Seconds after which the claim of a request whose process died is released. */
const CLAIM_S = 10;
/** Milliseconds between two renewals of a running request's claim. */
const RENEW_MS = 3_000;
/** Seconds until a retry, for a client that repeats a running request. */
const RUNNING_RETRY_AFTER_S = 5;

const storedSchema = z.object({
  bodyHash: z.string(),
  /** The response as JSON, encrypted because it may contain a secret that is shown only once. */
  reply: z.string().optional(),
});

const replySchema = z.object({
  status: z.union([z.literal(200), z.literal(201), z.literal(503)]),
  body: z.unknown(),
  headers: z.record(z.string()),
});

/** Encrypted responses in Redis. Calls reject with RetryableError. */
export const createIdempotency = ({ redis, box }: { redis: Redis; box: SecretBox }) => {
  const keyOf = (scope: string): string => `replay:${scope}`;
  return {
    /** Claims the scope, or returns the outcome of an earlier request with it. */
    begin: async (scope: string, bodyHash: string): Promise<Replay> => {
      const claim = JSON.stringify({ bodyHash });
      const earlier = await onRedis(() =>
        redis.set(keyOf(scope), claim, 'EX', CLAIM_S, 'NX', 'GET'),
      );
      if (earlier === null) return { kind: 'new' };
      const stored = storedSchema.parse(JSON.parse(earlier));
      if (stored.bodyHash !== bodyHash) return { kind: 'mismatch' };
      if (stored.reply === undefined) return { kind: 'running' };
      const reply = replySchema.parse(JSON.parse(box.open(stored.reply, keyOf(scope))));
      return { kind: 'replay', reply: reply as StoredReply };
    },
    /** Renews the claim of a running request; to be repeated several times within `CLAIM_S`. */
    renew: async (scope: string): Promise<void> => {
      // GT: a response has a longer expiry. A process that was stalled may find one in place of its claim, and must
      // not shorten it.
      await onRedis(() => redis.expire(keyOf(scope), CLAIM_S, 'GT'));
    },
    finish: async (scope: string, bodyHash: string, reply: StoredReply): Promise<void> => {
      const sealed = box.seal(JSON.stringify(reply), keyOf(scope));
      const stored = JSON.stringify({ bodyHash, reply: sealed });
      await onRedis(() => redis.set(keyOf(scope), stored, 'EX', REPLY_KEPT_S));
    },
    /** Releases the scope after a failure: the client may try again. */
    abandon: async (scope: string): Promise<void> => {
      await onRedis(() => redis.del(keyOf(scope)));
    },
  };
};
/** Stored responses, so that a repeated request has no second effect. */
export type Idempotency = ReturnType<typeof createIdempotency>;

const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const idempotencyKey = (ctx: Context): string | undefined => {
  const key = ctx.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && KEY_PATTERN.test(key)) return key;
  const message = 'must be 1 to 255 printable ASCII characters';
  throw invalidFields([{ in: 'header', path: 'Idempotency-Key', message }]);
};

/**
 * Runs `work` once per Idempotency-Key, family, method and path; a repetition gets the stored response. Only
 * successful responses are stored: a refusal or failure releases the key.
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
      throw invalidFields(
        [{ in: 'header', path: 'Idempotency-Key', message: 'was used with another body' }],
        { status: 422 },
      );
    case 'running':
      throw conflict('The first request with this Idempotency-Key is still running', {
        headers: { 'Retry-After': String(RUNNING_RETRY_AFTER_S) },
      });
    case 'new':
      break;
  }
  const renewal = setInterval(() => {
    // Redis is unavailable: the next renewal may succeed.
    idempotency.renew(scope).catch(() => undefined);
  }, RENEW_MS).unref();
  try {
    const reply = await work();
    if (!('body' in reply)) throw new Error(`${ctx.path}: an answer that cannot be stored`);
    const { status = 200, body, headers = {} } = reply;
    await idempotency.finish(scope, bodyHash, { status, body, headers });
    return reply;
  } catch (error) {
    await idempotency.abandon(scope).catch(() => undefined);
    throw error;
  } finally {
    clearInterval(renewal);
  }
};
