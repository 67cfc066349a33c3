import type { Hex } from '../../../shared/chain/block.ts';
import { type Language } from '../../../shared/sentences/language.ts';
import type { Clusters } from '../../clusters/queries.ts';
import type { Stats } from '../../statistics/createStats.ts';
import type { Tokens } from '../../tokens/createTokens.ts';
import { reasonsIn } from '../../tokens/present.ts';
import type { VerdictSummary } from '../../tokens/verdict.ts';
import { type Answer, definePages, show, type Visit } from '../page.ts';

/** Data of the front page. */
export interface FrontPorts {
  readonly tokens: Tokens;
  readonly clusters: Clusters;
  readonly stats: Stats;
}

const SCAMS_SHOWN = 8;
const DESCRIPTION =
  'Paste the address of a token: is it a scam, how sure is that, and why. Every new token is checked as it appears, with evidence anyone can verify.';

/** A verdict with its main reason. */
const withReason = async (tokens: Tokens, verdict: VerdictSummary, language: Language) => {
  const found = await tokens.findRecent(verdict.token);
  return { ...verdict, reason: found && reasonsIn(found, language)[0]?.text };
};

/** One example of each kind: a scam, a token without findings, a wallet and a ring. */
const examplesOf = async ({ tokens, clusters }: FrontPorts, scam: VerdictSummary | undefined) => {
  const [[honest], { clusters: rings }] = await Promise.all([
    tokens.list({ prediction: 'LEGIT', sort: 'risk_score', order: 'asc', limit: 1, offset: 0 }),
    clusters.list({ size: { min: 2 }, sort: 'risk_score', order: 'desc', limit: 1, offset: 0 }),
  ]);
  const creator: Hex | undefined =
    scam && (await tokens.findRecent(scam.token))?.doc.creator.address;
  return [
    scam && { what: 'aScam', name: scam.symbol, path: `/token/${scam.token}` },
    honest && {
      what: 'aClean',
      name: honest.symbol,
      path: `/token/${honest.token}`,
    },
    creator && { what: 'aCreator', name: creator, path: `/wallet/${creator}`, isAddress: true },
    rings[0] && { what: 'aRing', name: rings[0].name, path: `/ring/${rings[0].id}` },
  ].filter((example) => example !== undefined);
};

const front = async (ports: FrontPorts, { nowMs, language }: Visit): Promise<Answer> => {
  const newest = { sort: 'analyzed_at', order: 'desc', limit: SCAMS_SHOWN, offset: 0 } as const;
  const [scams, stats] = await Promise.all([
    ports.tokens.list({ ...newest, prediction: 'SCAM' }),
    ports.stats.read(),
  ]);
  const [rows, examples] = await Promise.all([
    Promise.all(scams.map((scam) => withReason(ports.tokens, scam, language))),
    examplesOf(ports, scams[0]),
  ]);
  const preview = { description: DESCRIPTION, picture: 'start', path: '/' } as const;
  return show('front', 'frontTitle', { scams: rows, stats, examples, nowMs }, { preview });
};

/** The front page. */
export const frontPages = definePages<FrontPorts>([
  ['public', 'get', '/', front, { isLookUp: true }],
]);
