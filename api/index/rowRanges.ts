import { addressOfNumber, addressParam, asAddress } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { POINT_READ } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';

/**
 * Rows loaded at a time, at most; ranges are usually smaller, so that one read covers a range. With 8,000 the process
 * takes 10 MiB more.
 */
const LOADED_MAX = 10_000;
const LOADED_USUALLY = 4_000;
/**
 * Rows passed to the thread at a time: passing a whole page at once raises the peak memory of both sides by 60 MiB.
 */
export const HANDED_ROWS = 2_000;

/** A table with one current row for each address of a chain. */
export interface AddressTable {
  readonly name: string;
  /** The address column. */
  readonly address: string;
  /** Time at which its row `r` was stored, Unix microseconds; grows with every change of an address. */
  readonly seq: string;
}

export const VERDICT_TABLE: AddressTable = {
  name: 'token_verdicts',
  address: 'token',
  seq: 'r.seq',
};

/** Rows of a table, `r`. */
export const OF_CHAIN = 'WHERE r.chain_id = {chainId:UInt64}';

/** The columns that identify a row. */
export const keySql = ({ address, seq }: AddressTable): string =>
  `${hexText(`r.${address}`)} AS address, ${seq} AS seq`;

/**
 * The current rows of a range. Both ends are given because ClickHouse, with FINAL, reads the whole rest of the table
 * for a page that has only a limit.
 */
export const rangeSql = (table: AddressTable, columns: string): string =>
  `SELECT ${keySql(table)}, ${columns} FROM ${table.name} AS r FINAL ${OF_CHAIN} AND r.${table.address} >= ${asAddress('from')}
   AND r.${table.address} <= ${asAddress('to')} ORDER BY r.${table.address} LIMIT ${LOADED_MAX} ${POINT_READ}`;

/** Parameters of `rangeSql`, both inclusive. */
export interface AddressRange {
  readonly from: string;
  readonly to: string;
}

const paramOf = (address: bigint): string => addressParam(addressOfNumber(address));

/** How many addresses there are. */
const ADDRESSES = 2n ** 160n;

/** All rows by ranges of addresses, which are evenly distributed; `stored` is the number of rows. */
export const readRanges = async function* <Row extends { readonly address: Hex }>(
  read: (range: AddressRange) => Promise<Row[]>,
  stored: number,
): AsyncGenerator<Row[], undefined> {
  const width = (ADDRESSES * BigInt(LOADED_USUALLY)) / BigInt(Math.max(stored, LOADED_USUALLY));
  for (let from = 0n; from < ADDRESSES; ) {
    const to = from + width < ADDRESSES ? from + width : ADDRESSES - 1n;
    const page = await read({ from: paramOf(from), to: paramOf(to) });
    const last = page.length < LOADED_MAX ? undefined : page.at(-1);
    from = (last ? BigInt(last.address) : to) + 1n;
    yield page;
  }
  return undefined;
};
