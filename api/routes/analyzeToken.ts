import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Tokens } from '../ports.ts';
import { successA } from '../present/styleA.ts';
import { envelopeA } from '../schema/envelope.ts';
import { addressInput, nothing } from '../schema/fields.ts';
import { analysisJobSchema } from '../schema/job.ts';
import { z } from '../schema/zod.ts';
import { analysisJobA } from './analysisJobA.ts';
import { EXAMPLE_TIME, exampleJob } from './examples.ts';
import { JOB_RETRY_AFTER_S } from './getJob.ts';

/** POST /tokens/analyze */
export const analyzeToken = (ports: { tokens: Tokens; jobs: Jobs; baseUrl: string }): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/tokens/analyze',
    id: 'analyzeToken',
    tag: 'Tokens',
    style: 'A',
    summary: 'Start an analysis',
    description:
      'A verdict younger than 15 minutes is returned at once unless `force` is true. Requests for a token in analysis join the running job. `force` works once in 5 minutes per token and key family.',
    lowestTier: 'free',
    isIdempotent: true,
    params: nothing,
    query: nothing,
    body: z.object({ address: addressInput, force: z.boolean().default(false) }).strict(),
    response: envelopeA(analysisJobSchema),
    successes: {
      200: 'A fresh verdict, or the job that already runs',
      201: 'A new job; Location names it',
    },
    errors: [400, 401, 409, 413, 415, 422, 429, 500, 503],
    example: { success: true, data: exampleJob, timestamp: EXAMPLE_TIME },
    handle: async ({ body, caller, nowMs }) => {
      const { tokens, jobs, baseUrl } = ports;
      const verdict = await tokens.find(body.address);
      const { record, isNew } = await jobs.start({
        family: caller.family,
        token: body.address,
        force: body.force,
        analyzedAtMs: verdict?.analyzedAtMs,
      });
      const isRunning = record.status === 'analyzing';
      return {
        status: isNew ? 201 : 200,
        body: successA(await analysisJobA(tokens, record, nowMs), nowMs),
        headers: {
          ...(isNew ? { Location: `${baseUrl}/tokens/analyze/${record.jobId}` } : {}),
          ...(isRunning ? { 'Retry-After': String(JOB_RETRY_AFTER_S) } : {}),
        },
      };
    },
  });
