import { RECOMMENDATIONS, SEVERITIES } from '../../shared/messages/alertMessage.ts';
import { address, alertType, isoTime } from './fields.ts';
import { z } from './zod.ts';

/** Something happened to a watched address. */
export const alertEntrySchema = z
  .object({
    id: z.number().int(),
    type: alertType,
    severity: z.enum(SEVERITIES),
    token: z.object({ address, name: z.string(), symbol: z.string() }),
    details: z.record(z.union([z.number(), z.string(), z.boolean(), z.null()])).openapi({
      description:
        'e.g. liquidity_change (fraction, negative = drop), creator_sold_usd, tx_hash, block_number',
    }),
    recommendation: z.enum(RECOMMENDATIONS),
    read: z.boolean(),
    created_at: isoTime,
    watchlist_id: z.number().int().nullable().optional(),
  })
  .openapi('Alert');
export type AlertEntry = z.infer<typeof alertEntrySchema>;
