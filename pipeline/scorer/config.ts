import { z } from 'zod';
import { fields, pricingFields, readerFields, wholeNumber } from '../../shared/platform/config.ts';

/** Environment of the scorer. */
export const scorerConfigSchema = z.object({
  ...readerFields,
  ...pricingFields,
  REDIS_URL: fields.REDIS_URL,
  RPC_URL: fields.RPC_URL,
  PRIOR_SCAM_RATE: fields.PRIOR_SCAM_RATE,
  /** Maximum tokens per minute whose trades are simulated. */
  SIMULATIONS_PER_MINUTE_MAX: wholeNumber(0, 1_000_000).default('3000'),
});
export type ScorerConfig = z.output<typeof scorerConfigSchema>;
