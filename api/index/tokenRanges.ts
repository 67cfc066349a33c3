import { addressOfNumber, addressParam, asAddress } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { POINT_READ } from '../../shared/platform/clickhouse.ts';

/** Tokens loaded at a time, at most; usually so many fewer that one read holds all of its range: of 8,000 the process has 10 MiB more. */
const LOADED_MAX = 10_000;
const LOADED_USUALLY = 4_000;
/** Tokens handed to the thread at a time: with all of a page at once both sides hold 60 MiB more at the highest. */
export const HANDED_TOKENS = 2_000;

/** Rows of `token_verdicts AS v`. */
export const OF_CHAIN = 'WHERE v.chain_id = {chainId:UInt64}';
/** What is in force of the tokens of a range: with both ends, since with FINAL the database reads all the rest for a page that has but a limit. */
export const rangeSql = (
  columns: string,
): string => `SELECT ${columns} FROM token_verdicts AS v FINAL ${OF_CHAIN}
  AND v.token >= ${asAddress('from')} AND v.token <= ${asAddress('to')} ORDER BY v.token LIMIT ${LOADED_MAX} ${POINT_READ}`;

/** Parameters of `rangeSql`, both inclusive. */
export interface TokenRange {
  readonly from: string;
  readonly to: string;
}

const paramOf = (address: bigint): string => addressParam(addressOfNumber(address));

/** How many addresses there are. */
const ADDRESSES = 2n ** 160n;

/** All tokens by ranges of addresses, over which they are spread evenly; `rows` is how many are stored. */
export const readRanges = async function* <Row extends { readonly token: Hex }>(
  read: (range: TokenRange) => Promise<Row[]>,
  rows: number,
): AsyncGenerator<Row[], undefined> {
  const width = (ADDRESSES * BigInt(LOADED_USUALLY)) / BigInt(Math.max(rows, LOADED_USUALLY));
  for (let from = 0n; from < ADDRESSES; ) {
    const to = from + width < ADDRESSES ? from + width : ADDRESSES - 1n;
    const page = await read({ from: paramOf(from), to: paramOf(to) });
    const last = page.length < LOADED_MAX ? undefined : page.at(-1);
    from = (last ? BigInt(last.token) : to) + 1n;
    yield page;
  }
  return undefined;
};
