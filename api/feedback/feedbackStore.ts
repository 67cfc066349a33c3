import type { Redis } from 'ioredis';
import { ulid } from 'ulid';
import { z } from 'zod';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { createScript, onRedis } from '../../shared/platform/redis.ts';

export const FEEDBACK_KINDS = ['false_positive', 'false_negative'] as const;
export const RESOLUTIONS = ['accepted', 'rejected'] as const;
export const FEEDBACK_STATES = ['open', ...RESOLUTIONS] as const;
/** Disputes kept per key family: 4 MB of Redis if each has the longest text. */
const ITEMS_MAX = 1_000;

const itemSchema = z.object({
  id: z.string(),
  chainId: countSchema,
  address: addressSchema,
  kind: z.enum(FEEDBACK_KINDS),
  status: z.enum(FEEDBACK_STATES),
  details: z.string(),
  /** E-mail address for the answer, empty if none was given; only operators see it. */
  contact: z.string(),
  resolution: z.string().nullable(),
  createdAtMs: countSchema,
  resolvedAtMs: countSchema.nullable(),
});

/** A disputed verdict. */
export type FeedbackItem = z.output<typeof itemSchema>;
/** A disputed verdict with the key family that disputes it. */
export type FamilyFeedback = FeedbackItem & { readonly family: string };
/** An operator's answer. */
export interface Resolution {
  readonly status: (typeof RESOLUTIONS)[number];
  readonly resolution: string;
}

/** Disputed verdicts of key families. */
export interface Feedback {
  /** Undefined if the family already has `ITEMS_MAX` disputes. */
  add(
    item: Pick<FeedbackItem, 'address' | 'kind' | 'details' | 'contact'> & { family: string },
  ): Promise<FeedbackItem | undefined>;
  find(family: string, id: string): Promise<FeedbackItem | undefined>;
  /** All disputes of a family, newest first. */
  list(family: string): Promise<readonly FeedbackItem[]>;
}

/** In Redis: per family a hash `feedback:<family>`, with one JSON object per dispute. */
export interface FeedbackStore extends Feedback {
  /** All disputes of all families, oldest first. */
  all(): Promise<readonly FamilyFeedback[]>;
  /** Answers an open dispute, once. Undefined if no open dispute has this id. */
  resolve(id: string, resolution: Resolution): Promise<FamilyFeedback | undefined>;
}

const PREFIX = 'feedback:';
const FAMILIES_AT_ONCE = 100;

const ADD = `
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
`;
const RESOLVE = `
local stored = redis.call('HGET', KEYS[1], ARGV[1])
if not stored or cjson.decode(stored).status ~= 'open' then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
`;

const parse = (text: string): FeedbackItem => itemSchema.parse(JSON.parse(text));

const byTime = (a: FeedbackItem, b: FeedbackItem): number => a.createdAtMs - b.createdAtMs;

const readAll = async (redis: Redis): Promise<readonly FamilyFeedback[]> => {
  const items = new Map<string, FamilyFeedback>();
  let cursor = '0';
  do {
    const [next, keys] = await onRedis(() =>
      redis.scan(cursor, 'MATCH', `${PREFIX}*`, 'COUNT', FAMILIES_AT_ONCE),
    );
    cursor = next;
    for (const key of keys) {
      const family = key.slice(PREFIX.length);
      for (const text of await onRedis(() => redis.hvals(key))) {
        const item = parse(text);
        items.set(item.id, { ...item, family });
      }
    }
  } while (cursor !== '0');
  return [...items.values()].sort(byTime);
};

/**
 * Disputes in Redis; new ones are of one chain. Every method throws RetryableError while Redis is unavailable.
 */
export const createFeedbackStore = (args: {
  redis: Redis;
  chainId: number;
  clock: Pick<Clock, 'now'>;
}): FeedbackStore => {
  const { redis, chainId, clock } = args;
  const [add, resolve] = [createScript(redis, ADD), createScript(redis, RESOLVE)];
  return {
    add: async ({ family, ...given }) => {
      const createdAtMs = clock.now();
      const item: FeedbackItem = {
        ...given,
        id: `fb_${ulid(createdAtMs)}`,
        chainId,
        status: 'open',
        resolution: null,
        createdAtMs,
        resolvedAtMs: null,
      };
      const values = [item.id, JSON.stringify(item), ITEMS_MAX];
      return (await onRedis(() => add([PREFIX + family], values))) === 1 ? item : undefined;
    },
    find: async (family, id) => {
      const text = await onRedis(() => redis.hget(PREFIX + family, id));
      return text === null ? undefined : parse(text);
    },
    list: async (family) => {
      const texts = await onRedis(() => redis.hvals(PREFIX + family));
      return texts.map(parse).sort((a, b) => byTime(b, a));
    },
    all: () => readAll(redis),
    resolve: async (id, resolution) => {
      const found = (await readAll(redis)).find((item) => item.id === id);
      if (!found) return undefined;
      const { family, ...open } = found;
      const after: FeedbackItem = { ...open, ...resolution, resolvedAtMs: clock.now() };
      const answer = await onRedis(() => resolve([PREFIX + family], [id, JSON.stringify(after)]));
      return answer === 1 ? { ...after, family } : undefined;
    },
  };
};
