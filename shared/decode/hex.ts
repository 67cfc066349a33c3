import type { Hex } from '../chain/block.ts';

const LOWER_HEX = /^0x[0-9a-f]*$/;

/**
 * Whether a value is `0x` and lower-case hexadecimal digits; if `length` is given, of that many characters in total.
 */
export const isLowerHex = (value: unknown, length?: number): value is Hex =>
  typeof value === 'string' &&
  (length === undefined || value.length === length) &&
  LOWER_HEX.test(value);

const ZERO_DIGIT = 48;

/** The digits of `hex` from `start` to `end`, as a quantity without leading zeros. */
export const quantityAt = (hex: string, start: number, end: number): Hex => {
  let first = start;
  while (first < end - 1 && hex.charCodeAt(first) === ZERO_DIGIT) first += 1;
  return `0x${hex.slice(first, end)}`;
};

const QUANTITY = /^0x[0-9a-fA-F]{1,16}$/;

/** A quantity as a number. NaN if it is not one, or too large to be exact. */
export const numberOf = (quantity: unknown): number => {
  const value =
    typeof quantity === 'string' && QUANTITY.test(quantity) ? Number(quantity) : Number.NaN;
  return value <= Number.MAX_SAFE_INTEGER ? value : Number.NaN;
};
