import { SENTENCES } from './checkWords.ts';
import { FORMATS } from './formats.ts';
import type { Language } from './language.ts';
import type { Sentence, SentenceValue } from './sentence.ts';

const BETWEEN: Readonly<Record<Language, string>> = { en: '; ', ru: '; ', es: '; ', zh: '；' };

const isTexts = (value: readonly (string | Sentence)[]): value is readonly string[] =>
  value.every((one) => typeof one === 'string');

const written = (value: SentenceValue, language: Language): string | number => {
  if (typeof value === 'string' || typeof value === 'number') return value;
  if ('code' in value) return writeSentence(value, language);
  if (isTexts(value)) return FORMATS[language].list(value);
  return value.map((one) => writeSentence(one, language)).join(BETWEEN[language]);
};

/**
 * A sentence in a language.
 * @throws Error if a value is missing: a bug.
 */
export const writeSentence = ({ code, values = {} }: Sentence, language: Language): string =>
  SENTENCES.say(
    language,
    code,
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, written(value, language)]),
    ),
  );
