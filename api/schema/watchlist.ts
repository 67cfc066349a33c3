import { SENSITIVITIES } from '../../shared/messages/watchMessage.ts';
import { address, alertType, isoTime } from './fields.ts';
import { z } from './zod.ts';

/** An address a key family watches. */
export const watchlistItemSchema = z
  .object({
    id: z.number().int(),
    type: z.enum(['token', 'wallet']),
    address,
    name: z.string().optional().openapi({ description: 'list responses' }),
    alerts: z.array(alertType),
    sensitivity: z.enum(SENSITIVITIES),
    created_at: isoTime,
  })
  .openapi('WatchlistItem');
export type WatchlistItem = z.infer<typeof watchlistItemSchema>;

/** What happened, in one sentence. */
export const messageSchema = z.object({ message: z.string() });
