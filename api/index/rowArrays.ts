/** Initial size of the arrays in rows, and their growth factor. */
export const ROWS_MIN = 1_024;
const GROWTH = 1.25;

/**
 * Copies arrays, keyed by name, into larger ones.
 * @param create makes them for a number of rows
 */
export const enlarged = <
  T extends Readonly<Record<string, Uint8Array | Uint16Array | Uint32Array | Float64Array>>,
>(
  arrays: T,
  rows: number,
  create: (rows: number) => T,
): T => {
  const larger = create(Math.ceil(rows * GROWTH));
  for (const [name, values] of Object.entries(arrays)) larger[name]?.set(values);
  return larger;
};

/** All rows below `end`, from 1 on. */
export const rowsBelow = (end: number): Uint32Array =>
  new Uint32Array(end - 1).map((_, at) => at + 1);
