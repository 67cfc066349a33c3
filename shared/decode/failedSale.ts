import type { Hex } from '../chain/block.ts';
import type { FailedSaleFact } from '../chain/fact.ts';
import type { VerifiedTransaction } from './rawBlock.ts';

/** Characters before the first argument of a call: `0x` and its selector. */
const SELECTOR_END = 10;
/** Digits of an argument. */
const WORD = 64;
/** An argument that is an address: twelve zero bytes, then no number below 2^112, which amounts of tokens may be. */
const ADDRESS_WORD = /^0{24}(?!0{12})[0-9a-f]{40}$/;
/** Zero bytes of an address in a word, as digits. */
const PADDING = 24;

/** Functions of routers that begin with two tokens, and swap none: of liquidity, of Uniswap V2 (three) and Solidly. */
export const LIQUIDITY_SELECTORS: ReadonlySet<string> = new Set([
  '0xe8e33700',
  '0xbaa2abde',
  '0x2195995c',
  '0x5a47ddc3',
  '0x0dede6c4',
]);

const addressAt = (input: Hex, at: number): Hex | undefined => {
  const word = input.slice(at, at + WORD);
  return ADDRESS_WORD.test(word) ? `0x${word.slice(PADDING)}` : undefined;
};

/**
 * The first two addresses that follow one another in the arguments of a call, its sender and recipient left out: how routers name a path (an
 * array of addresses), or the token that comes in and the one that goes out. Packed paths of Uniswap V3 are not found.
 */
const firstPathOf = (input: Hex, others: ReadonlySet<Hex>): Hex | undefined => {
  let before: Hex | undefined;
  for (let at = SELECTOR_END; at + WORD <= input.length; at += WORD) {
    const found = addressAt(input, at);
    const token = found && !others.has(found) ? found : undefined;
    if (before && token) return before;
    before = token;
  }
  return undefined;
};

/**
 * The sale that a transaction attempted: it failed, paid nothing, and its call names a path of tokens, of which the first is sold.
 * Whether that is a token, and what was called a router, is for readers to know.
 */
export const failedSaleOf = (transaction: VerifiedTransaction): FailedSaleFact | undefined => {
  const {
    hash: txHash,
    index: txIndex,
    from: seller,
    to: router,
    value,
    failedInput,
  } = transaction;
  if (router === null || failedInput === null || !/^0x0*$/.test(value)) return undefined;
  if (LIQUIDITY_SELECTORS.has(failedInput.slice(0, SELECTOR_END))) return undefined;
  const token = firstPathOf(failedInput, new Set([seller, router]));
  return token && { kind: 'failedSale', token, seller, router, txHash, txIndex };
};
