import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import {
  familyKey,
  keyIdKey,
  keyRecordKey,
  TIERS,
  type Tier,
  tierIncludes,
} from '../../shared/families/tier.ts';
import { onRedis } from '../../shared/platform/redis.ts';
import { slicesOf } from '../../shared/platform/slicesOf.ts';

/** Families of one call: Redis does nothing else meanwhile. */
const FAMILIES_PER_CALL_MAX = 500;

/** ARGV: now, then families. Answers for each how many keys it ever had, and the tiers of those that are good. */
const TIERS_OF = `
local answers = {}
for i = 2, #ARGV do
  local ids, tiers = redis.call('SMEMBERS', '${familyKey('')}' .. ARGV[i]), {}
  for _, id in ipairs(ids) do
    local digest = redis.call('GET', '${keyIdKey('')}' .. id)
    local key = digest and redis.call('HMGET', '${keyRecordKey('')}' .. digest, 'status', 'expiresAtMs', 'tier')
    if key and key[1] == 'active' and (not key[2] or tonumber(key[2]) > tonumber(ARGV[1])) then
      table.insert(tiers, key[3])
    end
  end
  table.insert(answers, { #ids, tiers })
end
return answers
`;

const answersSchema = z.array(z.tuple([z.number(), z.array(z.string())]));

const highest = (tiers: readonly string[]): Tier | 'none' =>
  TIERS.findLast((tier) => tiers.includes(tier)) ?? 'none';

/**
 * The tier of each key family: the highest of its keys that are neither revoked nor expired at `nowMs`
 * (Unix milliseconds), `none` where there is none. Families that no key was ever made for are not in the
 * answer. @throws RetryableError
 */
export const familyTiers = async (
  redis: Redis,
  families: readonly string[],
  nowMs: number,
): Promise<Map<string, Tier | 'none'>> => {
  const tiers = new Map<string, Tier | 'none'>();
  for (const some of slicesOf(families, FAMILIES_PER_CALL_MAX)) {
    const answers = await onRedis(async () =>
      answersSchema.parse(await redis.eval(TIERS_OF, 0, nowMs, ...some)),
    );
    for (const [i, family] of some.entries()) {
      const [keys, good] = answers[i] ?? [0, []];
      if (keys > 0) tiers.set(family, highest(good));
    }
  }
  return tiers;
};

/** The lowest tier that has webhooks. */
const WEBHOOKS_TIER: Tier = 'starter';
/** How long an answer is believed: a family that loses its tier is sent to no longer than that. */
const BELIEVED_MS = 10_000;
const FAMILIES_MAX = 100_000;

/** Whether families may have webhooks. */
export interface Entitlements {
  /** Those of the families whose tier has webhooks now. Throws RetryableError while Redis is away. */
  entitled(families: Iterable<string>): Promise<Set<string>>;
}

const isEnough = (tier: Tier | 'none'): boolean =>
  tier !== 'none' && tierIncludes(tier, WEBHOOKS_TIER);

/** By the tiers of keys, which are asked for again after ten seconds. */
export const createEntitlements = (
  tiersOf: (
    families: readonly string[],
    nowMs: number,
  ) => Promise<ReadonlyMap<string, Tier | 'none'>>,
  now: () => number,
): Entitlements => {
  const known = new LRUCache<string, { readonly isEntitled: boolean; readonly untilMs: number }>({
    max: FAMILIES_MAX,
  });
  return {
    entitled: async (families) => {
      const [nowMs, asked] = [now(), [...new Set(families)]];
      const entitled = new Set<string>();
      const unknown: string[] = [];
      for (const family of asked) {
        const answer = known.get(family);
        if (!answer || answer.untilMs <= nowMs) unknown.push(family);
        else if (answer.isEntitled) entitled.add(family);
      }
      if (unknown.length === 0) return entitled;
      const tiers = await tiersOf(unknown, nowMs);
      for (const family of unknown) {
        const isEntitled = isEnough(tiers.get(family) ?? 'none');
        known.set(family, { isEntitled, untilMs: nowMs + BELIEVED_MS });
        if (isEntitled) entitled.add(family);
      }
      return entitled;
    },
  };
};
