/** One bit per row. With one byte per row, searches by a feature left 50 MiB of garbage at 300,000 tokens. */
export type Bits = Uint8Array;

/** All bits set, for a number of rows. */
export const allBits = (rows: number): Bits => new Uint8Array(Math.ceil(rows / 8)).fill(0xff);

/** 1 if it is set. */
export const bitAt = (bits: Bits, row: number): number => ((bits[row >> 3] ?? 0) >> (row & 7)) & 1;

/** Clears the bit if `isCleared` is 1, without a branch. */
export const clearBit = (bits: Bits, row: number, isCleared: number): void => {
  bits[row >> 3] = (bits[row >> 3] ?? 0) & ~(isCleared << (row & 7));
};

/** Bits that are set for these rows only. @param end one more than the highest row number */
export const bitsOf = (rows: Uint32Array, end: number): Bits => {
  const bits = new Uint8Array(Math.ceil(end / 8));
  for (const row of rows) bits[row >> 3] = (bits[row >> 3] ?? 0) | (1 << (row & 7));
  return bits;
};
