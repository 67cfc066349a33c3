import type { Hex } from '../../shared/chain/block.ts';
import type { JobRecord } from '../../shared/messages/jobMessage.ts';
import { estimatedTimeS } from '../jobs/jobs.ts';
import type { Tokens } from '../ports.ts';
import { tokenDetailA } from '../present/styleA.ts';
import type { AnalysisJob } from '../schema/job.ts';

/** A job as clients see it: with the verdict in force once it is completed. */
export const analysisJobA = async (
  tokens: Pick<Tokens, 'find'>,
  record: JobRecord,
  nowMs: number,
): Promise<AnalysisJob> => {
  const verdict =
    record.status === 'completed' ? await tokens.find(record.token as Hex) : undefined;
  return {
    address: record.token,
    status: record.status,
    estimated_time: estimatedTimeS(record, nowMs),
    job_id: record.jobId,
    ...(verdict ? { token: tokenDetailA(verdict) } : {}),
    ...(record.status === 'failed' ? { error: record.error ?? 'internal' } : {}),
  };
};
