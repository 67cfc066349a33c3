/** The rows that a filter accepts. */
export interface Selection<Bounds = unknown> {
  readonly accepts: (row: number) => boolean;
  /** Whether the accepted rows are listed explicitly. */
  readonly isNamed: boolean;
  /** All accepted rows. */
  readonly rows: () => Uint32Array;
  readonly total: number;
  /** Bounds that include every accepted row. */
  readonly bounds: Bounds;
}

/** Those rows below `end` that pass a test. */
export const findRows = (end: number, test: (row: number) => boolean): Uint32Array => {
  const found: number[] = [];
  for (let row = 1; row < end; row += 1) if (test(row)) found.push(row);
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
