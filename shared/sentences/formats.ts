import type { Language } from './language.ts';

const DECIMALS_MAX = 2;

const formatsOf = (language: Language) => {
  const number = new Intl.NumberFormat(language, {
    maximumFractionDigits: DECIMALS_MAX,
    // No sign before a zero that something small was rounded to.
    signDisplay: 'negative',
  });
  const percent = new Intl.NumberFormat(language, {
    style: 'percent',
    maximumFractionDigits: DECIMALS_MAX,
  });
  const dollars = new Intl.NumberFormat(language, { style: 'currency', currency: 'USD' });
  const seconds = new Intl.NumberFormat(language, { style: 'unit', unit: 'second' });
  const list = new Intl.ListFormat(language);
  const time = new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
    timeZoneName: 'short',
  });
  return {
    number: (value: number): string => number.format(value),
    /** A share from 0 to 1. */
    percent: (share: number): string => percent.format(share),
    /** US dollars. */
    usd: (dollarsValue: number): string => dollars.format(dollarsValue),
    seconds: (value: number): string => seconds.format(value),
    /** A moment, Unix milliseconds, in UTC. */
    time: (ms: number): string => time.format(ms),
    list: (items: readonly string[]): string => list.format(items),
  };
};

/** Kinds of values that are numbers. */
export type NumericKind = Exclude<keyof ReturnType<typeof formatsOf>, 'list'>;

/** How values are written in each language. */
export const FORMATS: Readonly<Record<Language, ReturnType<typeof formatsOf>>> = {
  en: formatsOf('en'),
  ru: formatsOf('ru'),
  es: formatsOf('es'),
  zh: formatsOf('zh'),
};
