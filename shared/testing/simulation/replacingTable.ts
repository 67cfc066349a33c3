/** What a row of a ReplacingMergeTree(version, is_deleted) carries beside its values. */
export interface Versioned {
  readonly version: number;
  readonly isDeleted: boolean;
}

/**
 * A table of ClickHouse's ReplacingMergeTree(version, is_deleted) in memory: of the rows of a key the
 * one with the highest version counts, of equal versions the last inserted.
 */
export interface ReplacingTable<R extends object> {
  insert(rows: readonly (R & Versioned)[]): void;
  /** Rows as FINAL shows them. */
  final(): (R & Versioned)[];
  /** Rows as a query without FINAL may show them: superseded ones too, unless a merge removed them. */
  raw(): (R & Versioned)[];
  /** Rows inserted so far. */
  writes(): number;
}

/** @param merges whether superseded rows vanish at once, as after a merge, or stay as before one. */
export const createReplacingTable = <R extends object>(
  keyOf: (row: R) => string,
  merges: boolean,
): ReplacingTable<R> => {
  const winners = new Map<string, R & Versioned>();
  const all: (R & Versioned)[] = [];
  let writes = 0;
  return {
    insert: (rows) => {
      writes += rows.length;
      for (const row of rows) {
        const key = keyOf(row);
        const known = winners.get(key);
        if (!known || row.version >= known.version) winners.set(key, row);
        if (!merges) all.push(row);
      }
    },
    final: () => [...winners.values()].filter(({ isDeleted }) => !isDeleted),
    writes: () => writes,
    raw: () => (merges ? [...winners.values()] : [...all]),
  };
};
