import { z } from 'zod';
import { jobRecordSchema } from './jobMessage.ts';

/** A requested analysis has ended. */
export const analysisMessageSchema = z.object({
  v: z.literal(1),
  job: jobRecordSchema.extend({ status: z.enum(['completed', 'failed']) }),
});
export type AnalysisMessage = z.infer<typeof analysisMessageSchema>;
