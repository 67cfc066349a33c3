import type { Check, VerdictDoc } from '../../shared/messages/verdictDoc.ts';
import { type Advice, adviceOf, adviceSentence } from '../../shared/rules/advice.ts';
import { CHECK_QUESTIONS } from '../../shared/rules/artifacts/checkQuestions.ts';
import { TOPICS, type Topic } from '../../shared/rules/checkQuestion.ts';
import { QUESTIONS } from '../../shared/sentences/checkWords.ts';
import type { Language } from '../../shared/sentences/language.ts';
import { writeSentence } from '../../shared/sentences/writeSentence.ts';
import { checksIn } from '../reports/explanation.ts';
import { labelOf } from '../reports/labels.ts';
import { say } from '../reports/say.ts';
import { groupEvidence } from '../tokens/evidenceGroups.ts';
import { reasonsIn } from '../tokens/present.ts';
import type { Verdict } from '../tokens/verdict.ts';
import { type Phrase, phrasesIn } from './phrases.ts';

/** Colour of an answer: against the token, possibly against it, unknown, or for it. */
type Tone = 'bad' | 'warn' | 'unknown' | 'good' | 'plain';

/** A check as a question with its answer. */
export interface AnsweredQuestion {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly tone: Tone;
  readonly text: string;
  readonly evidence: NonNullable<Check['evidence']>;
  /** A link to more about it. */
  readonly path?: string;
}

/**
 * The questions of one topic: those to read, unanswered ones if there are many, and those with good answers.
 */
export interface AnsweredTopic {
  readonly title: string;
  readonly open: readonly AnsweredQuestion[];
  readonly unanswered: readonly AnsweredQuestion[];
  readonly inOrder: readonly AnsweredQuestion[];
}

const TONE_OF_FAILURE: Readonly<Record<Check['severity'], Tone>> = {
  critical: 'bad',
  warning: 'warn',
  info: 'plain',
};
const TONE_ORDER: readonly Tone[] = ['bad', 'warn', 'unknown', 'plain', 'good'];
/** Unanswered questions listed among the others: more would hide the answers. */
const UNANSWERED_LISTED_MAX = 2;
/** Ids of checks in the order in which they are asked. */
const ASKED: readonly string[] = QUESTIONS.keys;
/** Where checks without a question are shown. */
const OTHER_TOPIC: Topic = 'name';

const toneOf = ({ status, severity }: Check): Tone => {
  if (status === 'fail') return TONE_OF_FAILURE[severity];
  if (status === 'unknown') return 'unknown';
  return status === 'pass' ? 'good' : 'plain';
};

const answerOf = ({ id, status }: Check): Phrase => {
  if (status === 'unknown' || status === 'not_applicable') return status;
  const whenPassed = CHECK_QUESTIONS[id]?.whenPassed ?? 'yes';
  const opposite = whenPassed === 'yes' ? 'no' : 'yes';
  return status === 'pass' ? whenPassed : opposite;
};

const questionOf = (id: string, language: Language): string =>
  QUESTIONS.find(language, id) ?? labelOf(id, language);

const topicOf = (id: string): Topic => CHECK_QUESTIONS[id]?.topic ?? OTHER_TOPIC;

const answered = (check: Check, language: Language): AnsweredQuestion => ({
  id: check.id,
  question: questionOf(check.id, language),
  answer: phrasesIn(language)(answerOf(check)),
  tone: toneOf(check),
  text: check.reason,
  evidence: check.evidence ?? [],
});

/** What is known of the creator beyond the checks: earlier tokens, and the ring. */
const ofCreator = (verdict: Verdict, language: Language): AnsweredQuestion[] => {
  const { doc, clusterId } = verdict;
  const { tokens_created: made, scam_rate: share, address } = doc.creator;
  const phrase = phrasesIn(language);
  // The token itself is among the creator's tokens.
  const n = Math.max(0, made - 1);
  const scams = Math.max(0, Math.round(share * made) - (verdict.prediction === 'SCAM' ? 1 : 0));
  const hasScams = n > 0 && scams > 0;
  const isInRing = clusterId !== null;
  return [
    {
      id: 'creator_record',
      question: phrase('creator_record'),
      answer: phrase(hasScams ? 'yes' : 'no'),
      tone: hasScams ? 'bad' : 'good',
      text: phrase('creator_others', { others: n > 0 ? 'some' : 'none', n, scams }),
      evidence: [],
      path: `/wallet/${address}`,
    },
    {
      id: 'creator_ring',
      question: phrase('creator_ring'),
      answer: phrase(isInRing ? 'yes' : 'no'),
      tone: isInRing ? 'bad' : 'good',
      text: isInRing ? say(language, 'ring', { id: clusterId }) : say(language, 'noRing'),
      evidence: [],
      ...(isInRing && { path: `/ring/${encodeURIComponent(clusterId)}` }),
    },
  ];
};

const isInOrder = ({ tone }: AnsweredQuestion, status: Check['status'] | undefined): boolean =>
  tone === 'good' || status === 'not_applicable';

/** All checks as questions with answers, by topic; within a topic the most serious first. */
export const answeredTopics = (verdict: Verdict, language: Language): AnsweredTopic[] => {
  const checks = checksIn(verdict.doc, language);
  const statusOf = new Map(checks.map(({ id, status }) => [id, status]));
  const questions = checks
    .toSorted((a, b) => ASKED.indexOf(a.id) - ASKED.indexOf(b.id))
    .map((check) => answered(check, language));
  return TOPICS.map((topic) => {
    const own = questions.filter(({ id }) => topicOf(id) === topic);
    const all = topic === 'creator' ? [...ofCreator(verdict, language), ...own] : own;
    const [inOrder, open] = [true, false].map((wanted) =>
      all.filter((one) => isInOrder(one, statusOf.get(one.id)) === wanted),
    );
    const graveFirst = (open ?? []).toSorted(
      (a, b) => TONE_ORDER.indexOf(a.tone) - TONE_ORDER.indexOf(b.tone),
    );
    const unknown = graveFirst.filter(({ tone }) => tone === 'unknown');
    const unanswered = unknown.length > UNANSWERED_LISTED_MAX ? unknown : [];
    return {
      title: phrasesIn(language)(`topic_${topic}`),
      inOrder: inOrder ?? [],
      open: graveFirst.filter((one) => !unanswered.includes(one)),
      unanswered,
    };
  });
};

const NEXT: Readonly<Record<Advice, Phrase>> = {
  avoid: 'nextAvoid',
  wait: 'nextWait',
  no_finding: 'nextNoFinding',
};

/** What a reader should learn from a verdict in five seconds. */
export const verdictCard = (verdict: Verdict, language: Language) => {
  const { advice, certainty } = adviceOf(verdict);
  const phrase = phrasesIn(language);
  return {
    advice: writeSentence(adviceSentence(verdict), language),
    sure: phrase(certainty, { share: Math.round(verdict.confidence * 100) / 100 }),
    reasons: reasonsIn(verdict, language).map(({ text }) => text),
    notSeen: verdict.doc.checks
      .filter(({ status }) => status === 'unknown')
      .map((check) => answered(check, language).question),
    next: phrase(NEXT[advice]),
  };
};

/** Least log-odds for each word of strength: factors of about 7, 2 and 1.1. Weaker evidence is not listed. */
const STRENGTHS = [
  { least: 2, phrase: 'strong' },
  { least: 0.7, phrase: 'some' },
  { least: 0.1, phrase: 'weak' },
] as const;

/** One piece of evidence in words. */
export interface WeighedEvidence {
  readonly text: string;
  readonly weight: string;
  readonly isAgainstToken: boolean;
}

/** The name of a group of evidence. */
export const evidenceName = (group: string, language: Language): string => {
  const phrase = phrasesIn(language);
  if (group === 'market') return phrase('wholeMarket');
  return group === 'code' ? phrase('wholeCode') : labelOf(group, language);
};

/** What moved the verdict, in words, strongest first. */
export const weighedEvidence = (doc: VerdictDoc, language: Language): WeighedEvidence[] => {
  const phrase = phrasesIn(language);
  const reasons = new Map(checksIn(doc, language).map(({ id, reason }) => [`check:${id}`, reason]));
  return [...groupEvidence(doc.shap_values)]
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .flatMap(([name, logOdds]) => {
      const strength = STRENGTHS.find(({ least }) => Math.abs(logOdds) >= least);
      if (!strength) return [];
      const isAgainstToken = logOdds > 0;
      const side = isAgainstToken ? 'forScam' : 'againstScam';
      const weight = phrase(side, { strength: phrase(strength.phrase) });
      const text = reasons.get(name) ?? evidenceName(name, language);
      return [{ text, weight, isAgainstToken }];
    });
};
