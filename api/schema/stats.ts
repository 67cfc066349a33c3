import { count, fraction } from './fields.ts';
import { z } from './zod.ts';

/** Numbers about the whole service. */
export const globalStatsSchema = z
  .object({
    tokens_analyzed: count,
    scam_rate: fraction,
    accuracy: fraction.nullable().openapi({
      description:
        'share of right predictions, of the verdict an hour after launch, over the tokens whose week ended in the last 90 days: SCAM and drained, or LEGIT and not; before the first such week the accuracy measured in training, null where none was',
    }),
    wallets_tracked: count,
    clusters_detected: count,
    total_saved: z.number().openapi({
      description:
        'USD: over tokens drained within 7 days after they were first flagged SCAM, liquidity at the flag minus liquidity 7 days later',
    }),
  })
  .openapi('GlobalStats');
export type GlobalStats = z.infer<typeof globalStatsSchema>;
