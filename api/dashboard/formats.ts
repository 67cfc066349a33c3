import Bowser from 'bowser';
import type { Alert } from '../../shared/messages/alertMessage.ts';
import { adviceOf } from '../../shared/rules/advice.ts';
import { LANGUAGES, type Language } from '../../shared/sentences/language.ts';
import { alertPath, detailLine, readableDetails } from '../../shared/webhooks/alertDetails.ts';
import { type AlertPhrase, alertPhrase } from '../../shared/webhooks/alertPhrases.ts';
import { phrasesIn } from './phrases.ts';

const HOUR_MS = 3_600_000;
const STEPS = [
  { ms: 86_400_000, unit: 'd' },
  { ms: HOUR_MS, unit: 'h' },
  { ms: 60_000, unit: 'min' },
  { ms: 1_000, unit: 's' },
] as const;

/** Smaller amounts are dust, and shown as zero. */
const DOLLARS_MIN = 0.01;

/**
 * Invisible characters and those that change the direction of the following text: a name with them could pose as
 * another. Unicode TR 36, section 2.5.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu;

/** Formats that are the same in every language. */
const COMMON = {
  address: (address: string): string => `${address.slice(0, 8)}…${address.slice(-6)}`,
  time: (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, 16),
  isoTime: (ms: number): string => new Date(ms).toISOString(),
  alertPath: ({ token, details }: Pick<Alert, 'token' | 'details'>): string =>
    alertPath(token.address, details),
  /** Colour of a verdict: only a clear token with a confidence is green. */
  tone: (verdict: Parameters<typeof adviceOf>[0]): 'bad' | 'unclear' | 'good' => {
    const { advice } = adviceOf(verdict);
    return ({ avoid: 'bad', wait: 'unclear', no_finding: 'good' } as const)[advice];
  },
  /** `check:token_age` and `tokenAge` as words. */
  words: (name: string): string =>
    name
      .replace(/^[a-z]+:/, '')
      .replaceAll('_', ' ')
      .replace(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
};

const numbersIn = (language: Language) => {
  const compact = new Intl.NumberFormat(language, {
    notation: 'compact',
    maximumFractionDigits: 1,
  });
  const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
  const precise = new Intl.NumberFormat(language, { maximumSignificantDigits: 4 });
  const usd = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
  const percent = new Intl.NumberFormat(language, { style: 'percent' });
  const dollars = new Intl.NumberFormat(language, {
    ...usd,
    notation: 'compact',
    minimumFractionDigits: 0,
    maximumFractionDigits: 1,
  });
  const price = new Intl.NumberFormat(language, {
    ...usd,
    minimumFractionDigits: 0,
    maximumFractionDigits: 20,
    maximumSignificantDigits: 4,
  });
  return {
    /** A share from 0 to 1. */
    percent: (share: number): string => percent.format(share),
    whole: (value: number): string => whole.format(value),
    compact: (value: number): string => compact.format(value),
    number: (value: number): string => precise.format(value),
    dollars: (value: number): string => dollars.format(Math.abs(value) < DOLLARS_MIN ? 0 : value),
    /** US dollars per token, which may be a tiny number. */
    price: (value: number): string => price.format(value),
    signed: (value: number): string => `${value > 0 ? '+' : ''}${precise.format(value)}`,
  };
};

const inLanguage = (language: Language) => {
  const say = phrasesIn(language);
  /** How long something lasted. */
  const span = (ms: number): string => {
    const step = STEPS.find((each) => ms >= each.ms);
    return step ? `${Math.floor(ms / step.ms)} ${say(`unit_${step.unit}`)}` : `0 ${say('unit_s')}`;
  };
  /** A text chosen by somebody else, such as the name of a token. */
  const foreign = (text: string, lengthMax = 64): string => {
    const seen = text.replace(UNSEEN, '\ufffd').trim();
    const letters = Array.from(seen);
    if (letters.length === 0) return say('noName');
    return letters.length > lengthMax ? `${letters.slice(0, lengthMax).join('')}…` : seen;
  };
  return {
    ...COMMON,
    ...numbersIn(language),
    /** The type of an alert, its severity, or its recommendation. */
    alert: (name: AlertPhrase): string => alertPhrase(language, name),
    details: (details: Alert['details']) => readableDetails(details, language),
    /** The most significant details of an alert. */
    detailLine: (details: Alert['details']): string => detailLine(details, language),
    /** The name of an alert's token, or its short address while it has no symbol. */
    called: ({ name, symbol }: Alert['token']): string => foreign(symbol || name, 24),
    span,
    ago: (ms: number, nowMs: number): string =>
      nowMs - ms < 1_000 ? say('justNow') : say('ago', { span: span(nowMs - ms) }),
    foreign,
    /**
     * The browser and operating system in a user agent, if it names them. Versions of systems are left out because
     * browsers send outdated ones.
     */
    browser: (userAgent: string): string => {
      const { browser, os } = Bowser.parse(userAgent || 'unknown');
      if (!browser.name || !os.name) return foreign(userAgent, 60);
      const [version = ''] = browser.version?.split('.') ?? [];
      return say('browserOn', {
        browser: foreign(`${browser.name} ${version}`, 32),
        system: foreign(os.name, 32),
      });
    },
    /** The word of a verdict. */
    verdict: (verdict: Parameters<typeof adviceOf>[0]): string => {
      const { prediction } = verdict;
      const isClear = adviceOf(verdict).certainty === 'clear';
      return isClear ? prediction : say('unclearVerdict', { verdict: prediction });
    },
  };
};

/** How values are written on pages, by language. All functions return plain text, which templates escape. */
export const FORMATS = Object.fromEntries(
  LANGUAGES.map((language) => [language, inLanguage(language)]),
) as Readonly<Record<Language, ReturnType<typeof inLanguage>>>;
