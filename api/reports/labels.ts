import { CHECK_NAMES } from '../../shared/sentences/checkWords.ts';
import type { Language } from '../../shared/sentences/language.ts';
import { readMessages } from '../../shared/sentences/messages.ts';

/** Names of features; those without a name are shown by their id. */
const LABELS = readMessages('labels');

/** The name of a feature or check; a prefix such as `check:` is ignored. */
export const labelOf = (id: string, language: Language): string => {
  const name = id.slice(id.indexOf(':') + 1);
  return (
    CHECK_NAMES.find(language, name) ?? LABELS.find(language, name) ?? name.replaceAll('_', ' ')
  );
};
