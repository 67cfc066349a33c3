import type { Hex } from '../../shared/chain/block.ts';
import type { JobRecord } from '../../shared/messages/jobMessage.ts';

/** Seconds an analysis is expected to take. */
const ANALYSIS_S_EXPECTED = 5;
/** A verdict younger than this is served instead of a new analysis. */
export const VERDICT_FRESH_MS = 15 * 60_000;
/** One forced analysis of a token and key family in this time. */
export const FORCE_COOLDOWN_MS = 5 * 60_000;

/** What a client asks for. */
export interface AnalysisRequest {
  readonly family: string;
  readonly token: Hex;
  /** Analyse again although the verdict in force is fresh. */
  readonly force: boolean;
  /** Unix milliseconds of the verdict in force, if there is one. */
  readonly analyzedAtMs?: number | undefined;
}

/** The job that answers a request, and whether this request began it. */
export interface StartedJob {
  readonly record: JobRecord;
  readonly isNew: boolean;
}

/** Analyses, begun and read by key families. */
export interface Jobs {
  start(request: AnalysisRequest): Promise<StartedJob>;
  /** The job, when this family began or joined it. A job past its deadline has failed. */
  find(family: string, jobId: string): Promise<JobRecord | undefined>;
}

/** Whole seconds a job will still take, by expectation. */
export const estimatedTimeS = (record: JobRecord, nowMs: number): number =>
  record.status === 'analyzing'
    ? Math.max(1, Math.ceil(ANALYSIS_S_EXPECTED - Math.max(0, nowMs - record.createdAtMs) / 1000))
    : 0;
