import { createRowOrder, type RowBlock, type RowOrder, type Stretch } from './rowOrder.ts';
import { rowsOf, type Selection } from './selection.ts';
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

/** Rows examined along an order before a cheaper way is considered. */
const LOOKED_FEW = 4_096;
/** Rows that a sequential scan tests in the time in which a walk along an order visits one. */
const SCANNED_AT_ONCE = 16;

/** A way to find all rows of a selection, and how many rows it examines. */
interface Way {
  readonly looked: number;
  readonly rows: () => Uint32Array;
}

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

/** Rows of a range that pass a test, after skipping some; undefined if more than `lookedMax` rows have to be examined. */
const pageOf = (
  order: RowOrder,
  stretch: Stretch,
  { order: direction, limit, skipped }: Pick<Page<string>, 'order' | 'limit'> & { skipped: number },
  { accepts, mayHold }: Pick<Selection, 'accepts' | 'mayHold'>,
  lookedMax: number,
): number[] | undefined => {
  const rows: number[] = [];
  let [left, looked] = [skipped, 0];
  const visit = (row: number): boolean => {
    looked += 1;
    if (looked > lookedMax) return false;
    if (!accepts(row)) return true;
    if (left > 0) left -= 1;
    else rows.push(row);
    return rows.length < limit;
  };
  order.walk(stretch, direction === 'asc', visit, mayHold);
  return looked > lookedMax ? undefined : rows;
};

/** All accepted rows of a range. */
const gather = (
  order: RowOrder,
  stretch: Stretch,
  { accepts, mayHold }: Selection,
): Uint32Array => {
  const rows: number[] = [];
  const visit = (row: number): boolean => {
    if (accepts(row)) rows.push(row);
    return true;
  };
  order.walk(stretch, true, visit, mayHold);
  return Uint32Array.from(rows);
};

/** Comparisons needed to sort that many rows. */
const sortCost = (rows: number): number => rows * Math.log2(rows + 1);

/** @param rows in that order */
const orderOf = <Sort extends string>(
  values: Sorted<Sort>,
  sort: Sort,
  rows: Uint32Array,
): RowOrder => {
  const order = createRowOrder(values.comparing(sort));
  order.fill(rows);
  return order;
};

/** For rows that are known to be accepted. */
const ALL_ROWS = { accepts: () => true };

/** Finds the accepted rows by means of the orders. */
const createPages = <Sort extends string, Bounds>(
  orders: ReadonlyMap<Sort, RowOrder>,
  values: Sorted<Sort>,
  ranges: Ranges<Sort, Bounds>,
) => {
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

  /** The cheapest way to all rows of a selection: through a range of one order, or through all rows. */
  const wayTo = (selection: Selection<Bounds>): Way => {
    const { named, end, bounds, mayHold } = selection;
    const all = { looked: named ? 0 : end / SCANNED_AT_ONCE, rows: () => rowsOf(selection) };
    if (named) return all;
    const ways = [...orders].map(([sort, order]): Way => {
      const range = ranges[sort]?.(bounds);
      const stretch = range ? spanOf(order, sort, ...range) : order.all();
      const looked = order.rowsIn(stretch, mayHold);
      return { looked, rows: () => gather(order, stretch, selection) };
    });
    return ways.reduce((best, way) => (way.looked < best.looked ? way : best), all);
  };
  /**
   * Rows of a page: along its order or, if that examines fewer rows, by sorting all accepted rows. How many rows a walk
   * along the order examines is not known in advance, so it is abandoned once it has examined as many as sorting would
   * take: a page costs at most twice the cheaper way.
   */
  const findPage = (selection: Selection<Bounds>, asked: Page<Sort>): number[] => {
    const { sort, limit, after } = asked;
    const page = { ...asked, skipped: after ? 0 : asked.offset };
    const { total, mayHold } = selection;
    const order = orders.get(sort);
    const along = (lookedMax: number): number[] | undefined =>
      order && pageOf(order, stretchOf(order, selection, asked), page, selection, lookedMax);
    const near = along(LOOKED_FEW);
    if (near) return near;
    const way = wayTo(selection);
    const cost = way.looked + sortCost(total);
    // An estimate that assumes the accepted rows to be spread evenly over the blocks that may hold any.
    const looked = ((order?.rowsIn(order.all(), mayHold) ?? 0) * (page.skipped + limit)) / total;
    const far = looked > cost ? undefined : along(cost);
    if (far) return far;
    const sorted = orderOf(values, sort, way.rows().sort(values.comparing(sort)));
    return pageOf(sorted, stretchOf(sorted, selection, asked), page, ALL_ROWS, total) ?? [];
  };

  /** How many rows a selection accepts if an order leads to them faster than a test of all rows, else undefined. */
  const countFew = (selection: Selection<Bounds>): number | undefined => {
    const way = wayTo(selection);
    return way.looked < selection.end / SCANNED_AT_ONCE ? way.rows().length : undefined;
  };

  return { spanOf, page: findPage, countFew };
};

/** The sort orders of a list, over row numbers: by a value, ties by address. */
export const createListOrders = <Sort extends string, Bounds>(
  sorts: readonly Sort[],
  values: Sorted<Sort>,
  ranges: Ranges<Sort, Bounds>,
) => {
  /** All orders, available once they are built. */
  const orders = new Map<Sort, RowOrder>();

  const { spanOf, ...pages } = createPages(orders, values, ranges);

  const remove = (row: number): void => {
    for (const order of orders.values()) order.remove(row);
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
      for (const sort of sorts) orders.set(sort, orderOf(values, sort, sorted(sort)));
    },
    eachBlock: (visit: (block: RowBlock) => void): void => {
      for (const order of orders.values()) order.eachBlock(visit);
    },
    /** How many rows between two sort values pass a test, once the orders are built. */
    countBetween: (sort: Sort, [least, most]: readonly [number, number], test: RowTest): number => {
      const order = orders.get(sort);
      return order ? countIn(order, spanOf(order, sort, least, most), test) : 0;
    },
    ...pages,
  };
};

export type ListOrders<Sort extends string, Bounds> = ReturnType<
  typeof createListOrders<Sort, Bounds>
>;
