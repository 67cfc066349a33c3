import { addressOfNumber, addressParam, asAddress } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { POINT_READ } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';

/** Rows loaded at a time, at most; usually so many fewer that one read holds all of its range: of 8,000 the process has 10 MiB more. */
const LOADED_MAX = 10_000;
const LOADED_USUALLY = 4_000;
/** Rows handed to the thread at a time: with all of a page at once both sides hold 60 MiB more at the highest. */
export const HANDED_ROWS = 2_000;

/** A table with a row in force for each address of a chain. */
export interface AddressTable {
  readonly name: string;
  /** The column of the address. */
  readonly address: string;
  /** When a row of it, `r`, was stored, Unix microseconds: greater with every change of an address. */
  readonly seq: string;
}

export const VERDICT_TABLE: AddressTable = {
  name: 'token_verdicts',
  address: 'token',
  seq: 'r.seq',
};

/** Rows of a table, `r`. */
export const OF_CHAIN = 'WHERE r.chain_id = {chainId:UInt64}';

/** What a row is known by. */
export const keySql = ({ address, seq }: AddressTable): string =>
  `${hexText(`r.${address}`)} AS address, ${seq} AS seq`;

/** What is in force of a range: with both ends, since with FINAL the database reads all the rest for a page that has but a limit. */
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

/** All rows by ranges of addresses, over which they are spread evenly; `stored` is how many there are. */
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
