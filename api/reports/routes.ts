import { createHash } from 'node:crypto';
import type { Hex } from '../../shared/chain/block.ts';
import { notFound, unavailable } from '../server/apiError.ts';
import { type Call, defineEndpoint, type Endpoint, type Reply } from '../server/endpoint.ts';
import { successB } from '../server/present.ts';
import { addressInput, envelopeB, z } from '../server/schema.ts';
import type { History, Tokens } from '../tokens/createTokens.ts';
import { type Jobs, WAIT_S_MAX, type WaitForJobs } from '../tokens/jobs.ts';
import { verdictVersion } from '../tokens/present.ts';
import { language } from '../tokens/schema.ts';
import type { Verdict } from '../tokens/verdict.ts';
import type { Wallet, Wallets } from '../wallets/wallet.ts';
import { composeTokenReport } from './composeTokenReport.ts';
import { composeWalletReport } from './composeWalletReport.ts';
import { presentReport, reportSchema } from './present.ts';
import { REPORT_CSP, reportHtml, reportMarkdown } from './renderReport.ts';
import { type Reports, SECTIONS, type SectionId } from './report.ts';

const SECTIONS_MAX = 10;
const RETRY_AFTER_S = 5;

const bodySchema = z
  .object({
    language: language.default('en'),
    subject: z
      .enum(['auto', 'token', 'wallet'])
      .default('auto')
      .openapi({ description: 'auto: a token if the address is one' }),
    sections: z
      .array(z.enum(SECTIONS))
      .min(1)
      .max(SECTIONS_MAX)
      .optional()
      .openapi({ description: 'default: all' }),
  })
  .strict();
type Body = z.output<typeof bodySchema>;

interface Ports {
  readonly tokens: Tokens;
  readonly wallets: Wallets;
  readonly history: History;
  readonly jobs: Jobs;
  readonly waitForJobs: WaitForJobs;
  readonly reports: Reports;
}
type GenerateCall = Call<{ address: Hex }, unknown, Body>;
type Subject = { kind: 'token'; verdict: Verdict } | { kind: 'wallet'; wallet: Wallet };

/** The verdict on a token that has none yet, or the reason why there is none. */
const analyzed = async (ports: Ports, call: GenerateCall): Promise<Verdict | undefined> => {
  const { params, caller, signal } = call;
  const { record: started } = await ports.jobs.start({
    family: caller.family,
    token: params.address,
    force: false,
  });
  const wait = { family: caller.family, waitS: WAIT_S_MAX, signal: signal() };
  const [record = started] = await ports.waitForJobs([started], wait);
  if (record.status === 'completed') return ports.tokens.find(params.address);
  if (record.status === 'failed' && record.error?.startsWith('not_a_')) return undefined;
  throw unavailable('The report waits for the analysis of the address; try again', RETRY_AFTER_S);
};

/** An address that created tokens is treated as a wallet; any other may be a token. */
const subjectOf = async (ports: Ports, call: GenerateCall): Promise<Subject> => {
  const { address } = call.params;
  const { subject } = call.body;
  const verdict = subject === 'wallet' ? undefined : await ports.tokens.find(address);
  if (verdict) return { kind: 'token', verdict };
  const wallet = subject === 'token' ? undefined : await ports.wallets.find(address);
  if (wallet && (subject === 'wallet' || wallet.tokensCreated > 0))
    return { kind: 'wallet', wallet };
  if (subject === 'wallet') throw notFound('nothing is known of this wallet');
  const fresh = await analyzed(ports, call);
  if (fresh) return { kind: 'token', verdict: fresh };
  if (wallet) return { kind: 'wallet', wallet };
  throw notFound('neither a token nor a known wallet');
};

/** The same verdict, language and sections give the same report again. */
const reportId = (family: string, body: Body, sections: readonly SectionId[], version: string) =>
  `rep_${createHash('sha256')
    .update(JSON.stringify([family, body.language, sections, version]))
    .digest('hex')
    .slice(0, 32)}`;

const generate = async (ports: Ports, call: GenerateCall) => {
  const { params, body, caller, nowMs } = call;
  const subject = await subjectOf(ports, call);
  const sections = SECTIONS.filter((id) => body.sections?.includes(id) ?? true);
  const version =
    subject.kind === 'token'
      ? verdictVersion(subject.verdict)
      : `${params.address}-${subject.wallet.updatedAtMs}`;
  const id = reportId(caller.family, body, sections, version);
  const existing = await ports.reports.find(caller.family, id);
  if (existing) return { status: 200 as const, report: existing };
  const doc =
    subject.kind === 'token'
      ? composeTokenReport(
          {
            verdict: subject.verdict,
            verdicts: Math.max(1, await ports.history.count(params.address)),
            creator: await ports.wallets.find(subject.verdict.doc.creator.address),
            language: body.language,
          },
          sections,
        )
      : composeWalletReport(subject.wallet, body.language, sections);
  const report = { id, address: params.address, generatedAtMs: nowMs, doc };
  await ports.reports.save(caller.family, report);
  return { status: 201 as const, report };
};

/** POST /api/reports/generate/{address} */
export const generateReport = (ports: Ports): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/api/reports/generate/{address}',
    id: 'generateReport',
    tag: 'Reports',
    summary: 'Written report',
    description:
      'Written from templates and the stored verdict: the same facts in all languages, with numbers and dates in the format of each language. An address not analysed yet is analysed first: after 25 seconds 503 with Retry-After. The same verdict, language and sections give the same report again.',
    isHeavy: true,
    lowestTier: 'starter',
    isIdempotent: true,
    params: z.object({ address: addressInput }).strict(),
    body: bodySchema,
    isBodyOptional: true,
    response: envelopeB(reportSchema),
    successes: { 200: 'The report as it was written before', 201: 'A new report' },
    errors: [404],
    handle: async (call) => {
      const { status, report } = await generate(ports, call);
      return { status, body: successB(presentReport(report)) };
    },
  });

const FORMATS = ['json', 'markdown', 'html'] as const;

/** GET /api/reports/{report_id} */
export const getReport = ({ reports }: { reports: Reports }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/reports/{report_id}',
    id: 'getReport',
    tag: 'Reports',
    summary: 'Read a report',
    description:
      'Only reports of the own key family. HTML is one printable page that loads nothing.',
    lowestTier: 'starter',
    params: z
      .object({
        report_id: z.string().regex(/^rep_[0-9a-f]{32}$/, 'must be rep_ and 32 hexadecimal digits'),
      })
      .strict(),
    query: z.object({ format: z.enum(FORMATS).default('json') }).strict(),
    response: envelopeB(reportSchema),
    successes: { 200: 'The report' },
    otherTypes: { 'text/markdown': 'with format=markdown', 'text/html': 'with format=html' },
    errors: [404],
    handle: async ({ params, query, caller }) => {
      const report = await reports.find(caller.family, params.report_id);
      if (!report) throw notFound('no such report');
      const reply: Reply<{ data: z.output<typeof reportSchema>; success: true }> = {
        body: successB(presentReport(report)),
        version: `${report.id}-${query.format}`,
      };
      if (query.format === 'json') return reply;
      if (query.format === 'markdown') {
        const text = reportMarkdown(report.doc);
        return { ...reply, text: { contentType: 'text/markdown; charset=utf-8', text } };
      }
      return {
        ...reply,
        headers: { 'Content-Security-Policy': REPORT_CSP },
        text: { contentType: 'text/html; charset=utf-8', text: reportHtml(report.doc) },
      };
    },
  });
