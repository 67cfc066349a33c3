import type { Check, VerdictDoc } from '../../shared/messages/verdictDoc.ts';
import { FORMATS } from '../../shared/sentences/formats.ts';
import type { Language } from '../../shared/sentences/language.ts';
import { writeSentence } from '../../shared/sentences/writeSentence.ts';
import type { Contribution } from '../tokens/schema.ts';
import { labelOf } from './labels.ts';
import { say } from './say.ts';

/** What a contribution rests on: the feature's value, or that of the check it comes from. */
const valueOf = (doc: VerdictDoc, id: string): number | string | null => {
  const name = id.slice(id.indexOf(':') + 1);
  const value = doc.features[id] ?? doc.checks.find((check) => check.id === name)?.value ?? null;
  return typeof value === 'boolean' ? String(value) : value;
};

/** A number as it is; of a check that has none, how it ended; `none` of what is neither a feature nor a check. */
const shown = (doc: VerdictDoc, id: string, language: Language): string => {
  const value = valueOf(doc, id);
  if (typeof value === 'number') return FORMATS[language].number(value);
  const check = doc.checks.find((each) => `check:${each.id}` === id);
  if (check) return say(language, `status_${check.status}`);
  return id.includes(':') ? 'none' : say(language, 'notObserved');
};

/** What moved the verdict, the heaviest first, each with a sentence. */
export const explanation = (doc: VerdictDoc, language: Language): Contribution[] =>
  Object.entries(doc.shap_values)
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .map(([feature, contribution]) => {
      const value = valueOf(doc, feature);
      const text = say(language, contribution >= 0 ? 'raises' : 'lowers', {
        label: labelOf(feature, language),
        value: shown(doc, feature, language),
        amount: FORMATS[language].amount(Math.abs(contribution)),
      });
      return { feature, value, contribution, text };
    });

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
