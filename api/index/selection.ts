/** What a filter leaves. */
export interface Selection<Bounds = unknown> {
  readonly accepts: (row: number) => boolean;
  /** Whether some rows were named: all that are accepted are among these, and known. */
  readonly isNamed: boolean;
  /** All rows that are accepted. */
  readonly rows: () => Uint32Array;
  readonly total: number;
  /** Every accepted row is within. */
  readonly bounds: Bounds;
}

/** Those of the rows below `end` that pass a test. */
export const findRows = (end: number, test: (row: number) => boolean): Uint32Array => {
  const found: number[] = [];
  for (let row = 1; row < end; row += 1) if (test(row)) found.push(row);
  return Uint32Array.from(found);
};

/** Filters whose selections are kept until something changes: a list and its total, and its next pages, ask for the same. */
const SELECTED_MAX = 4;

/** The last selections, by their filter. */
export const createKeptSelections = <S extends Selection>() => {
  const kept = new Map<string, S>();
  return {
    /** Something changed. */
    clear: (): void => kept.clear(),
    /** The selection of a filter, which is made where it is not kept. */
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
