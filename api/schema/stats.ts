import { count, fraction } from './fields.ts';
import { z } from './zod.ts';

/** Where the figure of `accuracy` comes from. */
const ACCURACY_SOURCES = ['measured', 'training'] as const;

/** Numbers about the whole service. */
export const globalStatsSchema = z
  .object({
    tokens_analyzed: count,
    scam_rate: fraction,
    accuracy: fraction.nullable().openapi({
      description:
        'share of right predictions; `accuracy_source` says of which: null where neither is known',
    }),
    accuracy_source: z.enum(ACCURACY_SOURCES).nullable().openapi({
      description:
        'measured: over `accuracy_samples` tokens whose week ended in the last 90 days, by the verdict an hour after launch: SCAM and drained, or LEGIT and not. training: no such week has ended yet, so the figure is what the model reached on the tokens it was tested with, and says nothing of this service. null: there is no figure',
    }),
    accuracy_samples: count.openapi({
      description: 'tokens whose outcome the measured accuracy rests on; 0 unless measured',
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
