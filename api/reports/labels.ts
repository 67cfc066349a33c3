import type { Language } from '../../shared/sentences/language.ts';
import { readMessages } from '../../shared/sentences/messages.ts';

/** What features and checks are called; those without a name there are shown by their id. */
const LABELS = readMessages('labels');

/** The name of a feature or check; `check:` and the like before an id do not matter. */
export const labelOf = (id: string, language: Language): string => {
  const name = id.slice(id.indexOf(':') + 1);
  return LABELS.find(language, name) ?? name.replaceAll('_', ' ');
};
