import type { Hex } from '../../../shared/chain/block.ts';

const WORD_DIGITS = 64;
const WORDS = /^0x(?:[0-9a-fA-F]{64})+$/;

/** A call's data: a selector, then addresses and unsigned numbers as ABI words of 32 bytes. */
export const encodeCall = (selector: Hex, ...values: readonly (Hex | bigint)[]): Hex => {
  const words = values.map((value) =>
    (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(WORD_DIGITS, '0'),
  );
  return `${selector}${words.join('')}`;
};

/**
 * The first `count` words of an answer as numbers; undefined where it has fewer or is not
 * hexadecimal. What follows them is ignored, as contracts that read an answer do.
 */
export const decodeWords = (answer: string, count: number): bigint[] | undefined => {
  const head = answer.slice(0, 2 + count * WORD_DIGITS);
  if (head.length < 2 + count * WORD_DIGITS || !WORDS.test(head)) return undefined;
  return Array.from({ length: count }, (_, i) =>
    BigInt(`0x${head.slice(2 + i * WORD_DIGITS, 2 + (i + 1) * WORD_DIGITS)}`),
  );
};
