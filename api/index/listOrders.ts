import { createRowOrder, type RowOrder, type Stretch } from './rowOrder.ts';
import type { Selection } from './selection.ts';
import { FIRST_ADDRESS, LAST_ADDRESS } from './sortColumns.ts';

/** Where a page begins and in which order. */
interface Page<Sort> {
  readonly sort: Sort;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
  /** The entry it begins after: its sort value and its address. */
  readonly after?: readonly [value: number | string, address: string] | undefined;
}

/** What rows are sorted by, equal ones by address. */
interface Sorted<Sort> {
  /** What compares rows by an order. */
  comparing(sort: Sort): (row: number, other: number) => number;
  /** Puts a place into a row that is none. @returns that row */
  place(sort: Sort, value: number | string, address: string): number;
  /** What sorts rows by an order, until it sorts by the next. @param rows in the order of addresses */
  sorting(rows: Uint32Array): (sort: Sort) => Uint32Array;
}

/** Between which values of an order all that is accepted lies; undefined where that is not known. */
export type Ranges<Sort extends string, Bounds> = Partial<
  Record<Sort, (bounds: Bounds) => readonly [least: number, most: number]>
>;

/** Rows that are left for each that a page ends after, up to which they are sorted instead of looked for along the order. */
const SORTED_MAX = 2;

type RowTest = (row: number) => boolean;

/** How many rows of a stretch pass a test. */
const countIn = (order: RowOrder, stretch: Stretch, test: RowTest): number => {
  let count = 0;
  order.walk(stretch, true, (row) => {
    if (test(row)) count += 1;
    return true;
  });
  return count;
};

/** Rows of a stretch that pass a test, after some that are skipped. */
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

/** The orders of a list, by the number of a row: by a value, equal ones by address. */
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
  /** Of all rows, once they were sealed. */
  const orders = new Map<Sort, RowOrder>();

  const remove = (row: number): void => {
    for (const order of orders.values()) order.remove(row);
  };
  /** Where in an order the rows are whose values lie between two. */
  const spanOf = (order: RowOrder, sort: Sort, least: number, most: number): Stretch => {
    const from = order.placeOf(values.place(sort, least, FIRST_ADDRESS));
    return { from, to: order.placeOf(values.place(sort, most, LAST_ADDRESS), true) };
  };
  /** Where in an order the rows are that a page is looked for among. */
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
    /** Changes what a row is sorted by. */
    move: (row: number, write: () => void): void => {
      remove(row);
      write();
      for (const order of orders.values()) order.insert(row);
    },
    /** Before the row is gone: its address may be asked for. */
    remove,
    /** Puts all rows in order; from then on each that is moved takes its place. @param rows in the order of addresses */
    seal: (rows: Uint32Array): void => {
      const sorted = values.sorting(rows);
      for (const sort of sorts) orders.set(sort, orderOf(sort, sorted(sort)));
    },
    /** How many rows between two values of an order, once they are sealed, pass a test. */
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
