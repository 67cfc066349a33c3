import type { Hex } from '../../../shared/chain/block.ts';
import { lookAlike } from '../../../shared/names/lookAlike.ts';
import { readable, readableLetters } from '../../../shared/names/readable.ts';
import { type NameField, type NameSign, type SignId, signsOf } from './nameSigns.ts';

/** A token's name and symbol, with its identity: chain and address only tell whether it is the listed token. */
export interface TokenName {
  /** 0 for a chain whose tokens are not listed. */
  readonly chainId: number;
  readonly address: Hex;
  readonly name: string;
  readonly symbol: string;
}

/** The inputs of the model. */
export interface NameFeatures {
  readonly signs: readonly NameSign[];
  /** Properties of the token, by name: `symbol:domain`, `relation:same`, … Each counts once. */
  readonly facts: readonly string[];
}

/** A linear model of log-odds: the weight of each property. */
export interface NameWeights {
  readonly name: string;
  /** Share of spam in the training data: the prior that the bias contains. */
  readonly spamShare: number;
  /** Probability that 1 % of listed tokens reach if their names are new to the model. */
  readonly alarmFrom: number;
  readonly bias: number;
  readonly weights: Readonly<Record<string, number>>;
}

/** Longer texts contain nothing new, and cost time. */
const TEXT_CHARS_MAX = 160;
/** Explorers and lists truncate long texts with dots, which the token itself does not have. */
const CUT_OFF = /(?:\.{3}|\u2026)$/u;

const CHARS_FROM = [0, 1, 2, 4, 6, 8, 12, 16, 24, 40];
const WORDS_MAX = 6;
const WORD_ENDS = /[^\p{L}\p{N}]+/u;

const wordsOf = (text: string): string[] => text.split(WORD_ENDS).filter((word) => word !== '');

/** Properties of a text that do not depend on its meaning. */
const SHAPES: Readonly<Record<string, (text: string) => boolean>> = {
  blank: (text) => readable(text) === '',
  digits: (text) => /\d/.test(text),
  brackets: (text) => /[()[\]{}<>|]/.test(text),
  spaces: (text) => /\s/.test(text),
  lowerCase: (text) => text === text.toLowerCase(),
  upperCase: (text) => text === text.toUpperCase(),
  otherAlphabet: (text) => /[^\p{ASCII}]/u.test(text),
  punctuation: (text) => /[!?*~#:,;]/.test(text),
  trailingDots: (text) => /\w\.+$/.test(text),
};

const shapeOf = (field: NameField, text: string): string[] => {
  const chars = Array.from(text).length;
  return [
    `${field}:from${CHARS_FROM.findLast((least) => chars >= least)}Chars`,
    `${field}:${Math.min(wordsOf(text).length, WORDS_MAX)}Words`,
    ...Object.keys(SHAPES).flatMap((key) => (SHAPES[key]?.(text) ? [`${field}:${key}`] : [])),
  ];
};

/** How the symbol is derived from the name. */
const relationOf = (name: string, symbol: string): string => {
  if (name === symbol) return 'same';
  const [long, short] = [readableLetters(name), readableLetters(symbol)];
  if (long === short) return 'sameLetters';
  if (short !== '' && long.includes(short)) return 'symbolWithinName';
  if (long !== '' && short.includes(long)) return 'nameWithinSymbol';
  const initials = wordsOf(readable(name))
    .map((word) => word.slice(0, 1))
    .join('');
  if (initials.length > 1 && short.startsWith(initials)) return 'initials';
  return long.slice(0, 1) === short.slice(0, 1) ? 'sameStart' : 'none';
};

/** Signs of a request to the reader, and signs of a link to follow. */
export const ASKS: readonly SignId[] = ['visit', 'claim', 'pay', 'promise'];
export const LEADS: readonly SignId[] = ['domain', 'link', 'shortLink', 'contact'];

/** Names of chains' native currencies: no contract is one of them. */
const NATIVE = new Set([
  'eth',
  'ether',
  'ethereum',
  'bnb',
  'btc',
  'bitcoin',
  'matic',
  'pol',
  'xdai',
]);

/** Leading and trailing spaces are removed: lists trim them, chains do not. */
const textOf = (text: string): string =>
  text.slice(0, TEXT_CHARS_MAX).trim().replace(CUT_OFF, '').trim();

/** All properties of a name that the model uses. Chain and address are not among them. */
export const nameFeatures = (token: TokenName): NameFeatures => {
  const name = textOf(token.name);
  const symbol = textOf(token.symbol);
  const signs = [...signsOf('name', name), ...signsOf('symbol', symbol)];
  const asks = ASKS.filter((ask) => signs.some(({ id }) => id === ask)).length;
  const leads = signs.some(({ id }) => LEADS.includes(id));
  const facts = [
    ...signs.map(({ field, id }) => `${field}:${id}`),
    ...shapeOf('name', name),
    ...shapeOf('symbol', symbol),
    `relation:${relationOf(name, symbol)}`,
    `likeness:${lookAlike({ ...token, name, symbol })?.kind ?? 'none'}`,
    `asks:${asks}${leads ? ':leads' : ''}`,
    ...(NATIVE.has(readableLetters(symbol)) ? ['symbol:native'] : []),
  ];
  return { signs, facts };
};
