import { SENSITIVITIES, type WatchItem } from '../../shared/messages/watchMessage.ts';
import { isoTime } from '../../shared/rules/isoTime.ts';
import { shortAddress } from '../server/present.ts';
import { address, alertType, isoDateTime, z } from '../server/schema.ts';

/** An address that a key family watches. */
export const watchlistItemSchema = z
  .object({
    id: z.number().int(),
    type: z.enum(['token', 'wallet']),
    address,
    name: z.string().optional().openapi({ description: 'list responses' }),
    alerts: z.array(alertType),
    sensitivity: z.enum(SENSITIVITIES),
    created_at: isoDateTime,
  })
  .openapi('WatchlistItem');
export type WatchlistItem = z.infer<typeof watchlistItemSchema>;

/** What happened, in one sentence. */
export const messageSchema = z.object({ message: z.string() });

/** A watched address as clients see it. */
export const watchlistItemA = (item: WatchItem & { name?: string }): WatchlistItem => ({
  id: item.id,
  type: item.type,
  address: item.address,
  ...(item.name === undefined ? {} : { name: item.name }),
  alerts: item.alerts,
  sensitivity: item.sensitivity,
  created_at: isoTime(item.createdAtMs),
});

/** The same in a list, where every entry has a name: that of the token, else the shortened address. */
export const watchlistEntryA = (item: WatchItem & { name?: string }): WatchlistItem =>
  watchlistItemA({ ...item, name: item.name ?? shortAddress(item.address) });
