import { z } from 'zod';
import { fields, pricingFields, readerFields, wholeNumber } from '../../shared/platform/config.ts';

/** Environment of the alerts role. */
export const alertsConfigSchema = z.object({
  ...readerFields,
  ...pricingFields,
  REDIS_URL: fields.REDIS_URL,
  /** Seconds before the end of a lock at which `unlock_soon` is raised. */
  UNLOCK_NOTICE_S: wholeNumber(60, 31_536_000).default('86400'),
});
