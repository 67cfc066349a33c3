import type { Formats, Formatters } from 'intl-messageformat';
import type { Language } from './language.ts';

const DECIMALS_MAX = 2;
/** Units of a duration, largest first, in seconds. */
const DURATION_UNITS = [
  { unit: 'day', s: 86_400 },
  { unit: 'hour', s: 3_600 },
  { unit: 'minute', s: 60 },
  { unit: 'second', s: 1 },
] as const;
/** From here on, some language has no short word for the number. */
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

/** `{n, number}` of a message: no sign before a zero that is the result of rounding. */
const PLAIN = { maximumFractionDigits: DECIMALS_MAX, signDisplay: 'negative' } as const;
/** Styles after `number` in a message: `percent` takes a share from 0 to 1, `usd` US dollars. */
const NUMBERS = {
  percent: { style: 'percent', maximumFractionDigits: DECIMALS_MAX },
  usd: { style: 'currency', currency: 'USD' },
  seconds: { style: 'unit', unit: 'second' },
} as const;
/** `{time, date, moment}` of a message takes Unix milliseconds; written in UTC. */
const MOMENT = {
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
  timeZoneName: 'short',
} as const;

/** The value formats that messages can name. */
export const MESSAGE_FORMATS: Partial<Formats> = { number: NUMBERS, date: { moment: MOMENT } };

const kept = <Format>(make: (language: string, style: object) => Format) => {
  const made = new Map<string, Format>();
  return (language: unknown, style: object = PLAIN): Format => {
    const key = `${String(language)} ${JSON.stringify(style)}`;
    const known = made.get(key);
    if (known) return known;
    const format = make(String(language), style);
    made.set(key, format);
    return format;
  };
};
/** Creates each formatter once: creating one takes a hundred times longer than formatting a value. */
export const FORMATTERS: Formatters = {
  getNumberFormat: kept((language, style) => new Intl.NumberFormat(language, style)),
  getDateTimeFormat: kept((language, style) => new Intl.DateTimeFormat(language, style)),
  getPluralRules: kept((language, style) => new Intl.PluralRules(language, style)),
};

const formatsOf = (language: Language) => {
  const number = new Intl.NumberFormat(language, PLAIN);
  const percent = new Intl.NumberFormat(language, NUMBERS.percent);
  const dollars = new Intl.NumberFormat(language, NUMBERS.usd);
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
  const seconds = new Intl.NumberFormat(language, NUMBERS.seconds);
  const list = new Intl.ListFormat(language);
  const time = new Intl.DateTimeFormat(language, MOMENT);
  return {
    number: (value: number): string => number.format(value),
    /** A share from 0 to 1. */
    percent: (share: number): string => percent.format(share),
    /** A relative change of a value, with its sign. */
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
    /** A time, Unix milliseconds, in UTC. */
    time: (ms: number): string => time.format(ms),
    list: (items: readonly string[]): string => list.format(items),
  };
};

/** How values are written in each language. */
export const FORMATS: Readonly<Record<Language, ReturnType<typeof formatsOf>>> = {
  en: formatsOf('en'),
  ru: formatsOf('ru'),
  es: formatsOf('es'),
  zh: formatsOf('zh'),
};
