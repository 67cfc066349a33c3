import { z } from 'zod';
import { addressParam } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { knownFactories } from '../../../shared/market/marketReads.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { Reads } from '../readCache.ts';
import { type CountedTouch, FOREVER_S } from './touchStore.ts';
import {
  asOf,
  OF_TOKENS,
  poolHolders,
  readTransfers,
  type StoredTransfers,
  UP_TO,
} from './transferStore.ts';

/** Transfers of tokens, each up to a time. */
const transferRows = `(SELECT token, tx_hash, from_address, to_address, value FROM fact_transfers FINAL
    WHERE ${OF_TOKENS} AND ${UP_TO} AND block_number >= {fromBlock:UInt64} AND toUnixTimestamp(timestamp) <= ${asOf('token')})`;

/** The zero address, and the usual burn address. */
const BURN_ADDRESSES: readonly Hex[] = [ZERO_ADDRESS, '0x000000000000000000000000000000000000dead'];
const burnAddresses = `(${BURN_ADDRESSES.map((address) => `toFixedString(unhex('${addressParam(address)}'), 20)`).join(', ')})`;

/** Bytes of memory for summing balances; beyond it, sums are computed on disk. */
const AGGREGATION_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Holders kept individually per token: one more than graphs show, so that they can tell that there are more.
 */
export const HOLDERS_KEPT_MAX = 51;

/**
 * Balances are sums of transfers: exact for tokens that move only by Transfer. Holders are addresses with a positive
 * balance, without burn addresses; the top ten also exclude pools.
 */
const holdersSql = `SELECT ${hexText('b.token')} AS address, count() AS holders, sum(b.amount) AS held,
    sumIf(b.amount, p.pool != toFixedString('', 20)) AS in_pools,
    -arraySum(groupArraySortedIf(10)(-b.amount, p.pool = toFixedString('', 20))) AS top_ten,
    arrayMap(x -> (${hexText('x.2')}, -x.1), groupArraySorted(${HOLDERS_KEPT_MAX})((-b.amount, b.holder))) AS largest
  FROM (SELECT token, move.1 AS holder, toFloat64(sum(move.2) AS held) AS amount
    FROM (SELECT token, arrayJoin([(from_address, -toInt256(value)), (to_address, toInt256(value))]) AS move FROM ${transferRows})
    WHERE holder NOT IN ${burnAddresses} GROUP BY token, holder HAVING held > 0) AS b
  LEFT JOIN ${poolHolders} AS p ON p.token = b.token AND p.pool = b.holder
  GROUP BY b.token
  SETTINGS max_bytes_before_external_group_by = ${AGGREGATION_BYTES_MAX}, max_bytes_ratio_before_external_group_by = 0`;
const holdersSchema = z.object({
  address: addressSchema,
  holders: z.number(),
  /** In raw units, like all amounts. */
  held: z.number(),
  /** The part of `held` in markets. */
  in_pools: z.number(),
  /** The part of `held` that the ten largest other holders have. */
  top_ten: z.number(),
  /** Address and amount, largest first, pools included. */
  largest: z.array(z.tuple([addressSchema, z.number()]).readonly()),
});
type Holders = Omit<z.infer<typeof holdersSchema>, 'address'>;
export interface HoldersRow extends Holders {
  readonly address: Hex;
  readonly transfers: number;
  readonly transactions: number;
  /** Whether all transfers of the token were read. */
  readonly is_whole: boolean;
}
/** The largest holders, as shares of `held`. */
export const holderShares = (row: HoldersRow | undefined): (readonly [Hex, number])[] =>
  row ? row.largest.map(([holder, amount]) => [holder, amount / row.held] as const) : [];

const NO_HOLDERS: Holders = { holders: 0, held: 0, in_pools: 0, top_ten: 0, largest: [] };

const TOP_HOLDERS = 10;
const sumOf = (held: readonly (readonly [Hex, number])[]): number =>
  held.reduce((sum, [, amount]) => sum + amount, 0);

/**
 * What `holdersSql` computes in ClickHouse, for a token whose transfers are in memory. Saves one query per verdict:
 * 26 of 145 ms.
 */
const holdersBy = ({ transfers, pool_holders }: StoredTransfers, asOfS: number): Holders => {
  const balances = new Map<Hex, bigint>();
  for (const [atS, from, to, value] of transfers) {
    if (atS > asOfS) break;
    balances.set(from, (balances.get(from) ?? 0n) - BigInt(value));
    balances.set(to, (balances.get(to) ?? 0n) + BigInt(value));
  }
  const held = [...balances]
    .filter(([holder, balance]) => balance > 0n && !BURN_ADDRESSES.includes(holder))
    .map(([holder, balance]) => [holder, Number(balance)] as const)
    .sort(([a, some], [b, more]) => more - some || (a < b ? -1 : 1));
  const pools = new Set(pool_holders);
  const wallets = held.filter(([holder]) => !pools.has(holder));
  return {
    holders: held.length,
    held: sumOf(held),
    in_pools: sumOf(held.filter(([holder]) => pools.has(holder))),
    top_ten: sumOf(wallets.slice(0, TOP_HOLDERS)),
    largest: held.slice(0, HOLDERS_KEPT_MAX),
  };
};

/**
 * Recipients of equal amounts by one sender in one transaction, from which they cannot all have asked for it.
 */
export const BATCH_RECIPIENTS_MIN = 20;

/** Number of recipients of a token, and of those in such transactions; the largest of these transactions. */
const spreadSql = `SELECT ${hexText('b.token')} AS address, uniqExactArray(b.recipients) AS recipients,
    uniqExactArrayIf(b.recipients, length(b.recipients) >= ${BATCH_RECIPIENTS_MIN}) AS unasked,
    uniqExactIf(b.tx_hash, length(b.recipients) >= ${BATCH_RECIPIENTS_MIN}) AS batches, ${hexText('argMax(b.tx_hash, (length(b.recipients), b.tx_hash))')} AS largest_batch
  FROM (SELECT token, tx_hash, groupUniqArray(to_address) AS recipients FROM ${transferRows}
    WHERE value > 0 GROUP BY token, tx_hash, from_address, value) AS b
  GROUP BY b.token
  SETTINGS max_bytes_before_external_group_by = ${AGGREGATION_BYTES_MAX}, max_bytes_ratio_before_external_group_by = 0`;
const spreadSchema = z.object({
  address: addressSchema,
  recipients: z.number(),
  /** Recipients of equal amounts from one sender by the dozen in one transaction. */
  unasked: z.number(),
  /** Such transactions, and the largest of them. */
  batches: z.number(),
  largest_batch: hashSchema,
});
export type SpreadRow = z.infer<typeof spreadSchema>;

/** Tokens whose transfers are read from a block up to a block, each up to a time. */
export interface TransferPlace {
  readonly chainId: number;
  readonly fromBlock: number;
  readonly upTo: number;
  /** Unix seconds, for tokens with such a time. */
  readonly asOfS: ReadonlyMap<Hex, number> | undefined;
}

const paramsOf = (
  { chainId, fromBlock, upTo, asOfS }: TransferPlace,
  tokens: readonly Hex[],
): Record<string, unknown> => ({
  chainId,
  tokens: tokens.map(addressParam),
  factories: knownFactories(chainId),
  fromBlock,
  upTo,
  asOfS: tokens.map((token) => asOfS?.get(token) ?? FOREVER_S),
});

/**
 * Holders of tokens with transfers; for tokens with few, also the transfers.
 * @param followedMax maximum transfers to be few; ClickHouse aggregates the holders of tokens with more
 */
export const readHolders = async (
  reads: Reads,
  place: TransferPlace,
  touches: ReadonlyMap<Hex, CountedTouch>,
  followedMax: number,
): Promise<{
  readonly holders: ReadonlyMap<Hex, HoldersRow>;
  readonly transfers: ReadonlyMap<Hex, StoredTransfers>;
}> => {
  const { chainId, fromBlock, upTo, asOfS } = place;
  const counted = [...touches].filter(([, { transfers }]) => transfers > 0);
  const [few, many] = [[] as Hex[], [] as Hex[]];
  for (const [token, { transfers }] of counted) {
    (fromBlock === 0 && transfers <= followedMax ? few : many).push(token);
  }
  const [rows, transfers] = await Promise.all([
    many.length > 0 ? reads.clickhouse.query(holdersSql, paramsOf(place, many), holdersSchema) : [],
    readTransfers(reads, chainId, few, upTo),
  ]);
  const found = new Map<Hex, Holders>([
    ...rows.map((row) => [row.address, row] as const),
    ...[...transfers].map(([token, own]) => {
      return [token, holdersBy(own, asOfS?.get(token) ?? FOREVER_S)] as const;
    }),
  ]);
  const holders = counted.map(([address, { transfers: count, transactions }]) => {
    const row = { ...NO_HOLDERS, ...found.get(address), address, transfers: count, transactions };
    return [address, { ...row, is_whole: fromBlock === 0 }] as const;
  });
  return { holders: new Map(holders), transfers };
};

/** How tokens reached their holders. */
export const readSpread = async (
  { clickhouse }: Reads,
  place: TransferPlace,
  tokens: readonly Hex[],
): Promise<Map<Hex, SpreadRow>> => {
  if (tokens.length === 0) return new Map();
  const rows = await clickhouse.query(spreadSql, paramsOf(place, tokens), spreadSchema);
  return new Map(rows.map((row) => [row.address, row]));
};
