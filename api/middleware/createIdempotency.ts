import type { Redis } from 'ioredis';
import { z } from 'zod';
import { onRedis } from '../../shared/adapters/redis.ts';
import type { SecretBox } from '../../shared/webhooks/secretBox.ts';
import type { Idempotency, StoredReply } from './idempotency.ts';

/** Seconds an answer is kept. */
const REPLY_KEPT_S = 24 * 3_600;
/** Seconds after which a request that never ended no longer blocks its key. */
const RUNNING_S_MAX = 60;

const storedSchema = z.object({
  bodyHash: z.string(),
  /** The answer as JSON, sealed: it may hold what is shown only once. */
  reply: z.string().optional(),
});

const replySchema = z.object({
  status: z.union([z.literal(200), z.literal(201), z.literal(503)]),
  body: z.unknown(),
  headers: z.record(z.string()),
});

/** Answers in Redis, sealed. Calls reject with RetryableError. */
export const createIdempotency = ({
  redis,
  box,
}: {
  redis: Redis;
  box: SecretBox;
}): Idempotency => {
  const keyOf = (scope: string): string => `replay:${scope}`;
  return {
    begin: async (scope, bodyHash) => {
      const claim = JSON.stringify({ bodyHash });
      const earlier = await onRedis(() =>
        redis.set(keyOf(scope), claim, 'EX', RUNNING_S_MAX, 'NX', 'GET'),
      );
      if (earlier === null) return { kind: 'new' };
      const stored = storedSchema.parse(JSON.parse(earlier));
      if (stored.bodyHash !== bodyHash) return { kind: 'mismatch' };
      if (stored.reply === undefined) return { kind: 'running' };
      const reply = replySchema.parse(JSON.parse(box.open(stored.reply, keyOf(scope))));
      return { kind: 'replay', reply: reply as StoredReply };
    },
    finish: async (scope, bodyHash, reply) => {
      const sealed = box.seal(JSON.stringify(reply), keyOf(scope));
      const stored = JSON.stringify({ bodyHash, reply: sealed });
      await onRedis(() => redis.set(keyOf(scope), stored, 'EX', REPLY_KEPT_S));
    },
    abandon: async (scope) => {
      await onRedis(() => redis.del(keyOf(scope)));
    },
  };
};
