import { address } from './fields.ts';
import { tokenDetailSchema } from './token.ts';
import { z } from './zod.ts';

/** An analysis and how far it is. */
export const analysisJobSchema = z
  .object({
    address,
    status: z.enum(['analyzing', 'completed', 'failed']),
    estimated_time: z.number().int().min(0).openapi({ description: 'seconds, whole' }),
    job_id: z.string().openapi({ description: 'job_ + ULID' }),
    token: tokenDetailSchema.optional().openapi({ description: 'only when completed' }),
    error: z.string().optional().openapi({
      description:
        'only when failed: not_a_contract | not_a_token | node_unavailable | timeout | internal, then ": detail"',
    }),
  })
  .openapi('AnalysisJob');
export type AnalysisJob = z.infer<typeof analysisJobSchema>;
