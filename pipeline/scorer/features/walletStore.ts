import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { NO_CACHE, type ReadCache, type Reads } from '../readCache.ts';
import { type StoredTransfers, UP_TO } from './transferStore.ts';
import { agedHolders, type FirstFunding, type WalletSeries } from './walletFeatures.ts';

/** The first native coins each wallet received from somebody else, and when their sender first made a token. */
const fundingsSql = `SELECT ${hexText('f.wallet')} AS address, f.at AS atS, ${hexText('f.sender')} AS payer, toBool(c.made > 0 AND c.first_at <= f.at) AS byCreator
  FROM (SELECT to_address AS wallet, toUnixTimestamp(argMin(timestamp, (block_number, tx_index))) AS at,
      argMin(from_address, (block_number, tx_index)) AS sender
    FROM fact_native_transfers FINAL WHERE chain_id = {chainId:UInt64} AND to_address IN ${inAddresses('wallets')}
      AND from_address != to_address AND value > 0 AND ${UP_TO} GROUP BY to_address) AS f
  LEFT JOIN (SELECT creator, count() AS made, toUnixTimestamp(min(created_at)) AS first_at FROM dim_tokens FINAL
    WHERE chain_id = {chainId:UInt64} AND created_block <= {upTo:UInt64} AND creator IN (
      SELECT argMin(from_address, (block_number, tx_index)) FROM fact_native_transfers FINAL
      WHERE chain_id = {chainId:UInt64} AND to_address IN ${inAddresses('wallets')}
        AND from_address != to_address AND value > 0 AND ${UP_TO} GROUP BY to_address)
    GROUP BY creator) AS c ON c.creator = f.sender`;
const fundingsSchema = z.object({
  address: addressSchema,
  atS: z.number(),
  payer: addressSchema,
  byCreator: z.boolean(),
});

/** The zero time of an empty table is no time. */
const sinceSql = `SELECT count() AS transfers, toUnixTimestamp(min(timestamp)) AS since_s
  FROM fact_native_transfers WHERE chain_id = {chainId:UInt64}`;
const sinceSchema = z.object({ transfers: z.number(), since_s: z.number() });

/** A token whose wallets are asked for. */
export interface WalletSubject {
  readonly token: Hex;
  readonly creator: Hex;
  /** Unix seconds. */
  readonly createdS: number;
  /** Its transfers; undefined where it has none, or too many to read. */
  readonly stored: StoredTransfers | undefined;
  /** Holders are those of this time, Unix seconds. */
  readonly asOfS: number;
}

/** Reads the input of `walletFeatures` other than transfers, in two queries for the whole group. */
export interface WalletStore {
  /** @param upTo last block whose facts are stored in full; later ones are left out. */
  read(
    chainId: number,
    subjects: readonly WalletSubject[],
    upTo: number,
  ): Promise<Map<Hex, WalletSeries>>;
}

type Unfunded = Omit<WalletSeries, 'fundings' | 'fundingsSinceS'>;

const seriesOf = ({ token, creator, createdS, stored }: WalletSubject): Unfunded => ({
  createdS,
  creator: creator === ZERO_ADDRESS ? undefined : creator,
  transfers: stored?.transfers.map(([timestampS, from, to, value]) => {
    return { timestampS, from, to, value: BigInt(value) };
  }),
  notWallets: new Set([token, ...(stored?.pools ?? [])]),
});

const readFundings = (
  { clickhouse, cache }: Reads,
  chainId: number,
  wallets: readonly string[],
  upTo: number,
): Promise<Map<string, FirstFunding>> =>
  cache.read({
    of: 'funding',
    keys: wallets as readonly Hex[],
    upTo,
    read: async (missing) => {
      const params = { chainId, wallets: missing.map(addressParam), upTo };
      const rows = await clickhouse.query(fundingsSql, params, fundingsSchema);
      return new Map(rows.map((row) => [row.address, row]));
    },
    // The first funding stays the first.
    dependsOn: (wallet, first) => [first ? `creator ${first.payer}` : `funds ${wallet}`],
  });

export const createWalletStore = (
  clickhouse: Clickhouse,
  cache: ReadCache = NO_CACHE,
): WalletStore => {
  const reads = { clickhouse, cache };
  /** When the record of native transfers begins, by chain: it never begins earlier once it has begun. */
  const sinceByChain = new Map<number, number>();
  const recordSince = async (chainId: number): Promise<number> => {
    const known = sinceByChain.get(chainId);
    if (known !== undefined) return known;
    const [row] = await clickhouse.query(sinceSql, { chainId }, sinceSchema);
    if (!row || row.transfers === 0) return Number.POSITIVE_INFINITY;
    sinceByChain.set(chainId, row.since_s);
    return row.since_s;
  };

  const read: WalletStore['read'] = async (chainId, subjects, upTo) => {
    const fundingsSinceS = await recordSince(chainId);
    const unfunded = subjects.map((subject) => {
      const { token, asOfS } = subject;
      const series = seriesOf(subject);
      const holders = agedHolders(series, asOfS);
      return { token, series, wallets: series.creator ? [series.creator, ...holders] : holders };
    });
    const wallets = new Set(unfunded.flatMap((subject) => subject.wallets));
    const fundings = await readFundings(reads, chainId, [...wallets], upTo);
    return new Map(
      unfunded.map(({ token, series }) => [token, { ...series, fundings, fundingsSinceS }]),
    );
  };
  return { read };
};
