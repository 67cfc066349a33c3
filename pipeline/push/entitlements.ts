import type { Redis } from 'ioredis';
import { z } from 'zod';
import {
  familyKey,
  keyIdKey,
  keyRecordKey,
  TIERS,
  tierIncludes,
} from '../../shared/families/tier.ts';
import { onRedis } from '../../shared/platform/redis.ts';
import { slicesOf } from '../../shared/platform/slicesOf.ts';

/** Families per call: Redis does nothing else while the script runs. */
const FAMILIES_PER_CALL_MAX = 100;
const TIERS_WITH_WEBHOOKS = TIERS.filter((tier) => tierIncludes(tier, 'starter'));

/** ARGV: now, then families. Returns those with a valid key of a tier that includes webhooks. */
const WITH_WEBHOOKS = `
local isEnough = { ${TIERS_WITH_WEBHOOKS.map((tier) => `${tier} = true`).join(', ')} }
local function hasWebhooks(family)
  for _, id in ipairs(redis.call('SMEMBERS', '${familyKey('')}' .. family)) do
    local digest = redis.call('GET', '${keyIdKey('')}' .. id)
    local key = digest and redis.call('HMGET', '${keyRecordKey('')}' .. digest, 'status', 'expiresAtMs', 'tier')
    local isGood = key and key[1] == 'active' and (not key[2] or tonumber(key[2]) > tonumber(ARGV[1]))
    if isGood and isEnough[key[3]] then return true end
  end
  return false
end
local entitled = {}
for i = 2, #ARGV do
  if hasWebhooks(ARGV[i]) then table.insert(entitled, ARGV[i]) end
end
return entitled
`;

/**
 * Those families that currently have webhooks, by keys that are neither revoked nor expired. @throws RetryableError
 */
export type Entitled = (families: Iterable<string>) => Promise<Set<string>>;

/**
 * Looks it up each time: one call in addition to the four that an attempt costs Redis. `now`: Unix milliseconds.
 */
export const createEntitled =
  (redis: Redis, now: () => number): Entitled =>
  async (families) => {
    const entitled = new Set<string>();
    for (const some of slicesOf([...new Set(families)], FAMILIES_PER_CALL_MAX)) {
      const found = await onRedis(async () =>
        z.array(z.string()).parse(await redis.eval(WITH_WEBHOOKS, 0, now(), ...some)),
      );
      for (const family of found) entitled.add(family);
    }
    return entitled;
  };
