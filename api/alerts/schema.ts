import { RECOMMENDATIONS, SEVERITIES } from '../../shared/messages/alertMessage.ts';
import { isoTime } from '../../shared/rules/isoTime.ts';
import { address, alertType, isoDateTime, z } from '../server/schema.ts';
import type { FamilyAlert } from './queries.ts';

/** Something happened to a watched address. */
export const alertEntrySchema = z
  .object({
    id: z.number().int(),
    type: alertType,
    severity: z.enum(SEVERITIES),
    token: z.object({ address, name: z.string(), symbol: z.string() }).openapi({
      description: 'a cluster_activity alert about a wallet without a token has the wallet here',
    }),
    details: z.record(z.union([z.number(), z.string(), z.boolean(), z.null()])).openapi({
      description:
        'e.g. liquidity_change and price_change (fraction, negative = drop), creator_sold_usd (all that the creator got out of the pool, by sales and by withdrawing liquidity), sold_usd, minted_share, previous_tax, new_tax, previous_prediction, new_prediction, cluster_id, activity, locked, locker, owner, locked_share, unlock_at (Unix seconds), seconds_left, before_time, tx_hash, block_number',
    }),
    recommendation: z.enum(RECOMMENDATIONS),
    read: z.boolean(),
    created_at: isoDateTime,
    watchlist_id: z.number().int().nullable().optional(),
  })
  .openapi('Alert');
type AlertEntry = z.infer<typeof alertEntrySchema>;

/** An alert as clients see it. */
export const alertEntryA = (alert: FamilyAlert): AlertEntry => ({
  id: alert.id,
  type: alert.type,
  severity: alert.severity,
  token: { ...alert.token },
  details: { ...alert.details },
  recommendation: alert.recommendation,
  read: alert.isRead,
  created_at: isoTime(alert.createdAtMs),
  watchlist_id: alert.watchId,
});
