import type { Clock } from '../../shared/runtime/clock.ts';
import { notFound } from '../apiError.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { WAIT_S_MAX, type WaitForJobs } from '../jobs/waitForJobs.ts';
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

interface Ports {
  readonly waitForJobs: WaitForJobs;
  readonly tokens: Tokens;
  readonly jobs: Jobs;
  readonly clock: Clock;
}

/** GET /tokens/analyze/{job_id} */
export const getJob = (ports: Ports): Endpoint =>
  defineEndpoint({
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
      const [record = found] = await ports.waitForJobs([found], {
        family: call.caller.family,
        waitS: call.query.wait,
        signal: call.signal,
      });
      const nowMs = ports.clock.now();
      return {
        body: successA(await analysisJobA(ports.tokens, record, nowMs), nowMs),
        ...(record.status === 'analyzing'
          ? { headers: { 'Retry-After': String(JOB_RETRY_AFTER_S) } }
          : {}),
      };
    },
  });
