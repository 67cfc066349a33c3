import type { Check, VerdictDoc } from '../../shared/messages/verdictDoc.ts';
import type { Language } from '../../shared/sentences/language.ts';
import { writeSentence } from '../../shared/sentences/writeSentence.ts';

/** A check with its sentences in a language; verdicts that were stored without them have English only. */
const checkIn = ({ sentences }: VerdictDoc, check: Check, language: Language): Check => {
  const own = sentences?.[check.id];
  if (!own) return check;
  const evidence = check.evidence?.map((each, i) => {
    const note = own.notes[i];
    return note ? { ...each, note: writeSentence(note, language) } : each;
  });
  return { ...check, reason: writeSentence(own.reason, language), ...(evidence && { evidence }) };
};

/** All checks of a verdict with their sentences in a language. */
export const checksIn = (doc: VerdictDoc, language: Language): Check[] =>
  doc.checks.map((check) => checkIn(doc, check, language));
