import type { Check, VerdictDoc } from '../../shared/messages/verdictDoc.ts';
import { adviceSentence } from '../../shared/rules/advice.ts';
import { CHECK_QUESTIONS } from '../../shared/rules/artifacts/checkQuestions.ts';
import type { Topic } from '../../shared/rules/checkQuestion.ts';
import { FORMATS } from '../../shared/sentences/formats.ts';
import type { Language } from '../../shared/sentences/language.ts';
import { writeSentence } from '../../shared/sentences/writeSentence.ts';
import { reasonsIn, tokenB } from '../tokens/present.ts';
import type { Verdict } from '../tokens/verdict.ts';
import { scamShareOf, type Wallet } from '../wallets/wallet.ts';
import { checksIn, explanation } from './explanation.ts';
import { labelOf } from './labels.ts';
import type { ReportDoc, SectionId } from './report.ts';
import { say } from './say.ts';

/** Risk from which an address that is no scam should be watched. */
const WATCH_RISK_MIN = 25;

/** What to do about a token or wallet. */
export const recommendationOf = (verdict: {
  readonly is_rug: boolean;
  readonly risk_score: number;
}): ReportDoc['verdict']['recommendation'] => {
  if (verdict.is_rug) return 'AVOID';
  return verdict.risk_score >= WATCH_RISK_MIN ? 'MONITOR' : 'NO_ACTION';
};

/** Contributions listed in the section about the method. */
const CONTRIBUTIONS_MAX = 10;

const STATUS_ORDER: readonly Check['status'][] = ['fail', 'unknown', 'pass', 'not_applicable'];
const SEVERITY_ORDER: readonly Check['severity'][] = ['critical', 'warning', 'info'];

const CONTRACT_TOPICS: ReadonlySet<Topic | undefined> = new Set(['powers', 'creator', 'name']);

/** Whether a check reads the token's contract, not its market or a hook. */
const isOfContract = ({ id }: Check): boolean => {
  const question = CHECK_QUESTIONS[id];
  return !question?.isOfHook && CONTRACT_TOPICS.has(question?.topic);
};

/** Failed checks first; within a status the most severe first. */
const sortedChecks = (checks: readonly Check[]): Check[] =>
  checks.toSorted(
    (a, b) =>
      STATUS_ORDER.indexOf(a.status) - STATUS_ORDER.indexOf(b.status) ||
      SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity),
  );

const checkLine = (check: Check, language: Language): string =>
  say(language, 'check', {
    label: labelOf(check.id, language),
    status: say(language, `status_${check.status}`),
    reason: check.reason,
  }).trimEnd();

const evidenceLines = (doc: VerdictDoc, language: Language): string[] => {
  const checks = checksIn(doc, language);
  const having = (status: Check['status']): number =>
    checks.filter((check) => check.status === status).length;
  return [
    say(language, 'failed', { n: having('fail') }),
    say(language, 'passed', { n: having('pass') }),
    say(language, 'unknown', { n: having('unknown') }),
    ...sortedChecks(checks).flatMap((check) => [
      checkLine(check, language),
      ...(check.evidence ?? []).map(({ kind, ref, note = '' }) =>
        say(language, 'evidence', { kind: say(language, `kind_${kind}`), ref, note }),
      ),
    ]),
  ];
};

const contractLines = (doc: VerdictDoc, language: Language): string[] => {
  const own = sortedChecks(checksIn(doc, language).filter(isOfContract));
  const failed = own.filter(({ status }) => status === 'fail');
  const names = (doc.frameworks ?? []).map(({ name }) => name);
  return [
    say(language, 'bytecode', { hash: doc.provenance.bytecode_hash }),
    ...(names.length > 0
      ? [say(language, 'frameworks', { names: FORMATS[language].list(names) })]
      : []),
    say(language, 'contractChecks', { n: failed.length }),
    ...failed.map((check) => checkLine(check, language)),
  ];
};

const liquidityLines = ({ features }: VerdictDoc, language: Language): string[] => {
  const locked = features['lpLockedShare'];
  const burned = features['lpBurnedShare'];
  return [
    say(language, 'liquidity', { usd: features.liquidity_usd }),
    ...(locked === undefined ? [] : [say(language, 'liquidityLocked', { share: locked })]),
    ...(burned === undefined ? [] : [say(language, 'liquidityBurned', { share: burned })]),
  ];
};

const methodLines = (doc: VerdictDoc, language: Language): string[] => [
  say(language, 'model', { model: doc.provenance.model, hash: doc.provenance.model_sha256 }),
  say(language, 'margin', { margin: doc.margin, base: doc.base_value }),
  ...explanation(doc, language)
    .slice(0, CONTRIBUTIONS_MAX)
    .map(({ text }) => text),
];

const headline = (verdict: Verdict, language: Language): string => {
  const { is_rug: isRug, confidence, risk_score: risk, risk_level: level } = tokenB(verdict);
  return say(language, isRug ? 'scam' : 'legit', {
    confidence,
    risk,
    level: say(language, `level${level}`),
  });
};

interface TokenReportInput {
  readonly verdict: Verdict;
  /** Number of verdicts so far. */
  readonly verdicts: number;
  /** The creator with its current record: the verdict holds only what was known when it was made. */
  readonly creator: Pick<Wallet, 'riskScore' | 'tokensCreated' | 'scams' | 'clusterId'> | undefined;
  readonly language: Language;
}

const linesOf: Record<SectionId, (input: TokenReportInput) => string[]> = {
  verdict: ({ verdict, language }) => [
    headline(verdict, language),
    writeSentence(adviceSentence(verdict), language),
    ...reasonsIn(verdict, language).map(({ text }) => text),
  ],
  evidence: ({ verdict, language }) => evidenceLines(verdict.doc, language),
  contract: ({ verdict, language }) => contractLines(verdict.doc, language),
  liquidity: ({ verdict, language }) => liquidityLines(verdict.doc, language),
  holders: ({ verdict, language }) => {
    const { features } = verdict.doc;
    return [
      say(language, 'holders', { n: features.holder_count }),
      say(language, 'transfers', { n: features.transaction_count }),
      say(language, 'topTen', { share: features.top_10_concentration }),
    ];
  },
  creator: ({ verdict, creator, language }) => {
    const { address, ...judged } = verdict.doc.creator;
    const isKnown = creator !== undefined && creator.tokensCreated > 0;
    const risk = isKnown ? creator.riskScore : judged.risk_score;
    const n = isKnown ? creator.tokensCreated : judged.tokens_created;
    const share = isKnown ? scamShareOf(creator) : judged.scam_rate;
    return [
      say(language, 'creator', { address, risk }),
      say(language, 'creatorTokens', { n, share }),
    ];
  },
  network: ({ creator, language }) => [
    creator?.clusterId ? say(language, 'ring', { id: creator.clusterId }) : say(language, 'noRing'),
  ],
  timeline: ({ verdict, verdicts, language }) => [
    say(language, 'created', { time: verdict.createdAtS * 1000 }),
    say(language, 'analyzed', {
      time: verdict.analyzedAtMs,
      block: String(verdict.blockNumber),
    }),
    say(language, 'verdicts', { n: verdicts }),
  ],
  limitations: ({ verdict, language }) => [
    say(language, 'coverage', { share: verdict.doc.provenance.coverage }),
    say(language, 'unknownIsUnknown'),
    say(language, 'notAdvice'),
  ],
  method: ({ verdict, language }) => methodLines(verdict.doc, language),
};

/** A report on a verdict, with the same facts in every language. */
export const composeTokenReport = (
  input: TokenReportInput,
  sections: readonly SectionId[],
): ReportDoc => {
  const { verdict, language } = input;
  const token = tokenB(verdict);
  const advice = writeSentence(adviceSentence(verdict), language);
  const reasons = reasonsIn(verdict, language).map(({ text }) => text);
  return {
    v: 1,
    subject: 'token',
    language,
    title: say(language, 'title', { name: verdict.name, symbol: verdict.symbol }),
    verdict: {
      is_rug: token.is_rug,
      prediction: verdict.prediction,
      confidence: token.confidence,
      risk_score: token.risk_score,
      risk_level: token.risk_level,
      recommendation: recommendationOf(token),
    },
    summary: [headline(verdict, language), advice, ...reasons].join(' '),
    sections: sections.map((id) => ({
      id,
      title: say(language, `section_${id}`),
      lines: linesOf[id](input),
    })),
    provenance: verdict.doc.provenance,
  };
};
