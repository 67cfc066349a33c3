/** Values per digit: 16 bits. */
const DIGIT_VALUES = 65_536;

/**
 * Stable radix sort of rows by non-negative values, ascending. Each result is valid until the next sort because all
 * orders share the same two arrays. Building the orders of half a million tokens takes 3.5 s of CPU time, compared
 * with 5.7 s by comparing rows.
 */
export const createRowSort = (rows: Uint32Array) => {
  const spare = [new Uint32Array(rows.length), new Uint32Array(rows.length)] as const;
  /** @param values by row */
  return (values: Uint32Array | Float64Array): Uint32Array => {
    // Non-negative floats sort like their bits. Digit by digit, least significant first.
    const digits = new Uint16Array(values.buffer);
    const width = values.BYTES_PER_ELEMENT / digits.BYTES_PER_ELEMENT;
    let from = rows;
    for (let digit = 0; digit < width; digit += 1) {
      const to = spare[digit % 2 === 0 ? 0 : 1];
      const digitOf = (row: number): number => digits[row * width + digit] ?? 0;
      const counts = new Uint32Array(DIGIT_VALUES);
      for (const row of from) counts[digitOf(row)] = (counts[digitOf(row)] ?? 0) + 1;
      let end = 0;
      const ends = counts.map((count) => (end += count));
      for (let i = from.length - 1; i >= 0; i -= 1) {
        const row = from[i] ?? 0;
        const place = (ends[digitOf(row)] ?? 0) - 1;
        ends[digitOf(row)] = place;
        to[place] = row;
      }
      from = to;
    }
    return from;
  };
};
