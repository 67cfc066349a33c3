import { checkSchema } from '../../shared/messages/verdictDoc.ts';
import { LANGUAGES } from '../../shared/sentences/language.ts';
import { address, count, fraction, isoTime, prediction } from './fields.ts';
import { riskLevel } from './wallet.ts';
import { z } from './zod.ts';

export const language = z.enum(LANGUAGES);

/** Decimals that style B shows: two. */
export const riskScoreB = z.number().min(0).max(100).openapi({ description: 'two decimals' });
const confidenceB = fraction.openapi({ description: 'in `is_rug`, 0.0-1.0; two decimals' });
const isRug = z.boolean().openapi({ description: 'true: flagged as a scam' });

/** A token in a list, style B. */
export const tokenListEntryBSchema = z
  .object({
    address,
    symbol: z.string(),
    is_rug: isRug,
    confidence: confidenceB,
    name: z.string().optional(),
    risk_score: riskScoreB.optional(),
    risk_level: riskLevel.optional(),
    created_at: isoTime.optional(),
  })
  .openapi('TokenListEntryB');
export type TokenListEntryB = z.infer<typeof tokenListEntryBSchema>;

const tokenBFields = {
  address,
  name: z.string(),
  symbol: z.string(),
  is_rug: isRug,
  confidence: confidenceB,
  risk_score: riskScoreB,
  risk_level: riskLevel,
};

/** A token, style B. */
export const tokenBSchema = z.object(tokenBFields).openapi('TokenB');
export type TokenB = z.infer<typeof tokenBSchema>;

export const contributionSchema = z
  .object({
    feature: z.string(),
    value: z.union([z.number(), z.string(), z.null()]),
    contribution: z.number().openapi({ description: 'signed; positive pushes to SCAM' }),
    text: z.string().openapi({ description: 'a sentence in the language asked for' }),
  })
  .openapi('Contribution');
export type Contribution = z.infer<typeof contributionSchema>;

const jobStatus = z.enum(['analyzing', 'completed', 'failed']);

/** The answer to a prediction: the verdict fields once it is completed. */
export const predictResultSchema = tokenBSchema
  .partial()
  .required({ address: true })
  .extend({
    status: jobStatus.openapi({ description: 'completed = verdict fields are final' }),
    job_id: z.string(),
    model: z.string().optional(),
    analyzed_at: isoTime.optional(),
    cached: z.boolean().optional().openapi({
      description: 'the verdict is from before this request',
    }),
    explanation: z
      .object({
        base_value: z.number(),
        contributions: z.array(contributionSchema),
        checks: z.array(checkSchema.openapi('Check')),
      })
      .optional(),
  })
  .openapi('PredictResultB');
export type PredictResult = z.infer<typeof predictResultSchema>;

/** What became of one address of a batch. */
export const batchItemSchema = z
  .object({
    address: z.string().openapi({ description: 'as sent, lower-cased when valid' }),
    status: jobStatus,
    token: tokenBSchema.optional(),
    job_id: z.string().optional(),
    error: z.string().optional(),
    code: z.string().optional(),
  })
  .openapi('BatchItem');
export type BatchItem = z.infer<typeof batchItemSchema>;

/** A verdict of the past, with what moved it. */
export const verdictHistoryEntrySchema = z
  .object({
    at: isoTime,
    block_number: count,
    prediction,
    is_rug: isRug,
    confidence: confidenceB,
    risk_score: riskScoreB,
    model: z.string(),
    changed: z
      .array(
        z.object({
          feature: z.string(),
          from: z.number().nullable(),
          to: z.number().nullable(),
          contribution_delta: z.number(),
        }),
      )
      .openapi({
        description: 'since the verdict before, heaviest first; empty for the first verdict',
      }),
  })
  .openapi('VerdictHistoryEntry');
export type VerdictHistoryEntry = z.infer<typeof verdictHistoryEntrySchema>;
