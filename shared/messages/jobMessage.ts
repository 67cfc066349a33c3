import { z } from 'zod';
import { addressSchema, countSchema } from './schemas.ts';

/** Requests a verdict on one token from the scorer of a chain. */
export const analyzeJobSchema = z.object({
  v: z.literal(1),
  jobId: z.string().regex(/^job_[0-9A-HJKMNP-TV-Z]{26}$/),
  chainId: countSchema,
  token: addressSchema,
  /** Unix milliseconds after which the answer is no longer needed. */
  deadlineMs: countSchema,
});
export type AnalyzeJob = z.infer<typeof analyzeJobSchema>;

/**
 * A job as stored in Redis (`job:<jobId>`, JSON, 24 h). The API writes `analyzing`; the scorer writes the final
 * state, which never changes.
 */
export const jobRecordSchema = z.object({
  jobId: z.string(),
  family: z.string(),
  chainId: countSchema,
  token: addressSchema,
  status: z.enum(['analyzing', 'completed', 'failed']),
  /** `not_a_contract | not_a_token | node_unavailable | timeout | internal`, then `: detail`. */
  error: z.string().optional(),
  createdAtMs: countSchema,
  endedAtMs: countSchema.optional(),
});
export type JobRecord = z.infer<typeof jobRecordSchema>;

/** Redis key of a job's record. */
export const jobKey = (jobId: string): string => `job:${jobId}`;
/** Redis key that maps a token to its job in progress, so that later requests join it. */
export const jobInFlightKey = (chainId: number, token: string): string =>
  `job-in-flight:${chainId}:${token}`;
/** Seconds for which a job can be read after its start. */
export const JOB_KEPT_S = 24 * 60 * 60;
/** Milliseconds after which a job counts as failed. */
export const JOB_DEADLINE_MS = 120_000;

/** What a token calls itself, made safe to show; empty where it does not say. */
export const tokenNamesSchema = z.object({ name: z.string(), symbol: z.string() });
export type TokenNames = z.infer<typeof tokenNamesSchema>;

/** A requested analysis has ended. */
export const analysisMessageSchema = z.object({
  v: z.literal(1),
  job: jobRecordSchema.extend({ status: z.enum(['completed', 'failed']) }),
  /** What the token is called. Absent where no token was found, and in messages of earlier revisions. */
  called: tokenNamesSchema.optional(),
});
export type AnalysisMessage = z.infer<typeof analysisMessageSchema>;
