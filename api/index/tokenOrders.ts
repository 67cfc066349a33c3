import type { Hex } from '../../shared/chain/block.ts';
import {
  type SortValues,
  VERDICT_SORTS,
  type VerdictPage,
  type VerdictSort,
} from '../tokens/verdictPage.ts';
import { createRowOrder, type RowOrder, type Stretch } from './rowOrder.ts';
import { createSortColumns, FIRST_TOKEN, LAST_TOKEN } from './sortColumns.ts';
import type { Selection } from './tokenColumns.ts';

type Range = readonly [least: number, most: number];

/** Between which values of an order all that is accepted lies; undefined where that is not known. Risk and confidence are rounded in bounds. */
const RANGES: Partial<Record<VerdictSort, (bounds: Selection['bounds']) => Range>> = {
  created_at: ({ created }) => created,
  confidence: ({ percent: [from, to] }) => [(from - 1) / 100, (to + 1) / 100],
  risk_score: ({ risk: [from, to] }) => [(from - 1) / 100, (to + 1) / 100],
};

/** Rows that are left for each that a page ends after, up to which they are sorted instead of looked for along the order. */
const SORTED_MAX = 2;

/**
 * The orders of lists, by the number of a token's row: by a value, equal ones by address.
 * @param addressOf the address of a row
 */
export const createTokenOrders = (addressOf: (row: number) => string) => {
  const values = createSortColumns(addressOf);
  /** @param rows in that order */
  const orderOf = (sort: VerdictSort, rows: Uint32Array): RowOrder => {
    const order = createRowOrder(values.comparing(sort));
    order.fill(rows);
    return order;
  };
  /** Of all rows, once they were sealed. */
  const orders = new Map<VerdictSort, RowOrder>();

  const remove = (row: number): void => {
    for (const order of orders.values()) order.remove(row);
  };
  /** Where in an order the tokens are that a page is looked for among. */
  const stretchOf = (
    order: RowOrder,
    { bounds }: Selection,
    { sort, order: direction, after }: VerdictPage,
  ): Stretch => {
    const [least, most] = RANGES[sort]?.(bounds) ?? [];
    let { from, to } = order.all();
    if (least !== undefined) from = order.placeOf(values.place(sort, least, FIRST_TOKEN));
    if (most !== undefined) to = order.placeOf(values.place(sort, most, LAST_TOKEN), true);
    if (!after) return { from, to };
    const place = values.place(sort, after.value, after.token);
    return direction === 'asc'
      ? { from: order.placeOf(place, true), to }
      : { from, to: order.placeOf(place) };
  };

  return {
    reserve: values.reserve,
    set: (row: number, token: Hex, verdict: SortValues): void => {
      remove(row);
      values.set(row, token, verdict);
      for (const order of orders.values()) order.insert(row);
    },
    /** Before the token is gone: its address may be asked for. */
    remove,
    /**
     * Puts all rows in order; from then on each that is set takes its place.
     * @param tokens how many there are, in rows from 1 on in the order of addresses
     */
    seal: (tokens: number): void => {
      const sorted = values.sorting(new Uint32Array(tokens).map((_, at) => at + 1));
      for (const sort of VERDICT_SORTS) orders.set(sort, orderOf(sort, sorted(sort)));
    },
    /** Rows of a page in its order. */
    page: (selection: Selection, asked: VerdictPage): number[] => {
      const { sort, limit, after } = asked;
      const { accepts, total, isNamed } = selection;
      let skipped = after ? 0 : asked.offset;
      const isFew = isNamed || total <= SORTED_MAX * (skipped + limit);
      const whole = isFew ? undefined : orders.get(sort);
      const order = whole ?? orderOf(sort, selection.rows().sort(values.comparing(sort)));
      const rows: number[] = [];
      order.walk(stretchOf(order, selection, asked), asked.order === 'asc', (row) => {
        if (!accepts(row)) return true;
        if (skipped > 0) skipped -= 1;
        else rows.push(row);
        return rows.length < limit;
      });
      return rows;
    },
  };
};

export type TokenOrders = ReturnType<typeof createTokenOrders>;
