import type { VerdictDoc } from '../../shared/messages/verdictDoc.ts';
import { labelOf } from '../reports/labels.ts';
import { plainNumber, say } from '../reports/say.ts';
import type { Contribution, Language } from '../schema/tokenB.ts';

/** What a contribution rests on: the feature's value, or that of the check it comes from. */
const valueOf = (doc: VerdictDoc, id: string): number | string | null => {
  const name = id.slice(id.indexOf(':') + 1);
  const value = doc.features[id] ?? doc.checks.find((check) => check.id === name)?.value ?? null;
  return typeof value === 'boolean' ? String(value) : value;
};

const shown = (value: number | string | null, language: Language): string => {
  if (value === null) return say(language, 'notObserved');
  return typeof value === 'number' ? plainNumber(value) : value;
};

/** What moved the verdict, the heaviest first, each with a sentence. */
export const explanation = (doc: VerdictDoc, language: Language): Contribution[] =>
  Object.entries(doc.shap_values)
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .map(([feature, contribution]) => {
      const value = valueOf(doc, feature);
      const text = say(language, contribution >= 0 ? 'raises' : 'lowers', {
        label: labelOf(feature, language),
        value: shown(value, language),
        amount: plainNumber(Math.abs(contribution)),
      });
      return { feature, value, contribution, text };
    });
