import type { Hex } from '../../../shared/chain/block.ts';
import { asciiGlance, confusableSkeleton } from './confusables.ts';
import { type KnownToken, knownTokens, knownTokensAnywhere } from './knownTokens.ts';

/** How a token resembles a known one. */
export interface LookAlike {
  readonly known: KnownToken;
  /**
   * `disguised`: reads the same but is written with other characters. `sameChain`: name and symbol of
   * a token of this chain at another address. `symbolOnly`: shares the symbol, as bridged tokens do.
   */
  readonly kind: 'disguised' | 'sameChain' | 'symbolOnly';
}

/** Many write the sign of a ticker before their symbol. */
const withoutSign = (text: string): string => text.replace(/^\$+/, '');

/** Spaces and punctuation disguise nothing: they are left out of every comparison. */
const plain = (text: string): string =>
  withoutSign(text)
    .normalize('NFKC')
    .replace(/[\p{Z}\p{P}]/gu, '')
    .toLowerCase();

const ASCII = /^[ -~]*$/;

/** A text as it is compared: each way of reading it is made once. */
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

/** A known token with its texts as they are compared. */
interface ReadToken {
  readonly known: KnownToken;
  readonly name: Reading;
  readonly symbol: Reading;
}

const readToken = (known: KnownToken): ReadToken => ({
  known,
  name: read(known.name),
  symbol: read(known.symbol),
});

/** Symbols of one or two letters resemble too much to say anything. */
const SYMBOL_CHARS_MIN = 3;

const ANYWHERE: readonly ReadToken[] = knownTokensAnywhere()
  .filter(({ symbol }) => symbol.length >= SYMBOL_CHARS_MIN)
  .map(readToken);

/** The known token that this one could be taken for; undefined for a known one and for most others. */
export const lookAlike = (token: {
  chainId: number;
  address: Hex;
  name: string;
  symbol: string;
}): LookAlike | undefined => {
  const here = knownTokens(token.chainId);
  if (here.some(({ address }) => address === token.address)) return undefined;
  const [name, symbol] = [read(token.name), read(token.symbol)];
  const disguised = ANYWHERE.find(
    (one) => disguises(symbol, one.symbol) || disguises(name, one.name),
  );
  if (disguised) return { known: disguised.known, kind: 'disguised' };
  const copied = here.find(
    (known) => plain(known.symbol) === symbol.plain && plain(known.name) === name.plain,
  );
  if (copied) return { known: copied, kind: 'sameChain' };
  const shared = ANYWHERE.find((one) => one.symbol.plain === symbol.plain);
  return shared ? { known: shared.known, kind: 'symbolOnly' } : undefined;
};
