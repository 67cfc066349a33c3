import type { BlockSummary } from './blockSummary.ts';

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

/** Consecutive rows of an order. Immutable: a change replaces the block. */
export interface RowBlock {
  readonly rows: Uint32Array;
  /** Covers its rows, and perhaps some that were removed; computed when it is first needed. */
  summary?: BlockSummary | undefined;
}

/** Whether a block may hold an accepted row. */
export type BlockTest = (block: RowBlock) => boolean;

const NO_ROWS = new Uint32Array();

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

/** The first row of a block that belongs to a range, and the one after the last. */
const endsIn = ({ from, to }: Stretch, block: number, rows: Uint32Array): [number, number] => [
  block === from.block ? from.at : 0,
  block === to.block ? to.at : rows.length,
];

const countIn = (
  blocks: readonly RowBlock[],
  stretch: Stretch,
  mayHold: BlockTest | undefined,
): number => {
  let count = 0;
  for (let number = stretch.from.block; number <= stretch.to.block; number += 1) {
    const block = blocks[number];
    if (!block || (mayHold && !mayHold(block))) continue;
    const [first, end] = endsIn(stretch, number, block.rows);
    count += Math.max(0, end - first);
  }
  return count;
};

/** How a range is walked. */
interface Walk {
  readonly isRising: boolean;
  readonly visit: (row: number) => boolean;
  readonly mayHold: BlockTest | undefined;
}

const walkIn = (
  blocks: readonly RowBlock[],
  stretch: Stretch,
  { isRising, visit, mayHold }: Walk,
): void => {
  const { from, to } = stretch;
  const step = isRising ? 1 : -1;
  for (
    let number = isRising ? from.block : to.block;
    number >= from.block && number <= to.block;
    number += step
  ) {
    const block = blocks[number];
    if (!block || (mayHold && !mayHold(block))) continue;
    const { rows } = block;
    const [first, end] = endsIn(stretch, number, rows);
    for (let i = isRising ? first : end - 1; i >= first && i < end; i += step) {
      if (!visit(rows[i] ?? 0)) return;
    }
  }
};

/**
 * Sorted row numbers, four bytes each, in blocks. A B-tree package (`sorted-btree`) took five times as long per
 * examined row, and five times the memory.
 * @param compare two rows, either of which may be the placeholder that stands for a search position
 */
export const createRowOrder = (compare: (row: number, other: number) => number) => {
  let blocks: RowBlock[] = [];

  /** @param isAfter whether to return the position after an equal row */
  const placeOf = (row: number, isAfter = false): Place => {
    const isBehind = (other = 0): boolean => {
      const difference = compare(other, row);
      return isAfter ? difference > 0 : difference >= 0;
    };
    const block = firstPassing(blocks.length, (i) => isBehind(blocks[i]?.rows.at(-1)));
    const rows = blocks[block]?.rows;
    return { block, at: rows ? firstPassing(rows.length, (i) => isBehind(rows[i])) : 0 };
  };

  return {
    /** Replaces its rows with others that are already sorted. */
    fill: (rows: Uint32Array): void => {
      blocks = Array.from({ length: Math.ceil(rows.length / BLOCK_ROWS) }, (_, i) => ({
        rows: rows.slice(i * BLOCK_ROWS, (i + 1) * BLOCK_ROWS),
      }));
    },
    insert: (row: number): void => {
      const place = placeOf(row);
      // A short rest is added to the last block.
      const block = Math.min(place.block, Math.max(0, blocks.length - 1));
      const { rows } = blocks[block] ?? { rows: NO_ROWS };
      const longer = inserted(rows, block === place.block ? place.at : rows.length, row);
      const isFull = longer.length >= 2 * BLOCK_ROWS;
      const parts = isFull ? [longer.slice(0, BLOCK_ROWS), longer.slice(BLOCK_ROWS)] : [longer];
      blocks.splice(block, 1, ...parts.map((part) => ({ rows: part })));
    },
    /** Removes a row; does nothing if it is not there. */
    remove: (row: number): void => {
      const { block } = placeOf(row);
      const known = blocks[block];
      if (!known) return;
      const { rows, summary } = known;
      const left = rows.filter((other) => other !== row);
      blocks.splice(block, 1, ...(left.length > 0 ? [{ rows: left, summary }] : []));
    },
    placeOf,
    /** The row at a position; undefined at the end. */
    rowAt: ({ block, at }: Place): number | undefined => blocks[block]?.rows[at],
    all: (): Stretch => ({ from: { block: 0, at: 0 }, to: { block: blocks.length, at: 0 } }),
    eachBlock: (visit: (block: RowBlock) => void): void => blocks.forEach(visit),
    /** How many rows a walk through a range visits. */
    rowsIn: (stretch: Stretch, mayHold?: BlockTest): number => countIn(blocks, stretch, mayHold),
    /**
     * Visits rows in ascending or descending order.
     * @param visit returns whether to continue
     * @param mayHold blocks that fail it are skipped
     */
    walk: (
      stretch: Stretch,
      isRising: boolean,
      visit: (row: number) => boolean,
      mayHold?: BlockTest,
    ): void => walkIn(blocks, stretch, { isRising, visit, mayHold }),
  };
};

export type RowOrder = ReturnType<typeof createRowOrder>;
