import { z } from 'zod';
import { addressSchema, countSchema, hashSchema } from './schemas.ts';
import { ALERT_TYPES } from './watchMessage.ts';

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

/** An alert as it is stored and sent: raised, or withdrawn because a reorg removed its ground. */
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

export const alertMessageSchema = z.object({
  v: z.literal(1),
  state: z.enum(['raised', 'withdrawn']),
  alert: alertSchema,
});
export type AlertMessage = z.infer<typeof alertMessageSchema>;
