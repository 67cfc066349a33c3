import { createRowOrder, type RowOrder, type Stretch } from './rowOrder.ts';
import type { Selection } from './selection.ts';
import { FIRST_ADDRESS, LAST_ADDRESS } from './sortColumns.ts';

/** Where a page begins, and in which order. */
interface Page<Sort> {
  readonly sort: Sort;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
  /** The entry before the page: its sort value and its address. */
  readonly after?: readonly [value: number | string, address: string] | undefined;
}

/** The sort value of rows; ties are sorted by address. */
interface Sorted<Sort> {
  /** Returns a comparison of rows by an order. */
  comparing(sort: Sort): (row: number, other: number) => number;
  /** Puts a search position into the placeholder row. @returns that row */
  place(sort: Sort, value: number | string, address: string): number;
  /** Returns a sort of rows by an order, valid until the next sort. @param rows in the order of addresses */
  sorting(rows: Uint32Array): (sort: Sort) => Uint32Array;
}

/** Bounds of the sort value of all accepted rows; undefined if unknown. */
export type Ranges<Sort extends string, Bounds> = Partial<
  Record<Sort, (bounds: Bounds) => readonly [least: number, most: number]>
>;

/**
 * If at most this many rows are accepted per row up to the page's end, they are sorted; otherwise the page is found
 * by walking the order.
 */
const SORTED_MAX = 2;

type RowTest = (row: number) => boolean;

/** How many rows of a range pass a test. */
const countIn = (order: RowOrder, stretch: Stretch, test: RowTest): number => {
  let count = 0;
  order.walk(stretch, true, (row) => {
    if (test(row)) count += 1;
    return true;
  });
  return count;
};

/** Rows of a range that pass a test, after skipping some. */
const pageOf = (
  order: RowOrder,
  stretch: Stretch,
  { order: direction, limit, skipped }: Pick<Page<string>, 'order' | 'limit'> & { skipped: number },
  test: RowTest,
): number[] => {
  const rows: number[] = [];
  let left = skipped;
  order.walk(stretch, direction === 'asc', (row) => {
    if (!test(row)) return true;
    if (left > 0) left -= 1;
    else rows.push(row);
    return rows.length < limit;
  });
  return rows;
};

/** The sort orders of a list, over row numbers: by a value, ties by address. */
export const createListOrders = <Sort extends string, Bounds>(
  sorts: readonly Sort[],
  values: Sorted<Sort>,
  ranges: Ranges<Sort, Bounds>,
) => {
  /** @param rows in that order */
  const orderOf = (sort: Sort, rows: Uint32Array): RowOrder => {
    const order = createRowOrder(values.comparing(sort));
    order.fill(rows);
    return order;
  };
  /** All orders, available once they are built. */
  const orders = new Map<Sort, RowOrder>();

  const remove = (row: number): void => {
    for (const order of orders.values()) order.remove(row);
  };
  /** The positions in an order between two values. */
  const spanOf = (order: RowOrder, sort: Sort, least: number, most: number): Stretch => {
    const from = order.placeOf(values.place(sort, least, FIRST_ADDRESS));
    return { from, to: order.placeOf(values.place(sort, most, LAST_ADDRESS), true) };
  };
  /** The positions in an order among which a page is searched. */
  const stretchOf = (
    order: RowOrder,
    { bounds }: Selection<Bounds>,
    { sort, order: direction, after }: Page<Sort>,
  ): Stretch => {
    const range = ranges[sort]?.(bounds);
    const { from, to } = range ? spanOf(order, sort, ...range) : order.all();
    if (!after) return { from, to };
    const place = values.place(sort, ...after);
    return direction === 'asc'
      ? { from: order.placeOf(place, true), to }
      : { from, to: order.placeOf(place) };
  };

  return {
    /** Changes the sort value of a row. */
    move: (row: number, write: () => void): void => {
      remove(row);
      write();
      for (const order of orders.values()) order.insert(row);
    },
    /** Must run before the row is gone because its address may be needed. */
    remove,
    /**
     * Sorts all rows; from then on each changed row is moved to its place. @param rows in the order of addresses
     */
    seal: (rows: Uint32Array): void => {
      const sorted = values.sorting(rows);
      for (const sort of sorts) orders.set(sort, orderOf(sort, sorted(sort)));
    },
    /** How many rows between two sort values pass a test, once the orders are built. */
    countBetween: (sort: Sort, [least, most]: readonly [number, number], test: RowTest): number => {
      const order = orders.get(sort);
      return order ? countIn(order, spanOf(order, sort, least, most), test) : 0;
    },
    /** Rows of a page in its order. */
    page: (selection: Selection<Bounds>, asked: Page<Sort>): number[] => {
      const { sort, limit, after } = asked;
      const { accepts, total, isNamed } = selection;
      const skipped = after ? 0 : asked.offset;
      const isFew = isNamed || total <= SORTED_MAX * (skipped + limit);
      const whole = isFew ? undefined : orders.get(sort);
      const order = whole ?? orderOf(sort, selection.rows().sort(values.comparing(sort)));
      return pageOf(order, stretchOf(order, selection, asked), { ...asked, skipped }, accepts);
    },
  };
};

export type ListOrders<Sort extends string, Bounds> = ReturnType<
  typeof createListOrders<Sort, Bounds>
>;
