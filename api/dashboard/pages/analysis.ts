import type { Throttle } from '../../accounts/throttle.ts';
import { estimatedTimeS, type Jobs } from '../../tokens/jobs.ts';
import { admitVisitor } from '../cachedPages.ts';
import { type Answer, definePages, goTo, show, type Visit } from '../page.ts';
import { phrasesIn } from '../phrases.ts';
import { addressOf, notKnown } from './tokens.ts';

/** Dependencies of analyses on demand. */
export interface AnalysisPorts {
  readonly jobs: Pick<Jobs, 'start' | 'find'>;
  readonly throttle: Pick<Throttle, 'waitS'>;
}

/** Analyses started on pages belong to no key: everyone may see their progress. */
const FAMILY = 'pages';

/** Why an analysis failed, by the code of the job's error. */
const FAILURES = ['not_a_contract', 'not_a_token', 'node_unavailable', 'timeout'] as const;

const begin = async (ports: AnalysisPorts, visit: Visit): Promise<Answer> => {
  const token = addressOf(visit);
  if (!token) return notKnown('token', visit);
  await admitVisitor(ports.throttle, 'analysis', visit.browser.address);
  const { record } = await ports.jobs.start({ family: FAMILY, token, force: false });
  return goTo(`/token/${token}/analysis/${record.jobId}`);
};

const progress = async (ports: AnalysisPorts, visit: Visit): Promise<Answer> => {
  const address = addressOf(visit);
  const job = address && (await ports.jobs.find(FAMILY, visit.params['job'] ?? ''));
  if (!job || job.token !== address) return notKnown('analysis', visit);
  if (job.status === 'completed') return goTo(`/token/${address}`);
  const say = phrasesIn(visit.language);
  const code = FAILURES.find((each) => each === job.error?.split(':')[0]) ?? 'else';
  return show('analysis', 'analysis', {
    address,
    failure: job.status === 'failed' ? say(`failed_${code}`) : undefined,
    secondsLeft: estimatedTimeS(job, visit.nowMs),
    seconds: Math.max(0, Math.floor((visit.nowMs - job.createdAtMs) / 1_000)),
  });
};

/** Pages for analysing a token that is not known yet. */
export const analysisPages = definePages<AnalysisPorts>([
  ['public', 'post', '/token/:address/analysis', begin],
  ['public', 'get', '/token/:address/analysis/:job', progress, { isLookUp: true }],
]);
