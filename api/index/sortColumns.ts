import type { Hex } from '../../shared/chain/block.ts';
import {
  type SortValues,
  sortValue,
  VERDICT_SORTS,
  type VerdictSort,
} from '../tokens/verdictPage.ts';
import { enlarged, ROWS_MIN } from './rowArrays.ts';
import { createRowSort } from './rowSort.ts';

/** An address in the form the index uses. */
export const bytesOf = (address: string): Uint8Array => Buffer.from(address.slice(2), 'hex');

const ADDRESS_BYTES = 20;
/** The first and the last of all addresses. */
export const FIRST_ADDRESS: Hex = `0x${'00'.repeat(ADDRESS_BYTES)}`;
export const LAST_ADDRESS: Hex = `0x${'ff'.repeat(ADDRESS_BYTES)}`;

/** Bytes of a symbol that fit into a number. */
const SYMBOL_BYTES = 6;
/** Digits of an address that fit into a number. */
const TOKEN_DIGITS = 8;
const UINT32_MAX = 0xff_ff_ff_ff;

/** The placeholder row: a search position is put there to be compared with other rows. */
const PLACE_ROW = 0;

/** Whether comparing a symbol needs more than its key. */
const isLong = (symbol: string): boolean =>
  Buffer.byteLength(symbol) > SYMBOL_BYTES || symbol.includes('\0');

/** Symbols by their first bytes, as SQLite compares them; of two with the same key, a long one is greater. */
const symbolKey = (symbol: string): number => {
  const bytes = Buffer.concat([Buffer.from(symbol), Buffer.alloc(SYMBOL_BYTES)]);
  return bytes.readUIntBE(0, SYMBOL_BYTES) * 2 + Number(isLong(symbol));
};

/** Sorts long symbols with the same key. @param rows by their keys */
const sortLong = (
  rows: Uint32Array,
  keys: Float64Array,
  compare: (row: number, other: number) => number,
): Uint32Array => {
  const keyAt = (at: number): number => keys[rows[at] ?? 0] ?? 0;
  for (let from = 0, to = 0; from < rows.length; from = to) {
    while (to < rows.length && keyAt(to) === keyAt(from)) to += 1;
    if (keyAt(from) % 2 === 1) rows.subarray(from, to).sort(compare);
  }
  return rows;
};

/** By row: its sort value, and the first digits of its address. */
const createColumns = (rows: number) => ({
  token: new Uint32Array(rows),
  created_at: new Uint32Array(rows),
  analyzed_at: new Float64Array(rows),
  confidence: new Float64Array(rows),
  risk_score: new Float64Array(rows),
  symbol: new Float64Array(rows),
});

/**
 * Exact sort values of tokens, by row.
 * @param addressOf the address of a row: needed if others share its sort value and first digits
 */
export const createSortColumns = (addressOf: (row: number) => string) => {
  let columns = createColumns(ROWS_MIN);
  const longSymbols = new Map<number, string>();
  let place = '';

  const reserve = (rows: number): void => {
    if (rows > columns.symbol.length) columns = enlarged(columns, rows, createColumns);
  };
  const putSymbol = (row: number, symbol: string): void => {
    columns.symbol[row] = symbolKey(symbol);
    if (isLong(symbol)) longSymbols.set(row, symbol);
    else longSymbols.delete(row);
  };
  const put = (row: number, sort: VerdictSort, value: number | string): void => {
    if (typeof value === 'string') putSymbol(row, value);
    else columns[sort][row] = sort === 'created_at' ? Math.min(value, UINT32_MAX) : value;
  };
  const putToken = (row: number, token: string): void => {
    columns.token[row] = Number(token.slice(0, 2 + TOKEN_DIGITS));
  };

  /** Two symbols with the same key. */
  const compareLong = (row: number, other: number): number => {
    const [a, b] = [longSymbols.get(row), longSymbols.get(other)];
    if (a === undefined || b === undefined || a === b) return 0;
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  };
  const tokenOf = (row: number): string => (row === PLACE_ROW ? place : addressOf(row));
  const compareTokens = (row: number, other: number): number => {
    const { token } = columns;
    const difference = (token[row] ?? 0) - (token[other] ?? 0);
    if (difference !== 0 || row === other) return difference;
    return Buffer.compare(bytesOf(tokenOf(row)), bytesOf(tokenOf(other)));
  };
  /** Returns a comparison of rows by an order: by its values, ties by address. */
  const comparing =
    (sort: VerdictSort) =>
    (row: number, other: number): number => {
      const values = columns[sort];
      const [a = 0, b = 0] = [values[row], values[other]];
      if (a !== b) return a < b ? -1 : 1;
      return (sort === 'symbol' && compareLong(row, other)) || compareTokens(row, other);
    };

  return {
    reserve,
    set: (row: number, token: Hex, values: SortValues): void => {
      reserve(row + 1);
      putToken(row, token);
      for (const sort of VERDICT_SORTS) put(row, sort, sortValue(values, sort));
    },
    /** Puts a search position into the placeholder row. @returns that row */
    place: (sort: VerdictSort, value: number | string, token: string): number => {
      place = token;
      putToken(PLACE_ROW, token);
      put(PLACE_ROW, sort, value);
      return PLACE_ROW;
    },
    comparing,
    /** Returns a sort of rows by an order, valid until the next sort. @param rows in the order of addresses */
    sorting: (rows: Uint32Array) => {
      const sortBy = createRowSort(rows);
      return (sort: VerdictSort): Uint32Array =>
        sort === 'symbol'
          ? sortLong(sortBy(columns.symbol), columns.symbol, comparing(sort))
          : sortBy(columns[sort]);
    },
  };
};
