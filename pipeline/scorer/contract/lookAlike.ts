import type { Hex } from '../../../shared/chain/block.ts';
import { confusableSkeleton } from './confusables.ts';
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

/** Spaces and punctuation disguise nothing: they are left out of every comparison. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\p{Z}\p{P}]/gu, '')
    .toLowerCase();

const disguises = (written: string, known: string): boolean =>
  plain(written) !== plain(known) && confusableSkeleton(written) === confusableSkeleton(known);

/** Symbols of one or two letters resemble too much to say anything. */
const SYMBOL_CHARS_MIN = 3;

/** The known token that this one could be taken for; undefined for a known one and for most others. */
export const lookAlike = (token: {
  chainId: number;
  address: Hex;
  name: string;
  symbol: string;
}): LookAlike | undefined => {
  const here = knownTokens(token.chainId);
  if (here.some(({ address }) => address === token.address)) return undefined;
  const anywhere = knownTokensAnywhere().filter(({ symbol }) => symbol.length >= SYMBOL_CHARS_MIN);
  const disguised = anywhere.find(
    ({ name, symbol }) => disguises(token.symbol, symbol) || disguises(token.name, name),
  );
  if (disguised) return { known: disguised, kind: 'disguised' };
  const sameSymbol = (known: KnownToken): boolean => plain(known.symbol) === plain(token.symbol);
  const copied = here.find((known) => sameSymbol(known) && plain(known.name) === plain(token.name));
  if (copied) return { known: copied, kind: 'sameChain' };
  const shared = anywhere.find(sameSymbol);
  return shared ? { known: shared, kind: 'symbolOnly' } : undefined;
};
