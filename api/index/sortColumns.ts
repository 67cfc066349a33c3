import type { Hex } from '../../shared/chain/block.ts';
import {
  type SortValues,
  sortValue,
  VERDICT_SORTS,
  type VerdictSort,
} from '../tokens/verdictPage.ts';
import { enlarged, ROWS_MIN } from './rowArrays.ts';

/** An address as the index has it. */
export const bytesOf = (address: string): Uint8Array => Buffer.from(address.slice(2), 'hex');

const TOKEN_BYTES = 20;
/** The first and the last of all addresses. */
export const FIRST_TOKEN: Hex = `0x${'00'.repeat(TOKEN_BYTES)}`;
export const LAST_TOKEN: Hex = `0x${'ff'.repeat(TOKEN_BYTES)}`;

/** Bytes of a symbol that a number has room for. */
const SYMBOL_BYTES = 6;

/** The row that is no token: a place in an order is put there, to be compared with others. */
const PLACE_ROW = 0;

/** Symbols by their first bytes, as SQLite compares them. */
const keyOf = (value: number | string): number =>
  typeof value === 'number'
    ? value
    : Buffer.concat([Buffer.from(value), Buffer.alloc(SYMBOL_BYTES)]).readUIntBE(0, SYMBOL_BYTES);

/** Whether more than its key is needed to compare a symbol. */
const isLong = (symbol: number | string): symbol is string =>
  typeof symbol === 'string' && (Buffer.byteLength(symbol) > SYMBOL_BYTES || symbol.includes('\0'));

const createColumns = (rows: number) => ({
  token: new Uint8Array(rows * TOKEN_BYTES),
  created_at: new Float64Array(rows),
  analyzed_at: new Float64Array(rows),
  confidence: new Float64Array(rows),
  risk_score: new Float64Array(rows),
  symbol: new Float64Array(rows),
});

/** What tokens are sorted by, exactly, by row. */
export const createSortColumns = () => {
  let columns = createColumns(ROWS_MIN);
  const longSymbols = new Map<number, string>();

  const reserve = (rows: number): void => {
    if (rows > columns.symbol.length) columns = enlarged(columns, rows, createColumns);
  };
  const put = (row: number, sort: VerdictSort, value: number | string): void => {
    columns[sort][row] = keyOf(value);
    if (sort !== 'symbol') return;
    if (isLong(value)) longSymbols.set(row, value);
    else longSymbols.delete(row);
  };
  const putToken = (row: number, token: string): void =>
    columns.token.set(bytesOf(token), row * TOKEN_BYTES);

  /** Of two symbols with the same key one that is not long is how the other begins. */
  const compareLong = (row: number, other: number): number => {
    const [a, b] = [longSymbols.get(row), longSymbols.get(other)];
    if (a === undefined || b === undefined)
      return Number(a !== undefined) - Number(b !== undefined);
    return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
  };
  const compareTokens = (row: number, other: number): number => {
    const { token } = columns;
    for (let i = 0; i < TOKEN_BYTES; i += 1) {
      const difference =
        (token[row * TOKEN_BYTES + i] ?? 0) - (token[other * TOKEN_BYTES + i] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  };

  return {
    set: (row: number, token: Hex, values: SortValues): void => {
      reserve(row + 1);
      putToken(row, token);
      for (const sort of VERDICT_SORTS) put(row, sort, sortValue(values, sort));
    },
    /** Puts a place into the row that is no token. @returns that row */
    place: (sort: VerdictSort, value: number | string, token: string): number => {
      putToken(PLACE_ROW, token);
      put(PLACE_ROW, sort, value);
      return PLACE_ROW;
    },
    /** What compares rows by an order: by its values, equal ones by address. */
    comparing:
      (sort: VerdictSort) =>
      (row: number, other: number): number => {
        const values = columns[sort];
        const [a = 0, b = 0] = [values[row], values[other]];
        if (a !== b) return a < b ? -1 : 1;
        return (sort === 'symbol' && compareLong(row, other)) || compareTokens(row, other);
      },
  };
};
