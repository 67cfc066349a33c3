import { z } from 'zod';
import { TIERS, type Tier } from '../../shared/families/tier.ts';

/** Stands for "unlimited" where a client expects an integer of 32 bits. */
export const UNLIMITED = 2_147_483_647;
const PRICE_LENGTH_MAX = 60;
const count = z.number().int().min(1).max(UNLIMITED);

/** What a tier may use. */
const planSchema = z.object({
  /** Requests a day (UTC). */
  perDay: count,
  /** Requests in any burst of a minute. */
  perMinute: count,
  /** Watched addresses per key family. */
  watchlistItems: count,
  /** Addresses per batch request. */
  batchAddresses: count,
  /** Webhooks per key family. */
  webhooks: count,
  /** WebSockets and event streams a key family may have open at the same time. */
  streams: count,
  /** Price on this instance, in words; absent if not stated. */
  price: z.string().min(1).max(PRICE_LENGTH_MAX).optional(),
});
export type Plan = Readonly<z.output<typeof planSchema>>;
export type Plans = Readonly<Record<Tier, Plan>>;

/** The plans as sold. Each number can be changed by the setting `RATE_PLANS`. */
export const DEFAULT_PLANS: Plans = {
  free: {
    perDay: 200,
    perMinute: 10,
    watchlistItems: 10,
    batchAddresses: 1,
    webhooks: 0,
    streams: 0,
  },
  starter: {
    perDay: 10_000,
    perMinute: 100,
    watchlistItems: 100,
    batchAddresses: 1,
    webhooks: 3,
    streams: 0,
  },
  pro: {
    perDay: 100_000,
    perMinute: 1_000,
    watchlistItems: 1_000,
    batchAddresses: 100,
    webhooks: 10,
    streams: 5,
  },
  enterprise: {
    perDay: UNLIMITED,
    perMinute: 10_000,
    watchlistItems: 10_000,
    batchAddresses: 500,
    webhooks: 50,
    streams: 50,
  },
};

/** Plans that differ from the defaults, by tier; absent numbers keep their default. */
export const planOverridesSchema = z.record(z.enum(TIERS), planSchema.partial().strict());

/** The plans in force: the defaults with the changes of the configuration. */
export const plansWith = (overrides: z.output<typeof planOverridesSchema> = {}): Plans => {
  const plans = TIERS.map((tier) => [tier, { ...DEFAULT_PLANS[tier], ...overrides[tier] }]);
  return Object.fromEntries(plans) as Plans;
};

/** The next higher tier, or the highest itself. */
export const nextTier = (tier: Tier): Tier => TIERS[TIERS.indexOf(tier) + 1] ?? tier;
