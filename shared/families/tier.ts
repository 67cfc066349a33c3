/** Tiers from the lowest to the highest. */
export const TIERS = ['free', 'starter', 'pro', 'enterprise'] as const;
export type Tier = (typeof TIERS)[number];

/** Whether `tier` includes what `lowest` includes. */
export const tierIncludes = (tier: Tier, lowest: Tier): boolean =>
  TIERS.indexOf(tier) >= TIERS.indexOf(lowest);

/** Redis key of an API key's record (a hash). */
export const keyRecordKey = (digest: string): string => `key:${digest}`;

/** Redis key that maps a key's id to its digest. */
export const keyIdKey = (id: string): string => `key-id:${id}`;

/** Redis key of the ids of every key that a family ever had (a set). */
export const familyKey = (family: string): string => `family-keys:${family}`;
