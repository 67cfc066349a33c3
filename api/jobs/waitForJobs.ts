import type { JobRecord } from '../../shared/messages/jobMessage.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Jobs } from './jobs.ts';

/** Seconds a request may be held until an analysis ends. */
export const WAIT_S_MAX = 25;
/** Requests that may wait at the same time; further ones are answered at once. */
const WAITERS_MAX = 200;
const LOOK_MS_MIN = 50;
const LOOK_MS_MAX = 500;

/** How long to wait, and for whom. */
export interface Wait {
  readonly family: string;
  readonly waitS: number;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
}

/** Resolves with the jobs as they stand when all have ended, the time is over or the client has gone. */
export type WaitForJobs = (first: readonly JobRecord[], wait: Wait) => Promise<JobRecord[]>;

/** @param args.clock in which the waiting passes. */
export const createWaitForJobs = (args: {
  jobs: Pick<Jobs, 'find'>;
  clock: Clock;
}): WaitForJobs => {
  const { jobs, clock } = args;
  let waiters = 0;
  const lookAgain = async (family: string, record: JobRecord): Promise<JobRecord> =>
    record.status === 'analyzing' ? ((await jobs.find(family, record.jobId)) ?? record) : record;
  return async (first, { family, waitS, signal }) => {
    const endMs = clock.now() + waitS * 1000;
    let records = [...first];
    let lookMs = LOOK_MS_MIN;
    if (waiters >= WAITERS_MAX) return records;
    waiters += 1;
    try {
      while (
        records.some(({ status }) => status === 'analyzing') &&
        clock.now() < endMs &&
        !signal.aborted
      ) {
        await clock.sleep(Math.min(lookMs, endMs - clock.now()), signal);
        lookMs = Math.min(lookMs * 2, LOOK_MS_MAX);
        records = await Promise.all(records.map((record) => lookAgain(family, record)));
      }
    } finally {
      waiters -= 1;
    }
    return records;
  };
};
