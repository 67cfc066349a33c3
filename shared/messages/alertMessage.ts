import { z } from 'zod';
import { ALERT_TYPES } from '../rules/artifacts/alertTypes.ts';
import { addressSchema, countSchema, hashSchema } from './schemas.ts';

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const RECOMMENDATIONS = [
  'SELL_IMMEDIATELY',
  'REDUCE_EXPOSURE',
  'AVOID',
  'MONITOR',
  'NO_ACTION',
] as const;
export type Recommendation = (typeof RECOMMENDATIONS)[number];

/** An alert as stored and sent: raised, or withdrawn because a reorg removed its cause. */
export const alertSchema = z.object({
  chainId: countSchema,
  family: z.string().min(1),
  /** Stable for the same block, log, watch item and rule; unique within the family. */
  id: countSchema,
  watchId: countSchema,
  type: z.enum(ALERT_TYPES),
  severity: z.enum(SEVERITIES),
  token: z.object({ address: addressSchema, name: z.string(), symbol: z.string() }),
  details: z.record(z.union([z.string(), z.number(), z.boolean(), z.null()])),
  recommendation: z.enum(RECOMMENDATIONS),
  blockNumber: countSchema,
  blockHash: hashSchema,
  logIndex: countSchema,
  txHash: hashSchema,
  createdAtMs: countSchema,
});
export type Alert = z.infer<typeof alertSchema>;

/**
 * An alert was raised, or withdrawn because a reorg removed its cause. A withdrawal has the same `alert.id` under an
 * event id of its own. If the same block becomes canonical again, the alert is raised again: the same `alert.id`, a
 * new event id. The same transaction in another block is another alert.
 */
export const alertMessageSchema = z.object({
  v: z.literal(1),
  /** Identifies this event wherever it is sent; repetitions have the same id. */
  eventId: z.string().regex(/^msg_[0-9A-HJKMNP-TV-Z]{26}$/),
  state: z.enum(['raised', 'withdrawn']),
  alert: alertSchema,
});
export type AlertMessage = z.infer<typeof alertMessageSchema>;
