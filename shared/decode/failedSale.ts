import type { Hex } from '../chain/block.ts';
import type { FailedSaleFact } from '../chain/fact.ts';
import type { VerifiedTransaction } from './rawBlock.ts';

/** Characters before the first argument of a call: `0x` and its selector. */
const SELECTOR_END = 10;
/** Digits of an argument. */
const WORD = 64;
/**
 * An argument that is an address: twelve zero bytes, then a number of at least 2^112, which token amounts stay below.
 */
const ADDRESS_WORD = /^0{24}(?!0{12})[0-9a-f]{40}$/;
/** Leading zero digits of an address in a word. */
const PADDING = 24;

/**
 * Router functions that begin with two tokens but do not swap: liquidity functions of Uniswap V2 (three) and Solidly.
 */
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
 * The first two consecutive addresses in the arguments of a call, excluding its sender and recipient. Routers pass a
 * path in this way (an array of addresses), or the input and output tokens. Packed paths of Uniswap V3 are not found.
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
 * The sale that a transaction attempted: it failed, sent no value, and its calldata contains a path of tokens, of
 * which the first is sold. Readers must check whether that is a token, and whether the called contract is a router.
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
