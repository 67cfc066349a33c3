import type { Redis } from 'ioredis';
import { z } from 'zod';
import { familyKey, keyIdKey, keyRecordKey, TIERS, type Tier } from '../../shared/accounts/tier.ts';
import { onRedis } from '../../shared/platform/redis.ts';

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
  for (let at = 0; at < families.length; at += FAMILIES_PER_CALL_MAX) {
    const some = families.slice(at, at + FAMILIES_PER_CALL_MAX);
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
