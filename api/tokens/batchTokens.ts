import type { Hex } from '../../shared/chain/block.ts';
import type { JobRecord } from '../../shared/messages/jobMessage.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import type { Plans } from '../accounts/plans.ts';
import { invalidFields } from '../server/apiError.ts';
import { type Call, defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { successB } from '../server/present.ts';
import { addressInput, count, envelopeB, z } from '../server/schema.ts';
import type { Tokens } from './createTokens.ts';
import { type Jobs, WAIT_S_MAX, type WaitForJobs } from './jobs.ts';
import { tokenB } from './present.ts';
import { type BatchItem, batchItemSchema } from './schema.ts';
import type { VerdictSummary } from './verdict.ts';

const ADDRESSES_MAX = 500;
const TEXT_LENGTH_MAX = 200;

const bodySchema = z
  .object({
    addresses: z
      .array(z.string().max(TEXT_LENGTH_MAX, `must have at most ${TEXT_LENGTH_MAX} characters`))
      .min(1, 'must not be empty')
      .max(ADDRESSES_MAX, `must have at most ${ADDRESSES_MAX} items`)
      .openapi({ description: 'Pro 100, Enterprise 500; duplicates collapse' }),
    mode: z
      .enum(['cached', 'analyze'])
      .default('analyze')
      .openapi({ description: 'cached: never start an analysis' }),
    force: z.boolean().default(false),
    wait: z.number().int().min(0).max(WAIT_S_MAX).default(0),
  })
  .strict();
type Body = z.output<typeof bodySchema>;

const dataSchema = z.object({
  results: z.array(batchItemSchema),
  total: count,
  completed: count,
  analyzing: count,
  failed: count,
  quota_cost: count.openapi({ description: 'units of the day quota: distinct valid addresses' }),
});

interface Ports {
  readonly tokens: Tokens;
  readonly jobs: Jobs;
  readonly waitForJobs: WaitForJobs;
  readonly plans: Plans;
}

/** Result for one valid address at the end of the request. */
type Outcome = { readonly job?: JobRecord; readonly error?: string; readonly code?: string };

/** The error code for a job's error text, the same as for a request of a single token. */
const codeOf = (error: string): string =>
  /^not_a_(contract|token)/.test(error) ? 'RES_001' : 'SYS_002';

/** Starts or joins the analysis of each token without a sufficiently recent verdict. */
const startJobs = async (
  { jobs }: Ports,
  body: Body,
  family: string,
  tokens: ReadonlyMap<Hex, VerdictSummary | undefined>,
): Promise<Map<Hex, Outcome>> => {
  const entries = await Promise.all(
    [...tokens].map(async ([token, verdict]): Promise<[Hex, Outcome]> => {
      if (body.mode === 'cached') return [token, {}];
      try {
        const analyzedAtMs = verdict?.analyzedAtMs;
        const request = { family, token, force: body.force, analyzedAtMs };
        const { record } = await jobs.start(request);
        return [token, { job: record }];
      } catch (error) {
        // One token that cannot be queued does not fail the others.
        if (!(error instanceof RetryableError)) throw error;
        return [token, { error: 'the analysis could not be queued', code: 'SYS_002' }];
      }
    }),
  );
  return new Map(entries);
};

const itemOf = (
  token: Hex,
  verdict: VerdictSummary | undefined,
  { job, error, code }: Outcome,
): BatchItem => {
  const jobId = job ? { job_id: job.jobId } : {};
  if (job?.status === 'analyzing') return { address: token, status: 'analyzing', ...jobId };
  if (job?.status === 'failed') {
    const reason = job.error ?? 'internal';
    return { address: token, status: 'failed', ...jobId, error: reason, code: codeOf(reason) };
  }
  if (error !== undefined && code !== undefined) {
    return { address: token, status: 'failed', error, code };
  }
  return verdict
    ? { address: token, status: 'completed', token: tokenB(verdict), ...jobId }
    : { address: token, status: 'failed', error: 'not analysed yet', code: 'RES_001' };
};

const byToken = (verdicts: readonly VerdictSummary[]): Map<Hex, VerdictSummary> =>
  new Map(verdicts.map((verdict) => [verdict.token, verdict]));

const evaluate = async (
  ports: Ports,
  { body, caller, signal }: Call<unknown, unknown, Body>,
  tokens: readonly Hex[],
): Promise<Map<Hex, BatchItem>> => {
  const before = byToken(await ports.tokens.findMany(tokens));
  const wanted = new Map(tokens.map((token) => [token, before.get(token)] as const));
  const outcomes = await startJobs(ports, body, caller.family, wanted);
  const begun = [...outcomes.values()].flatMap(({ job }) => (job ? [job] : []));
  const ended = await ports.waitForJobs(begun, {
    family: caller.family,
    waitS: body.wait,
    signal: signal(),
  });
  const jobs = new Map(ended.map((job) => [job.token, job]));
  const finished = begun.some(({ status }) => status === 'analyzing')
    ? byToken(await ports.tokens.findMany(tokens))
    : before;
  return new Map(
    tokens.map((token) => {
      const job = jobs.get(token);
      const outcome = job ? { job } : (outcomes.get(token) ?? {});
      return [token, itemOf(token, finished.get(token), outcome)];
    }),
  );
};

const run = async (ports: Ports, call: Call<unknown, unknown, Body>) => {
  const { body, caller } = call;
  const limit = ports.plans[caller.tier].batchAddresses;
  const distinct = [...new Set(body.addresses.map((text) => text.toLowerCase()))];
  if (distinct.length > limit) {
    const message = `must have at most ${limit} distinct items in tier ${caller.tier}`;
    throw invalidFields([{ in: 'body', path: 'addresses', message }]);
  }
  const parsed = distinct.map((text) => addressInput.safeParse(text));
  const tokens = parsed.flatMap((result) => (result.success ? [result.data] : []));
  await call.charge(tokens.length);
  const items = await evaluate(ports, call, tokens);
  const invalid = { status: 'failed', error: 'invalid address', code: 'REQ_001' } as const;
  const seen = new Set<string>();
  const results: BatchItem[] = [];
  for (const text of body.addresses) {
    const address = text.toLowerCase();
    if (seen.has(address)) continue;
    seen.add(address);
    results.push(items.get(address as Hex) ?? { address: text, ...invalid });
  }
  const having = (status: BatchItem['status']): number =>
    results.filter((item) => item.status === status).length;
  return {
    results,
    total: results.length,
    completed: having('completed'),
    analyzing: having('analyzing'),
    failed: having('failed'),
    quota_cost: tokens.length,
  };
};

/** POST /api/tokens/batch */
export const batchTokens = (ports: Ports): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/api/tokens/batch',
    id: 'batchTokens',
    tag: 'Tokens',
    summary: 'Verdicts on many tokens',
    description: `One result per distinct address, in the order sent; a bad address fails alone. Takes one unit of the day quota per distinct valid address and one of the minute quota; if the day quota has too few, 429 before any work. At most 100 distinct \`addresses\` in tier pro, 500 in enterprise.`,
    isHeavy: true,
    lowestTier: 'pro',
    dayUnits: 0,
    isIdempotent: true,
    body: bodySchema,
    response: envelopeB(dataSchema),
    successes: { 200: 'A result for each address' },
    handle: async (call) => ({ body: successB(await run(ports, call)) }),
  });
