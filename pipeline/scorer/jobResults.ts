import type { Redis } from 'ioredis';
import {
  type AnalysisMessage,
  analysisMessageSchema,
} from '../../shared/messages/analysisMessage.ts';
import {
  type AnalyzeJob,
  JOB_KEPT_S,
  jobInFlightKey,
  jobKey,
} from '../../shared/messages/jobMessage.ts';
import { errorMessage, RetryableError } from '../../shared/runtime/errors.ts';

/** Writes the end of jobs where the API reads them. */
export interface JobResults {
  /**
   * Resolves to the ended job, undefined where nobody can read it any more.
   * @param error undefined for a job that has its verdict.
   */
  finish(
    job: AnalyzeJob,
    error: string | undefined,
    nowMs: number,
  ): Promise<AnalysisMessage | undefined>;
}

/**
 * Ends a job that still runs and lets the next request for its token begin a new one. An ended job
 * stays as it is, and so does a token's newer job.
 */
const FINISH_SCRIPT = `
local text = redis.call('GET', KEYS[1])
if text then
  local record = cjson.decode(text)
  if record.status == 'analyzing' then
    record.status = ARGV[2]
    record.endedAtMs = tonumber(ARGV[4])
    if ARGV[3] ~= '' then record.error = ARGV[3] end
    text = cjson.encode(record)
    redis.call('SET', KEYS[1], text, 'EX', ARGV[5])
  end
end
if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
return text`;

export const createJobResults = (redis: Redis): JobResults => ({
  finish: async (job, error, nowMs) => {
    try {
      const text = await redis.eval(
        FINISH_SCRIPT,
        2,
        jobKey(job.jobId),
        jobInFlightKey(job.chainId, job.token),
        job.jobId,
        error === undefined ? 'completed' : 'failed',
        error ?? '',
        nowMs,
        JOB_KEPT_S,
      );
      if (typeof text !== 'string') return undefined;
      return analysisMessageSchema.parse({ v: 1, job: JSON.parse(text) });
    } catch (cause) {
      throw new RetryableError(`Redis: ${errorMessage(cause)}`, { cause });
    }
  },
});
