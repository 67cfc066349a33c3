import type { Hex } from '../chain/block.ts';
import { digitAt } from './hexText.ts';

const ZERO_DIGIT = 48;

/** The digits of `hex` from `start` to `end`, as a quantity without leading zeros. */
export const quantityAt = (hex: string, start: number, end: number): Hex => {
  let first = start;
  while (first < end - 1 && hex.charCodeAt(first) === ZERO_DIGIT) first += 1;
  return `0x${hex.slice(first, end)}`;
};

/** Digits of the longest quantity that may still be small enough. */
const DIGITS_MAX = 16;

/** A quantity as a number. NaN where it is none, or too large to be exact. */
export const numberOf = (quantity: unknown): number => {
  if (typeof quantity !== 'string' || !quantity.startsWith('0x')) return Number.NaN;
  const { length } = quantity;
  if (length < 3 || length > 2 + DIGITS_MAX) return Number.NaN;
  let value = 0;
  for (let i = 2; i < length; i += 1) {
    const digit = digitAt(quantity, i);
    if (digit > 15) return Number.NaN;
    value = value * 16 + digit;
  }
  return value <= Number.MAX_SAFE_INTEGER ? value : Number.NaN;
};
