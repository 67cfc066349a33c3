import type { Hex } from '../../shared/chain/block.ts';
import type { JobRecord } from '../../shared/messages/jobMessage.ts';
import type { Language } from '../../shared/sentences/language.ts';
import { notFound } from '../apiError.ts';
import { type Call, defineEndpoint, type Endpoint } from '../endpoint.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { WAIT_S_MAX, type WaitForJobs } from '../jobs/waitForJobs.ts';
import type { Tokens } from '../ports.ts';
import { checksIn } from '../present/checksIn.ts';
import { explanation } from '../present/explanation.ts';
import { isoTime } from '../present/isoTime.ts';
import { successB } from '../present/styleB.ts';
import { tokenB } from '../present/tokenB.ts';
import type { Verdict } from '../queries/verdict.ts';
import { envelopeB } from '../schema/envelope.ts';
import { addressInput, nothing } from '../schema/fields.ts';
import {
  type Contribution,
  language,
  type PredictResult,
  predictResultSchema,
} from '../schema/tokenB.ts';
import { z } from '../schema/zod.ts';
import { EXAMPLE_TIME, exampleDetail, exampleJob, exampleTokenB } from './examples.ts';
import { JOB_RETRY_AFTER_S } from './getJob.ts';

const WAIT_S_DEFAULT = 10;

const bodySchema = z
  .object({
    force: z.boolean().default(false),
    wait: z
      .number()
      .int()
      .min(0)
      .max(WAIT_S_MAX)
      .default(WAIT_S_DEFAULT)
      .openapi({ description: 'seconds to hold the request' }),
    language: language.default('en').openapi({ description: 'of the explanation' }),
  })
  .strict();

const exampleContribution: Contribution = {
  feature: 'top_10_concentration',
  value: 0.81,
  contribution: 0.62,
  text: 'Share of the ten largest holders: 0.81. It raises the risk by 0.62.',
};

interface Ports {
  readonly tokens: Tokens;
  readonly jobs: Jobs;
  readonly waitForJobs: WaitForJobs;
}

const completed = (
  record: JobRecord,
  verdict: Verdict,
  options: { isCached: boolean; language: Language },
): PredictResult => {
  const { base_value: baseValue } = verdict.doc;
  return {
    ...tokenB(verdict),
    status: 'completed',
    job_id: record.jobId,
    model: verdict.model,
    analyzed_at: isoTime(verdict.analyzedAtMs),
    cached: options.isCached,
    explanation: {
      base_value: baseValue,
      contributions: explanation(verdict.doc, options.language),
      checks: checksIn(verdict.doc, options.language),
    },
  };
};

/** Begins or joins the analysis and answers with what it has come to. */
const predict = async (
  { tokens, jobs, waitForJobs }: Ports,
  { params, body, caller, signal }: Call<{ address: Hex }, unknown, z.output<typeof bodySchema>>,
) => {
  const before = await tokens.find(params.address);
  const { record: started, isNew } = await jobs.start({
    family: caller.family,
    token: params.address,
    force: body.force,
    analyzedAtMs: before?.analyzedAtMs,
  });
  const wait = { family: caller.family, waitS: body.wait, signal };
  const [record = started] = await waitForJobs([started], wait);
  if (record.status !== 'completed') {
    const data = { address: record.token, status: record.status, job_id: record.jobId };
    return record.status === 'failed'
      ? { body: { ...successB(data), message: record.error ?? 'internal' } }
      : { body: successB(data), headers: { 'Retry-After': String(JOB_RETRY_AFTER_S) } };
  }
  const verdict = await tokens.find(record.token as Hex);
  if (!verdict) throw notFound('the token is gone: a reorganisation of the chain removed it');
  const isCached = !isNew && started.status === 'completed';
  const options = { isCached, language: body.language };
  return { body: successB(completed(record, verdict, options)) };
};

/** POST /api/predict/{address} */
export const predictToken = (ports: Ports): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/api/predict/{address}',
    id: 'predictToken',
    tag: 'Tokens',
    style: 'B',
    summary: 'Analyse a token now',
    description:
      'Waits for the analysis up to `wait` seconds: `analyzing` with a job_id when it takes longer (poll `GET /tokens/analyze/{job_id}`), `failed` with a message. A verdict younger than 15 minutes is returned at once unless `force` is true, which works once in 5 minutes per token and key family.',
    lowestTier: 'free',
    isIdempotent: true,
    params: z.object({ address: addressInput }).strict(),
    query: nothing,
    body: bodySchema,
    isBodyOptional: true,
    response: envelopeB(predictResultSchema),
    successes: { 200: 'The verdict, or the analysis as it stands' },
    errors: [400, 401, 404, 409, 413, 415, 422, 429, 500, 503],
    example: {
      data: {
        ...exampleTokenB,
        status: 'completed',
        job_id: exampleJob.job_id,
        model: 'gbdt-onnx-1.0',
        analyzed_at: EXAMPLE_TIME,
        cached: false,
        explanation: {
          base_value: -0.4,
          contributions: [exampleContribution],
          checks: exampleDetail.checks ?? [],
        },
      },
      success: true,
    },
    handle: (call) => predict(ports, call),
  });
