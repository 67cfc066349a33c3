import { z } from 'zod';
import { pricingFields, readerFields } from '../../shared/platform/config.ts';

/** Environment of the clusters role. */
export const clustersConfigSchema = z.object({
  ...readerFields,
  ...pricingFields,
});
