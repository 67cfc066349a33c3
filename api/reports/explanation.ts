import type { Check, VerdictDoc } from '../../shared/messages/verdictDoc.ts';
import { FORMATS } from '../../shared/sentences/formats.ts';
import type { Language } from '../../shared/sentences/language.ts';
import { writeSentence } from '../../shared/sentences/writeSentence.ts';
import type { Contribution } from '../tokens/schema.ts';
import { labelOf } from './labels.ts';
import { say } from './say.ts';

/** The basis of a contribution: the feature's value, or that of its check. */
const valueOf = (doc: VerdictDoc, id: string): number | string | null => {
  const name = id.slice(id.indexOf(':') + 1);
  const value = doc.features[id] ?? doc.checks.find((check) => check.id === name)?.value ?? null;
  return typeof value === 'boolean' ? String(value) : value;
};

/** A number unchanged; for a check without a number, its status; `none` for anything else. */
const shown = (doc: VerdictDoc, id: string, language: Language): string => {
  const value = valueOf(doc, id);
  if (typeof value === 'number') return FORMATS[language].number(value);
  const check = doc.checks.find((each) => `check:${each.id}` === id);
  if (check) return say(language, `status_${check.status}`);
  return id.includes(':') ? 'none' : say(language, 'notObserved');
};

/** What moved the verdict, heaviest first, each with a sentence. */
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

/** A check with its sentences in a language; older verdicts stored without sentence data have English only. */
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
