import { z } from 'zod';
import { ALERT_TYPES } from '../rules/artifacts/alertTypes.ts';
import { addressSchema, countSchema } from './schemas.ts';

/** A kind of alert that a watchlist item can request. */
export type AlertType = (typeof ALERT_TYPES)[number];

export const SENSITIVITIES = ['low', 'medium', 'high'] as const;
export type Sensitivity = (typeof SENSITIVITIES)[number];

/** One address watched by one key family. */
export const watchItemSchema = z.object({
  family: z.string().min(1),
  id: countSchema,
  type: z.enum(['token', 'wallet']),
  address: addressSchema,
  alerts: z.array(z.enum(ALERT_TYPES)),
  sensitivity: z.enum(SENSITIVITIES),
  createdAtMs: countSchema,
});
export type WatchItem = z.infer<typeof watchItemSchema>;

/** A watchlist item was added or removed: an entry of the stream `changes` in Redis, written together with the change. */
export const watchChangedSchema = z.object({
  v: z.literal(1),
  change: z.enum(['added', 'removed']),
  item: watchItemSchema,
});
export type WatchChanged = z.infer<typeof watchChangedSchema>;
