import type { Language } from '../../shared/sentences/language.ts';
import { fillTemplate } from '../../shared/sentences/writeSentence.ts';
import { en, type PhraseKey, type Phrases } from './phrases/en.ts';
import { es } from './phrases/es.ts';
import { ru } from './phrases/ru.ts';
import { zh } from './phrases/zh.ts';

/** The sentences of each language. */
export const PHRASES: Readonly<Record<Language, Phrases>> = { en, ru, es, zh };

/** Whether there is a phrase of this name. */
export const isPhrase = (name: string): name is PhraseKey => Object.hasOwn(en, name);

/**
 * One sentence. Its plural form is chosen by the number `n`; numbers are written as the language writes them.
 * @throws Error where a placeholder has no value: a bug.
 */
export const say = (
  language: Language,
  key: PhraseKey,
  values: Readonly<Record<string, string | number>> = {},
): string => {
  const phrase = PHRASES[language][key];
  const text =
    typeof phrase === 'string'
      ? phrase
      : (phrase[new Intl.PluralRules(language).select(Number(values['n']))] ?? phrase.other);
  return fillTemplate(text ?? '', values, language);
};
