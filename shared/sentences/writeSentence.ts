import { en } from './en.ts';
import { es } from './es.ts';
import { FORMATS, type NumericKind } from './formats.ts';
import type { Language } from './language.ts';
import { ru } from './ru.ts';
import type { Sentence, SentenceCode, SentenceValue } from './sentence.ts';
import { zh } from './zh.ts';

/** The templates of each language. */
export const TEMPLATES: Readonly<Record<Language, Readonly<Record<SentenceCode, string>>>> = {
  en,
  ru,
  es,
  zh,
};

const BETWEEN: Readonly<Record<Language, string>> = { en: '; ', ru: '; ', es: '; ', zh: '；' };

const isNumeric = (kind: string): kind is NumericKind =>
  kind === 'number' ||
  kind === 'percent' ||
  kind === 'seconds' ||
  kind === 'usd' ||
  kind === 'time';

const written = (value: SentenceValue, kind: string, language: Language): string => {
  const formats = FORMATS[language];
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formats[isNumeric(kind) ? kind : 'number'](value);
  if ('code' in value) return writeSentence(value, language);
  return kind === 'list'
    ? formats.list(value as readonly string[])
    : (value as readonly Sentence[])
        .map((one) => writeSentence(one, language))
        .join(BETWEEN[language]);
};

/**
 * A template with its values. They are put in once: what is in them is never taken for a placeholder.
 * @throws Error where a placeholder has no value: a bug.
 */
export const fillTemplate = (
  template: string,
  values: Readonly<Record<string, SentenceValue>>,
  language: Language,
): string =>
  template.replace(
    /\{(\w+)(?::(\w+))?\}/g,
    (placeholder, name: string, kind: string | undefined) => {
      const value = values[name];
      if (value === undefined) throw new Error(`${placeholder} of “${template}” has no value`);
      return written(value, kind ?? 'text', language);
    },
  );

/** A sentence in a language. */
export const writeSentence = ({ code, values = {} }: Sentence, language: Language): string =>
  fillTemplate(TEMPLATES[language][code], values, language);
