import type { Language } from './language.ts';

const DECIMALS_MAX = 2;
/** Units of a duration, the largest first, in seconds. */
const DURATION_UNITS = [
  { unit: 'day', s: 86_400 },
  { unit: 'hour', s: 3_600 },
  { unit: 'minute', s: 60 },
  { unit: 'second', s: 1 },
] as const;
/** From here on no language has a short word for the number. */
const COMPACT_MAX = 1e15;

const superscript = (digit: string): string => '⁰¹²³⁴⁵⁶⁷⁸⁹'.charAt(Number(digit));

const durationIn = (language: Language) => {
  const units = DURATION_UNITS.map(({ unit, s }) => ({
    s,
    format: new Intl.NumberFormat(language, {
      style: 'unit',
      unit,
      unitDisplay: 'long',
      maximumFractionDigits: 1,
    }),
  }));
  return (seconds: number): string => {
    const fitting = units.find(({ s }) => seconds >= s) ?? units.at(-1);
    return fitting ? fitting.format.format(seconds / fitting.s) : '';
  };
};

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
  const change = new Intl.NumberFormat(language, {
    style: 'percent',
    maximumFractionDigits: DECIMALS_MAX,
    signDisplay: 'exceptZero',
  });
  const signed = new Intl.NumberFormat(language, {
    maximumFractionDigits: DECIMALS_MAX,
    signDisplay: 'exceptZero',
  });
  const compact = new Intl.NumberFormat(language, {
    notation: 'compact',
    maximumSignificantDigits: 4,
  });
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
    /** A share by which something rose or fell, with its sign. */
    change: (share: number): string => change.format(share),
    signed: (value: number): string => signed.format(value),
    /** A number of any size, in few characters. */
    amount: (value: number): string => {
      if (Math.abs(value) < COMPACT_MAX) return compact.format(value);
      const [digits, power = ''] = value.toExponential(DECIMALS_MAX).split('e+');
      return `${number.format(Number(digits))} × 10${power.replace(/\d/g, superscript)}`;
    },
    /** US dollars. */
    usd: (dollarsValue: number): string => dollars.format(dollarsValue),
    seconds: (value: number): string => seconds.format(value),
    /** Seconds in the largest unit that fits. */
    duration: durationIn(language),
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
