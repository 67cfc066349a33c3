import { type Bits, bitAt, bitsOf } from './rowBits.ts';
import type { BlockTest } from './rowOrder.ts';

/** The rows that a filter accepts. */
export interface Selection<Bounds = unknown> {
  readonly accepts: (row: number) => boolean;
  /** Which blocks of an order may hold an accepted row; undefined if unknown. */
  readonly mayHold?: BlockTest | undefined;
  /** All accepted rows, if they are known; otherwise they are found among the rows below `end`. */
  readonly named?: Uint32Array | undefined;
  readonly end: number;
  readonly total: number;
  /** Bounds that include every accepted row. */
  readonly bounds: Bounds;
}

/** The same selection, restricted to these rows, which it accepts. */
export const namedSelection = <S extends Selection>(selection: S, named: Uint32Array): S => {
  let bits: Bits | undefined;
  const accepts = (row: number): boolean => {
    bits ??= bitsOf(named, selection.end);
    return bitAt(bits, row) === 1;
  };
  return { ...selection, accepts, named, total: named.length };
};

/** All rows that a selection accepts. */
export const rowsOf = ({ named, end, accepts }: Selection): Uint32Array => {
  if (named) return named;
  const found: number[] = [];
  for (let row = 1; row < end; row += 1) if (accepts(row)) found.push(row);
  return Uint32Array.from(found);
};

/**
 * Filters whose selections are cached until the next change: a list, its total and its next pages use the same one.
 */
const SELECTED_MAX = 4;

/** The latest selections, by filter. */
export const createKeptSelections = <S extends Selection>() => {
  const kept = new Map<string, S>();
  return {
    /** Something changed. */
    clear: (): void => kept.clear(),
    /** The cached selection of a filter, or a new one. */
    of: <Filter>(filter: Filter, select: (filter: Filter) => S): S => {
      const key = JSON.stringify(filter);
      const known = kept.get(key);
      if (known) return known;
      const selected = select(filter);
      if (kept.size >= SELECTED_MAX) kept.clear();
      kept.set(key, selected);
      return selected;
    },
  };
};
