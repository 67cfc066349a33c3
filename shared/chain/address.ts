import type { Hex } from './block.ts';

/**
 * Right side of `column IN (…)` for a bound list of addresses. A subquery, because ClickHouse does not use the
 * primary key for a list computed by functions.
 * @param name the query parameter, bound with `addressParam`.
 */
export const inAddresses = (name: string): string =>
  `(SELECT toFixedString(unhex(arrayJoin({${name}:Array(String)})), 20))`;

/** Right side of `column = …` for one bound address. */
export const asAddress = (name: string): string => `toFixedString(unhex({${name}:String}), 20)`;

/** An address in the form that both SQL fragments expect. */
export const addressParam = (address: Hex): string => address.slice(2);

/** The address encoded by a number of at most 160 bits. */
export const addressOfNumber = (number: bigint): Hex =>
  `0x${number.toString(16).padStart(40, '0')}`;

/** The address in the last 20 bytes of a word or a hash. */
export const addressAtEnd = (word: string): Hex => `0x${word.slice(-40)}`;

/** An address as a 32-byte word, as in arguments and topics. */
export const addressWord = (address: string): Hex => `0x${address.slice(2).padStart(64, '0')}`;

/** An address as users write it: in any letter case, including the prefix. */
export const ADDRESS_TEXT = /^0[xX][0-9a-fA-F]{40}$/;
/** The error for a text that is not an address. */
export const ADDRESS_RULE = 'must be an address: 0x and 40 hexadecimal digits';
