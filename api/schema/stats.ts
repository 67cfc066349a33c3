import { count, fraction } from './fields.ts';
import { z } from './zod.ts';

/** Numbers about the whole service. */
export const globalStatsSchema = z
  .object({
    tokens_analyzed: count,
    scam_rate: fraction,
    accuracy: fraction.openapi({
      description: 'of the model on labelled pools it was not trained on',
    }),
    wallets_tracked: count,
    clusters_detected: count,
    total_saved: z.number().openapi({
      description:
        'USD: over tokens flagged SCAM, liquidity at the first flag minus liquidity up to 7 days later, where positive',
    }),
  })
  .openapi('GlobalStats');
export type GlobalStats = z.infer<typeof globalStatsSchema>;
