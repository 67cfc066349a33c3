import type { Hex } from '../chain/block.ts';
import { type KnownToken, knownChains, knownTokenAt, knownTokens } from './knownTokens.ts';
import { looksLike } from './readable.ts';

/**
 * Characters that look like a Latin letter, by that letter, in addition to Unicode Technical Standard 39
 * (`artifacts/confusables.ts`): small and capital forms that the standard distinguishes, and digits.
 */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  a: 'аαɑ∂ӑӓάǎăāą',
  b: 'ЬвьβƄВВΒʙб',
  c: 'сϲСᴄϹçćč¢',
  d: 'ԁԀɗđďᴅ',
  e: 'еєЕΕεҽёэēėęěɇ',
  f: 'ғϝƒҒ',
  g: 'ɡցԌɢğģġ',
  h: 'һНΗհᏂʜ',
  i: 'іΙІıιɩӏ|!1lίïīíìľłŀḷ',
  j: 'јЈϳʝ',
  k: 'кКΚκķᴋ',
  m: 'мМΜᴍ',
  n: 'пΝηńňņɴռ',
  o: 'оОΟοօ0σøōőóòöⲟ',
  p: 'рРΡρрᴘþ',
  q: 'ԛգɋ',
  r: 'гѓʀŕřŗᴦ',
  s: 'ѕЅ5$ꜱşšśș',
  t: 'тТΤτţťțᴛ†',
  u: 'υսцµμūůűųʋ',
  v: 'νѵѴᴠ',
  w: 'ԝԜωшɯŵ',
  x: 'хХΧχ×',
  y: 'уУΥүγýÿʏ',
  z: 'ᴢΖžźżʐ',
};

const LATIN_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOKS_LIKE).flatMap(([latin, others]) =>
    Array.from(others, (other) => [other, latin] as const),
  ),
);

const latinOf = (letter: string): string =>
  LATIN_OF.get(letter) ?? looksLike(letter)?.toLowerCase() ?? letter;

/** Marks above and below letters, invisible characters, spaces and punctuation. */
const IGNORED = /[\p{M}\p{Cf}\p{Cc}\p{Z}\p{P}]/gu;

/**
 * How a text reads at a glance: texts that look alike have the same skeleton. A skeleton may only be compared with
 * other skeletons; it is not for display.
 */
export const confusableSkeleton = (text: string): string => {
  const letters = text.normalize('NFKC').replace(/\p{Cf}/gu, '');
  const latin = Array.from(letters, latinOf).join('');
  const lower = latin.normalize('NFKD').toLowerCase();
  return Array.from(lower, latinOf).join('').replace(IGNORED, '');
};

/** Plain characters that people confuse; capital I is not confused with small i, nor L with l. */
const GLANCE: Readonly<Record<string, string>> = {
  I: '|',
  l: '|',
  '1': '|',
  '!': '|',
  '0': 'o',
  '5': 's',
  $: 's',
};

/**
 * How a text of plain ASCII reads at a glance. Stricter than `confusableSkeleton`, which ignores case: LDO and IDO
 * are two honest tokens, but DAl imitates DAI.
 */
const asciiGlance = (text: string): string =>
  Array.from(text, (letter) => GLANCE[letter] ?? letter.toLowerCase())
    .join('')
    .replace(IGNORED, '');

/** How a token resembles a known one. */
interface LookAlike {
  readonly known: KnownToken;
  /**
   * `disguised`: reads the same but uses other characters. `sameChain`: name and symbol of a token of this chain at
   * another address. `symbolOnly`: the same symbol, as bridged tokens have.
   */
  readonly kind: 'disguised' | 'sameChain' | 'symbolOnly';
}

/** Many tokens put a `$` before their symbol. */
const withoutSign = (text: string): string => text.replace(/^\$+/, '');

/** Spaces and punctuation are no disguise: every comparison ignores them. */
const plain = (text: string): string =>
  withoutSign(text)
    .normalize('NFKC')
    .replace(/[\p{Z}\p{P}]/gu, '')
    .toLowerCase();

const ASCII = /^[ -~]*$/;

/** A text prepared for comparison: each of its readings is computed once. */
interface Reading {
  readonly isAscii: boolean;
  readonly plain: string;
  readonly glance: string;
  readonly skeleton: string;
}

const read = (text: string): Reading => ({
  isAscii: ASCII.test(text),
  plain: plain(text),
  glance: asciiGlance(withoutSign(text)),
  skeleton: confusableSkeleton(text),
});

const disguises = (written: Reading, known: Reading): boolean => {
  if (written.plain === known.plain) return false;
  return written.isAscii ? written.glance === known.glance : written.skeleton === known.skeleton;
};

/** Symbols of one or two letters resemble too many others to mean anything. */
const SYMBOL_CHARS_MIN = 3;

/** Known tokens, prepared for comparison. */
const ALL = knownChains().flatMap((chainId) =>
  knownTokens(chainId).map((known) => {
    return { chainId, known, name: read(known.name), symbol: read(known.symbol) };
  }),
);
const ANYWHERE = ALL.filter(({ known }) => known.symbol.length >= SYMBOL_CHARS_MIN);

/** Whether the token is in its chain's list. */
const isKnown = (chainId: number, address: Hex): boolean =>
  knownTokenAt(chainId, address) !== undefined;

/** The known token that this one imitates; undefined for a known token and for most others. */
export const lookAlike = (token: {
  chainId: number;
  address: Hex;
  name: string;
  symbol: string;
}): LookAlike | undefined => {
  if (isKnown(token.chainId, token.address)) return undefined;
  const [name, symbol] = [read(token.name), read(token.symbol)];
  const disguised = ANYWHERE.find(
    (one) => disguises(name, one.name) || disguises(symbol, one.symbol),
  );
  if (disguised) return { known: disguised.known, kind: 'disguised' };
  const shares = (one: (typeof ALL)[number]): boolean => one.symbol.plain === symbol.plain;
  const copied = ALL.find(
    (one) => one.chainId === token.chainId && shares(one) && one.name.plain === name.plain,
  );
  if (copied) return { known: copied.known, kind: 'sameChain' };
  const shared = ANYWHERE.find(shares);
  return shared && { known: shared.known, kind: 'symbolOnly' };
};
