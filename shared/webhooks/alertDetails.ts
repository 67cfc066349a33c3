import { ZERO_ADDRESS } from '../chain/block.ts';
import type alertsJson from '../locales/en/alerts.json';
import type { Alert } from '../messages/alertMessage.ts';
import { TIME_MS_MAX } from '../rules/isoTime.ts';
import { FORMATS } from '../sentences/formats.ts';
import type { Language } from '../sentences/language.ts';
import { type Messages, readGroups } from '../sentences/messages.ts';
import { DETAIL_KINDS, type DetailKind } from './alertDetailKinds.ts';
import { plainName } from './plainName.ts';

/** A detail of an alert in readable form. Plain text: pages and chats must still escape it for their markup. */
export interface ReadableDetail {
  /** `text`: a detail of an alert from another release, or a value of an unexpected type. */
  readonly kind: DetailKind | 'text';
  readonly label: string;
  readonly text: string;
}

/** Details that one line shows. */
const LINE_DETAILS_MAX = 2;
/** Kinds that only give a location, or mean nothing without the token's decimals. */
const TO_LOOK_UP: ReadonlySet<ReadableDetail['kind']> = new Set([
  'contract',
  'transaction',
  'block',
  'lock',
  'units',
]);
/** Kinds whose values are hexadecimal or ids, shown unchanged. */
const IDENTIFIERS: Partial<Record<DetailKind, RegExp>> = {
  address: /^0x[\da-f]{40}$/,
  contract: /^0x(?:[\da-f]{40}|[\da-f]{64})$/,
  transaction: /^0x[\da-f]{64}$/,
  ring: /^[\w-]{1,64}$/,
};

const NAMES: Messages<keyof typeof DETAIL_KINDS> = readGroups(
  'alerts',
  ({ details = {} }) => details,
);
const WORDS: Messages<string> = readGroups('alerts', ({ words = {} }) => words);
/** The texts around values. */
const AROUND: Messages<keyof (typeof alertsJson)['values']> = readGroups(
  'alerts',
  ({ values = {} }) => values,
);

const say = (
  phrase: (typeof AROUND.keys)[number],
  language: Language,
  values: Readonly<Record<string, string>> = {},
): string => AROUND.say(language, phrase, values);

/** Number formats of each kind; values of other kinds are not numbers. */
const NUMBERS: Partial<Record<DetailKind, (value: number, language: Language) => string>> = {
  share: (value, language) => FORMATS[language].percent(value),
  change: (value, language) => FORMATS[language].change(value),
  points: (value, language) =>
    say('points', language, { n: FORMATS[language].signed(value * 100) }),
  usd: (value, language) => FORMATS[language].usd(value),
  duration: (value, language) => FORMATS[language].duration(value),
  time: (value, language) =>
    FORMATS[language].time(Math.max(0, Math.min(value * 1_000, TIME_MS_MAX))),
  score: (value, language) =>
    say('score', language, { n: FORMATS[language].number(Math.round(value)) }),
  number: (value, language) => FORMATS[language].number(value),
  block: String,
};

/** Text formats of each kind; undefined if a value is not of that kind. */
const writtenText = (kind: DetailKind, value: string, language: Language): string | undefined => {
  if (kind === 'word') return WORDS.find(language, value);
  // Locker, number, asset and position.
  if (kind === 'lock') return /^0x[\da-f]{40}:(\d+):/.exec(value)?.[1];
  if (kind === 'units' && /^\d{1,100}$/.test(value)) return FORMATS[language].amount(Number(value));
  return IDENTIFIERS[kind]?.test(value) ? value : undefined;
};

type Value = Alert['details'][string];

/** The kind with which a value is shown, and its format; undefined if the value does not match its name. */
const written = (
  kind: DetailKind,
  value: Value,
  language: Language,
): Pick<ReadableDetail, 'kind' | 'text'> | undefined => {
  if (value === null) return { kind: 'word', text: say('unknown', language) };
  if (value === ZERO_ADDRESS) return { kind: 'word', text: say('nobody', language) };
  const text =
    typeof value === 'number'
      ? NUMBERS[kind]?.(value, language)
      : writtenText(kind, String(value), language);
  return text === undefined ? undefined : { kind, text };
};

const isKnown = (name: string): name is keyof typeof DETAIL_KINDS =>
  Object.hasOwn(DETAIL_KINDS, name);

const readable = (name: string, value: Value, language: Language): ReadableDetail => {
  const shown = plainName(String(value));
  if (!isKnown(name))
    return { kind: 'text', label: plainName(name.replaceAll('_', ' ')), text: shown };
  const label = NAMES.say(language, name);
  return {
    label,
    ...(written(DETAIL_KINDS[name], value, language) ?? { kind: 'text', text: shown }),
  };
};

/**
 * The details of an alert in a language, most significant first. An alert without a transaction has no line about
 * one.
 */
export const readableDetails = (
  details: Alert['details'],
  language: Language,
): ReadableDetail[] => {
  const known = Object.keys(DETAIL_KINDS).filter((name) => Object.hasOwn(details, name));
  const others = Object.keys(details).filter((name) => !isKnown(name));
  return [...known, ...others]
    .map((name) => ({ name, value: details[name] ?? null }))
    .filter(({ name, value }) => name !== 'tx_hash' || value !== null)
    .map(({ name, value }) => readable(name, value, language));
};

/** `Change of the liquidity: -97%`: what happened, without details that only give a location. */
export const detailLines = (details: Alert['details'], language: Language): string[] =>
  readableDetails(details, language)
    .filter(({ kind }) => !TO_LOOK_UP.has(kind))
    .map(({ label, text }) => say('fact', language, { label, text }));

/** The most significant details in one line; empty if there are none. */
export const detailLine = (details: Alert['details'], language: Language): string =>
  detailLines(details, language).slice(0, LINE_DETAILS_MAX).join(' · ');

/** The path of the page that an alert is about: that of a wallet, if a wallet is in the token's place. */
export const alertPath = (address: string, details: Alert['details']): string =>
  `/${details['wallet'] === address ? 'wallet' : 'token'}/${address}`;
