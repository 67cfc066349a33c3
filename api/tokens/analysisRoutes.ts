import type { Hex } from '../../shared/chain/block.ts';
import type { JobRecord } from '../../shared/messages/jobMessage.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { adviceSentence } from '../../shared/rules/advice.ts';
import { isoTime } from '../../shared/rules/isoTime.ts';
import type { Language } from '../../shared/sentences/language.ts';
import { writeSentence } from '../../shared/sentences/writeSentence.ts';
import { checksIn, explanation } from '../reports/explanation.ts';
import { notFound } from '../server/apiError.ts';
import { type Call, defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { successA, successB } from '../server/present.ts';
import { addressInput, envelopeA, envelopeB, queryIntegerOr, z } from '../server/schema.ts';
import type { Tokens } from './createTokens.ts';
import { estimatedTimeS, type Jobs, WAIT_S_MAX, type WaitForJobs } from './jobs.ts';
import { reasonsIn, tokenB, tokenDetailA } from './present.ts';
import {
  type AnalysisJob,
  analysisJobSchema,
  language,
  type PredictResult,
  predictResultSchema,
} from './schema.ts';
import type { Verdict } from './verdict.ts';

/** A job as clients see it: with the current verdict once it is completed. */
const analysisJobA = async (
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

/** Seconds that a client should wait between two polls of a running job. */
const JOB_RETRY_AFTER_S = 1;

interface JobPorts {
  readonly waitForJobs: WaitForJobs;
  readonly tokens: Tokens;
  readonly jobs: Jobs;
  readonly clock: Clock;
}

/** GET /tokens/analyze/{job_id} */
export const getJob = (ports: JobPorts): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/tokens/analyze/{job_id}',
    id: 'getAnalysis',
    tag: 'Tokens',
    summary: 'Poll an analysis',
    description:
      'Always 200 for a known job, also when it failed. Does not count towards the daily quota. `wait` holds the response until the job ends or the seconds are over.',
    dayUnits: 0,
    params: z
      .object({
        job_id: z.string().regex(/^job_[0-9A-HJKMNP-TV-Z]{26}$/, 'must be job_ and a ULID'),
      })
      .strict(),
    query: z.object({ wait: queryIntegerOr(0, 0, WAIT_S_MAX) }).strict(),
    response: envelopeA(analysisJobSchema),
    successes: { 200: 'The current state of the job' },
    errors: [404],
    handle: async (call) => {
      const found = await ports.jobs.find(call.caller.family, call.params.job_id);
      if (!found) throw notFound('no such analysis');
      const [record = found] = await ports.waitForJobs([found], {
        family: call.caller.family,
        waitS: call.query.wait,
        signal: call.signal(),
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

/** POST /tokens/analyze */
export const analyzeToken = (ports: { tokens: Tokens; jobs: Jobs; baseUrl: string }): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/tokens/analyze',
    id: 'analyzeToken',
    tag: 'Tokens',
    summary: 'Start an analysis',
    description:
      'A verdict younger than 15 minutes is returned at once unless `force` is true. Requests for a token in analysis join the running job. `force` works once in 5 minutes per token and key family.',
    isIdempotent: true,
    body: z.object({ address: addressInput, force: z.boolean().default(false) }).strict(),
    response: envelopeA(analysisJobSchema),
    successes: {
      200: 'A fresh verdict, or the job already in progress',
      201: 'A new job; see the header Location',
    },
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

interface PredictPorts {
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
      advice_text: writeSentence(adviceSentence(verdict), options.language),
      reasons: reasonsIn(verdict, options.language),
      base_value: baseValue,
      contributions: explanation(verdict.doc, options.language),
      checks: checksIn(verdict.doc, options.language),
    },
  };
};

/** Starts or joins the analysis and returns its state. */
const predict = async (
  { tokens, jobs, waitForJobs }: PredictPorts,
  { params, body, caller, signal }: Call<{ address: Hex }, unknown, z.output<typeof bodySchema>>,
) => {
  const before = await tokens.find(params.address);
  const { record: started, isNew } = await jobs.start({
    family: caller.family,
    token: params.address,
    force: body.force,
    analyzedAtMs: before?.analyzedAtMs,
  });
  const wait = { family: caller.family, waitS: body.wait, signal: signal() };
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
export const predictToken = (ports: PredictPorts): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/api/predict/{address}',
    id: 'predictToken',
    tag: 'Tokens',
    summary: 'Analyse a token now',
    description:
      'Waits for the analysis up to `wait` seconds: `analyzing` with a job_id when it takes longer (poll `GET /tokens/analyze/{job_id}`), `failed` with a message. A verdict younger than 15 minutes is returned at once unless `force` is true, which works once in 5 minutes per token and key family.',
    isIdempotent: true,
    params: z.object({ address: addressInput }).strict(),
    body: bodySchema,
    isBodyOptional: true,
    response: envelopeB(predictResultSchema),
    successes: { 200: 'The verdict, or the current state of the analysis' },
    errors: [404],
    handle: (call) => predict(ports, call),
  });
