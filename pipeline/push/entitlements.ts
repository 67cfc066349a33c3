import { LRUCache } from 'lru-cache';
import { type Tier, tierIncludes } from '../../shared/accounts/tier.ts';

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
