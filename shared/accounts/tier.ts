/** Tiers from the lowest to the highest. */
export const TIERS = ['free', 'starter', 'pro', 'enterprise'] as const;
export type Tier = (typeof TIERS)[number];

/** Whether `tier` includes what `lowest` includes. */
export const tierIncludes = (tier: Tier, lowest: Tier): boolean =>
  TIERS.indexOf(tier) >= TIERS.indexOf(lowest);
