import type { Check, CheckSentences } from '../../../shared/messages/verdictDoc.ts';
import type { Sentence } from '../../../shared/sentences/sentence.ts';
import { writeSentence } from '../../../shared/sentences/writeSentence.ts';
import type { Evidence } from './evidence.ts';

/** What a check found, worded in no language yet. */
export interface CheckResult extends Pick<Check, 'id' | 'status' | 'severity' | 'value'> {
  readonly reason: Sentence;
  readonly evidence?: readonly Evidence[] | undefined;
}

/** A check as verdicts show it: in English. */
export const checkOf = ({ reason, evidence, ...check }: CheckResult): Check => ({
  ...check,
  reason: writeSentence(reason, 'en'),
  ...(evidence && {
    evidence: evidence.map(({ note, ...each }) => ({ ...each, note: writeSentence(note, 'en') })),
  }),
});

/** The sentences of checks, by their ids, for other languages. */
export const sentencesOf = (results: readonly CheckResult[]): Record<string, CheckSentences> =>
  Object.fromEntries(
    results.map(({ id, reason, evidence = [] }) => [
      id,
      { reason, notes: evidence.map(({ note }) => note) },
    ]),
  );
