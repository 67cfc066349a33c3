import type { Hex } from '../chain/block.ts';

const ZERO_DIGIT = 48;

/** The digits of `hex` from `start` to `end`, as a quantity without leading zeros. */
export const quantityAt = (hex: string, start: number, end: number): Hex => {
  let first = start;
  while (first < end - 1 && hex.charCodeAt(first) === ZERO_DIGIT) first += 1;
  return `0x${hex.slice(first, end)}`;
};

/** A quantity as a number. NaN where it is none, or too large to be exact. */
export const numberOf = (quantity: unknown): number => {
  if (typeof quantity !== 'string' || !/^0x[0-9a-fA-F]{1,16}$/.test(quantity)) return Number.NaN;
  const value = Number(quantity);
  return Number.isSafeInteger(value) ? value : Number.NaN;
};
