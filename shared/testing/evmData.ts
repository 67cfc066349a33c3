import { keccak256 } from 'viem';
import type { Hex } from '../chain/block.ts';

const WORD_BITS = 256;
const WORD_DIGITS = 64;
const ADDRESS_DIGITS = 40;

/** The digits of a word; negative values as their complement. */
export const word = (value: bigint | number | Hex): string =>
  BigInt.asUintN(WORD_BITS, BigInt(value)).toString(16).padStart(WORD_DIGITS, '0');
/** A word as a topic, or as a hash. */
export const topicOf = (value: bigint | number | Hex): Hex => `0x${word(value)}`;
/** Words one after the other, as logs and calls carry them. */
export const dataOf = (...values: readonly (bigint | number | Hex)[]): Hex =>
  `0x${values.map(word).join('')}`;
/** The address with this number. */
export const addressOf = (value: bigint | number): Hex =>
  `0x${value.toString(16).padStart(ADDRESS_DIGITS, '0')}`;
/** The addresses with these numbers, for as many names. */
export const addressesOf = <const Values extends readonly (bigint | number)[]>(...values: Values) =>
  values.map(addressOf) as { -readonly [Place in keyof Values]: Hex };

/** What a call answers that returns a text of 32 bytes at the most. */
const textData = (text: string): Hex =>
  `${dataOf(32, text.length)}${Buffer.from(text).toString('hex').padEnd(WORD_DIGITS, '0')}`;

/** What a token answers, by selector: `name()`, `symbol()`, `decimals()` and `totalSupply()`. */
export const tokenAnswers = (
  name: string,
  symbol: string,
  supply: number,
): Readonly<Record<string, Hex>> => ({
  '0x06fdde03': textData(name),
  '0x95d89b41': textData(symbol),
  '0x313ce567': dataOf(18),
  '0x18160ddd': dataOf(supply),
});

const BLOOM_BYTES = 256;

/** The logs bloom that holds these addresses and topics (Yellow Paper, section 4.3.1). */
export const bloomOf = (values: Iterable<Hex>): Hex => {
  const bloom = Buffer.alloc(BLOOM_BYTES);
  for (const value of values) {
    // Thousands of logs set every bit long before the last.
    if (bloom.every((byte) => byte === 0xff)) break;
    const hash = Buffer.from(keccak256(value, 'bytes'));
    for (const at of [0, 2, 4]) {
      const bit = hash.readUInt16BE(at) & (BLOOM_BYTES * 8 - 1);
      const byte = BLOOM_BYTES - 1 - (bit >> 3);
      bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
    }
  }
  return `0x${bloom.toString('hex')}`;
};
