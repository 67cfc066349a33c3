import { RECOMMENDATIONS, SEVERITIES } from '../../shared/messages/alertMessage.ts';
import { address, alertType, isoTime } from './fields.ts';
import { z } from './zod.ts';

/** Something happened to a watched address. */
export const alertEntrySchema = z
  .object({
    id: z.number().int(),
    type: alertType,
    severity: z.enum(SEVERITIES),
    token: z.object({ address, name: z.string(), symbol: z.string() }).openapi({
      description: 'a cluster_activity alert about a wallet alone carries the wallet here',
    }),
    details: z.record(z.union([z.number(), z.string(), z.boolean(), z.null()])).openapi({
      description:
        'e.g. liquidity_change and price_change (fraction, negative = drop), creator_sold_usd, sold_usd, minted_share, previous_tax, new_tax, previous_prediction, new_prediction, cluster_id, activity, tx_hash, block_number',
    }),
    recommendation: z.enum(RECOMMENDATIONS),
    read: z.boolean(),
    created_at: isoTime,
    watchlist_id: z.number().int().nullable().optional(),
  })
  .openapi('Alert');
export type AlertEntry = z.infer<typeof alertEntrySchema>;
