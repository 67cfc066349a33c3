import { z } from 'zod';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import { scoreMessageSchema } from '../../shared/messages/scoreMessage.ts';
import { verdictDocSchema } from '../../shared/messages/verdictDoc.ts';
import { contractProfileSchema } from './contract/contractProfile.ts';
import type { JudgedGroup } from './tokenScorer.ts';

const horizonSchema = z.object({
  token: addressSchema,
  pool: addressSchema,
  horizonS: countSchema,
  atS: countSchema,
});

/** A scorer says that it is there. */
export const presenceSchema = z.object({ id: z.string(), release: z.string() });

/** What one scorer asks another to judge. */
export const judgeRequestSchema = z.object({
  requests: z.array(
    z.object({
      token: addressSchema,
      position: countSchema,
      horizon: horizonSchema.optional(),
      isRequested: z.boolean().optional(),
    }),
  ),
  stored: z.object({ number: countSchema, timestampS: countSchema }),
  isLive: z.boolean(),
});

const verdictSchema = z.object({
  prediction: z.enum(['SCAM', 'LEGIT']),
  probability: z.number(),
  confidence: z.number(),
  margin: z.number(),
  baseValue: z.number(),
  contributions: z.record(z.number()),
  riskScore: z.number(),
  doc: verdictDocSchema,
});

const storedVerdictSchema = z.object({
  chainId: countSchema,
  token: addressSchema,
  name: z.string(),
  symbol: z.string(),
  creator: addressSchema,
  createdAtS: countSchema,
  analyzedAtMs: countSchema,
  position: countSchema,
  horizonS: countSchema,
  asOfS: countSchema,
  isInForce: z.boolean(),
  verdict: verdictSchema,
  holders: z.array(z.tuple([addressSchema, z.number()])),
});

/** A token to be judged again, and the chain position its verdict must reach. */
export const activitySchema = z.object({ token: addressSchema, position: countSchema });

/** What the other answers. */
const judgedGroupSchema = z.object({
  verdicts: z.array(storedVerdictSchema),
  judgements: z.array(
    z.object({ token: addressSchema, profile: contractProfileSchema, scamCheck: z.string() }),
  ),
  gone: z.array(activitySchema),
  messages: z.array(scoreMessageSchema),
  transfers: z.array(z.tuple([addressSchema, countSchema])),
});

export const encodeJudgedGroup = (group: JudgedGroup): string =>
  JSON.stringify({ ...group, transfers: [...group.transfers] });

/** @throws ZodError where it is something else. */
export const decodeJudgedGroup = (text: string): JudgedGroup => {
  const { transfers, ...group } = judgedGroupSchema.parse(JSON.parse(text));
  return { ...group, transfers: new Map(transfers) };
};
