import type { JobRecord } from '../../shared/messages/jobMessage.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { notFound } from '../apiError.ts';
import { type Call, defineEndpoint, type Endpoint } from '../endpoint.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Tokens } from '../ports.ts';
import { successA } from '../present/styleA.ts';
import { envelopeA } from '../schema/envelope.ts';
import { queryIntegerOr } from '../schema/fields.ts';
import { analysisJobSchema } from '../schema/job.ts';
import { z } from '../schema/zod.ts';
import { analysisJobA } from './analysisJobA.ts';
import { EXAMPLE_TIME, exampleDetail, exampleJob } from './examples.ts';

/** Seconds a client should let pass between two looks at a running job. */
export const JOB_RETRY_AFTER_S = 1;
const WAIT_S_MAX = 25;
/** Requests that may wait at the same time; further ones are answered at once. */
const WAITERS_MAX = 200;
const LOOK_MS_MIN = 50;
const LOOK_MS_MAX = 500;

interface Ports {
  readonly tokens: Tokens;
  readonly jobs: Jobs;
  readonly clock: Clock;
}

/** Answers when the job has ended, the time is over or the client has gone. */
const createWaiting = ({ jobs, clock }: Ports) => {
  let waiters = 0;
  return async (
    first: JobRecord,
    call: Call<unknown, { wait: number }, unknown>,
  ): Promise<JobRecord> => {
    const endMs = clock.now() + call.query.wait * 1000;
    let record = first;
    let lookMs = LOOK_MS_MIN;
    if (waiters >= WAITERS_MAX) return record;
    waiters += 1;
    try {
      while (record.status === 'analyzing' && clock.now() < endMs && !call.signal.aborted) {
        await clock.sleep(Math.min(lookMs, endMs - clock.now()), call.signal);
        lookMs = Math.min(lookMs * 2, LOOK_MS_MAX);
        record = (await jobs.find(call.caller.family, record.jobId)) ?? record;
      }
    } finally {
      waiters -= 1;
    }
    return record;
  };
};

/** GET /tokens/analyze/{job_id} */
export const getJob = (ports: Ports): Endpoint => {
  const waited = createWaiting(ports);
  return defineEndpoint({
    method: 'get',
    path: '/tokens/analyze/{job_id}',
    id: 'getAnalysis',
    tag: 'Tokens',
    style: 'A',
    summary: 'Poll an analysis',
    description:
      'Always 200 for a known job, also when it failed. Takes nothing from the day quota. `wait` holds the answer until the job ends or the seconds are over.',
    lowestTier: 'free',
    dayUnits: 0,
    params: z
      .object({
        job_id: z.string().regex(/^job_[0-9A-HJKMNP-TV-Z]{26}$/, 'must be job_ and a ULID'),
      })
      .strict(),
    query: z.object({ wait: queryIntegerOr(0, 0, WAIT_S_MAX) }).strict(),
    response: envelopeA(analysisJobSchema),
    successes: { 200: 'The job as it stands' },
    errors: [400, 401, 404, 429, 500, 503],
    example: {
      success: true,
      data: { ...exampleJob, status: 'completed', estimated_time: 0, token: exampleDetail },
      timestamp: EXAMPLE_TIME,
    },
    handle: async (call) => {
      const found = await ports.jobs.find(call.caller.family, call.params.job_id);
      if (!found) throw notFound('no such analysis');
      const record = await waited(found, call);
      const nowMs = ports.clock.now();
      return {
        body: successA(await analysisJobA(ports.tokens, record, nowMs), nowMs),
        ...(record.status === 'analyzing'
          ? { headers: { 'Retry-After': String(JOB_RETRY_AFTER_S) } }
          : {}),
      };
    },
  });
};
