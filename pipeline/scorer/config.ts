import { z } from 'zod';
import { fields, pricingFields, readerFields } from '../../shared/platform/config.ts';

/** Environment of the scorer. */
export const scorerConfigSchema = z.object({
  ...readerFields,
  ...pricingFields,
  REDIS_URL: fields.REDIS_URL,
  RPC_URL: fields.RPC_URL,
  PRIOR_SCAM_RATE: fields.PRIOR_SCAM_RATE,
});
export type ScorerConfig = z.output<typeof scorerConfigSchema>;
