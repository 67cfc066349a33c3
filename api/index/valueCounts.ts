import type { Bounds } from './rowKinds.ts';

/** Values that have a counter of their own: 0 to this. */
const VALUE_MAX = 100;
/** One counter for each whole number, and one for the values between it and the next. */
const CELLS = 2 * (VALUE_MAX + 1);

const cellOf = (value: number): number => 2 * Math.floor(value) + Number(!Number.isInteger(value));

/**
 * Row counts by kind and by a value from 0 to 100, so that the cost of a total with value bounds depends on the
 * number of kinds. Most values and most bounds are whole numbers.
 */
export const createValueCounts = () => {
  const byKind: Uint32Array[] = [];
  return {
    change: (by: 1 | -1, kind: number, value: number): void => {
      const counts = byKind[kind] ?? new Uint32Array(CELLS);
      byKind[kind] = counts;
      counts[cellOf(value)] = (counts[cellOf(value)] ?? 0) + by;
    },
    /**
     * How many rows of accepted kinds have a value within bounds.
     * @param accepted 1 or 0 by kind
     * @param countBetween how many accepted rows with a fractional value lie between two values
     */
    within: (
      accepted: Uint8Array,
      [least, most]: Bounds,
      countBetween: (bounds: Bounds) => number,
    ): number => {
      let total = 0;
      for (let cell = 0; cell < CELLS; cell += 1) {
        const from = Math.floor(cell / 2);
        const to = from + (cell % 2);
        if (to < least || from > most) continue;
        if (from < least || to > most) {
          total += countBetween([Math.max(from, least), Math.min(to, most)]);
          continue;
        }
        for (const [kind, counts] of byKind.entries()) {
          total += (accepted[kind] ?? 0) * (counts?.[cell] ?? 0);
        }
      }
      return total;
    },
  };
};
