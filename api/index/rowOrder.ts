/** Rows per block: an insert copies at most this many, and a block twice as large is split. */
const BLOCK_ROWS = 1_024;

/** A position among blocks: that of the following row, or the end. */
interface Place {
  readonly block: number;
  readonly at: number;
}

/** The rows to examine. */
export interface Stretch {
  /** The first row of the order to examine, and the one after the last. */
  readonly from: Place;
  readonly to: Place;
}

/** The first number below `count` that passes a monotonic test; `count` if none does (binary search). */
const firstPassing = (count: number, test: (number: number) => boolean): number => {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

const inserted = (rows: Uint32Array, at: number, row: number): Uint32Array => {
  const longer = new Uint32Array(rows.length + 1);
  longer.set(rows.subarray(0, at));
  longer[at] = row;
  longer.set(rows.subarray(at), at + 1);
  return longer;
};

/**
 * Sorted row numbers, four bytes each, in blocks. A B-tree package (`sorted-btree`) took five times as long per
 * examined row, and five times the memory.
 * @param compare two rows, either of which may be the placeholder that stands for a search position
 */
export const createRowOrder = (compare: (row: number, other: number) => number) => {
  let blocks: Uint32Array[] = [];

  /** @param isAfter whether to return the position after an equal row */
  const placeOf = (row: number, isAfter = false): Place => {
    const isBehind = (other = 0): boolean => {
      const difference = compare(other, row);
      return isAfter ? difference > 0 : difference >= 0;
    };
    const block = firstPassing(blocks.length, (i) => isBehind(blocks[i]?.at(-1)));
    const rows = blocks[block];
    return { block, at: rows ? firstPassing(rows.length, (i) => isBehind(rows[i])) : 0 };
  };

  return {
    /** Replaces its rows with others that are already sorted. */
    fill: (rows: Uint32Array): void => {
      blocks = Array.from({ length: Math.ceil(rows.length / BLOCK_ROWS) }, (_, i) =>
        rows.slice(i * BLOCK_ROWS, (i + 1) * BLOCK_ROWS),
      );
    },
    insert: (row: number): void => {
      const place = placeOf(row);
      // A short rest is added to the last block.
      const block = Math.min(place.block, Math.max(0, blocks.length - 1));
      const rows = blocks[block] ?? new Uint32Array();
      const longer = inserted(rows, block === place.block ? place.at : rows.length, row);
      const isFull = longer.length >= 2 * BLOCK_ROWS;
      const parts = isFull ? [longer.slice(0, BLOCK_ROWS), longer.slice(BLOCK_ROWS)] : [longer];
      blocks.splice(block, 1, ...parts);
    },
    /** Removes a row; does nothing if it is not there. */
    remove: (row: number): void => {
      const { block } = placeOf(row);
      const left = blocks[block]?.filter((other) => other !== row);
      if (left) blocks.splice(block, 1, ...(left.length > 0 ? [left] : []));
    },
    placeOf,
    /** The row at a position; undefined at the end. */
    rowAt: ({ block, at }: Place): number | undefined => blocks[block]?.[at],
    all: (): Stretch => ({ from: { block: 0, at: 0 }, to: { block: blocks.length, at: 0 } }),
    /**
     * Visits rows in ascending or descending order.
     * @param visit returns whether to continue
     */
    walk: ({ from, to }: Stretch, isRising: boolean, visit: (row: number) => boolean): void => {
      const step = isRising ? 1 : -1;
      for (
        let block = isRising ? from.block : to.block;
        block >= from.block && block <= to.block;
        block += step
      ) {
        const rows = blocks[block] ?? new Uint32Array();
        const first = block === from.block ? from.at : 0;
        const last = (block === to.block ? to.at : rows.length) - 1;
        for (let i = isRising ? first : last; i >= first && i <= last; i += step) {
          if (!visit(rows[i] ?? 0)) return;
        }
      }
    },
  };
};

export type RowOrder = ReturnType<typeof createRowOrder>;
