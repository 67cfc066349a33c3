import type { Language } from '../schema/tokenB.ts';
import { en, type PhraseKey, type Phrases } from './phrases/en.ts';
import { es } from './phrases/es.ts';
import { ru } from './phrases/ru.ts';
import { zh } from './phrases/zh.ts';

/** The sentences of each language. */
export const PHRASES: Readonly<Record<Language, Phrases>> = { en, ru, es, zh };

/** Values of placeholders. Numbers are written alike in every language. */
export type Values = Readonly<Record<string, string | number>>;

const DECIMALS = 2;

/** A number as reports write it: no grouping, a point, at most two decimals, in every language. */
export const plainNumber = (value: number): string => {
  const rounded = Number(value.toFixed(DECIMALS));
  // Very large numbers would turn to exponents; -0 to a sign without meaning.
  return rounded === 0
    ? '0'
    : rounded.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: DECIMALS });
};

/** A share from 0 to 1 as percents. */
export const percentOf = (share: number): string => plainNumber(share * 100);

/**
 * One sentence. Its plural form is chosen by the number `n`.
 * @throws Error where a placeholder has no value: a bug.
 */
export const say = (language: Language, key: PhraseKey, values: Values = {}): string => {
  const phrase = PHRASES[language][key];
  const text =
    typeof phrase === 'string'
      ? phrase
      : (phrase[new Intl.PluralRules(language).select(Number(values['n']))] ?? phrase.other);
  return (text ?? '').replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${key}: {${name}} has no value`);
    return typeof value === 'number' ? plainNumber(value) : value;
  });
};
