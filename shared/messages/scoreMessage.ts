import { z } from 'zod';
import { addressSchema, countSchema, hashSchema } from './schemas.ts';

/** A token has a new verdict. */
export const scoreMessageSchema = z.object({
  v: z.literal(1),
  chainId: countSchema,
  token: addressSchema,
  name: z.string(),
  symbol: z.string(),
  blockNumber: countSchema,
  blockHash: hashSchema,
  prediction: z.enum(['SCAM', 'LEGIT']),
  /** Confidence in the prediction, 0 to 1. */
  confidence: z.number().min(0).max(1),
  /** 100 times the probability of a scam. */
  riskScore: z.number().min(0).max(100),
  /** The previous verdict; null for the first one. */
  previousPrediction: z.enum(['SCAM', 'LEGIT']).nullable(),
  previousConfidence: z.number().min(0).max(1).nullable(),
  previousRiskScore: z.number().min(0).max(100).nullable(),
  analyzedAtMs: countSchema,
  /** Its main reasons, up to three sentences in English. Messages of earlier revisions have none. */
  reasons: z.array(z.string()).max(3).optional(),
});
export type ScoreMessage = z.infer<typeof scoreMessageSchema>;
