import { checkSchema } from '../../shared/messages/verdictDoc.ts';
import { address, count, fraction, isoTime, percent, prediction } from './fields.ts';
import { z } from './zod.ts';

const listFields = {
  address,
  name: z.string(),
  symbol: z.string(),
  prediction,
  confidence: percent.openapi({ description: 'confidence in `prediction`, 0-100' }),
  risk_score: percent,
  model: z.string(),
  created_at: isoTime,
  analyzed_at: isoTime,
};

/** A token in a list, style A. */
export const tokenListEntrySchema = z.object(listFields).openapi('TokenListEntryA');

const featuresSchema = z
  .object({
    holder_count: z.number(),
    transaction_count: z.number(),
    liquidity_usd: z.number(),
    top_10_concentration: fraction,
    creator_risk_score: z.number(),
  })
  .catchall(z.number())
  .openapi('TokenFeatures');

/** What a verdict can be recomputed from. */
export const provenanceSchema = z
  .object({
    chain_id: count,
    block_number: count,
    block_hash: z.string(),
    bytecode_hash: z.string(),
    model: z.string(),
    model_sha256: z.string(),
    features_sha256: z.string().openapi({
      description: 'hash of the exact feature vector; recompute it from the node at block_number',
    }),
    coverage: fraction.openapi({ description: 'share of features observed, not imputed' }),
    as_of_s: count.optional().openapi({
      description: 'the time whose facts the verdict rests on, Unix seconds',
    }),
    trigger: z.string().optional().openapi({
      description:
        'what made the verdict due: birth, event, request, or horizon:10min|1h|6h|24h, an age of the main pool',
    }),
  })
  .openapi('Provenance');

/** A token with everything that is known of its verdict, style A. */
export const tokenDetailSchema = z
  .object({
    ...listFields,
    features: featuresSchema,
    shap_values: z.record(z.number()).openapi({
      description: 'feature to signed contribution; base_value + their sum = margin of the model',
    }),
    creator: z.object({
      address,
      risk_score: percent,
      tokens_created: count,
      scam_rate: fraction,
    }),
    base_value: z.number().optional(),
    checks: z.array(checkSchema.openapi('Check')).optional(),
    provenance: provenanceSchema.optional(),
    cluster_id: z.string().nullable().optional(),
  })
  .openapi('TokenDetailA');
export type TokenListEntry = z.infer<typeof tokenListEntrySchema>;
export type TokenDetail = z.infer<typeof tokenDetailSchema>;
