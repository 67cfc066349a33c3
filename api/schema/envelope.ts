import { isoTime } from './fields.ts';
import { z } from './zod.ts';

/** The success envelope of style A. */
export const envelopeA = <D extends z.ZodTypeAny>(data: D) =>
  z.object({ success: z.literal(true), data, timestamp: isoTime });
