import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { NO_CACHE, type ReadCache, type Reads } from '../readCache.ts';
import { type StoredTransfers, UP_TO } from './transferStore.ts';
import { agedHolders, type FirstFunding, type WalletSeries } from './walletFeatures.ts';

/** The first native payment to each wallet from another. */
const fundingsSql = `SELECT ${hexText('f.to_address')} AS address, toUnixTimestamp(argMin(f.timestamp, (f.block_number, f.tx_index))) AS atS,
    ${hexText('argMin(f.from_address, (f.block_number, f.tx_index))')} AS payer
  FROM fact_native_transfers AS f FINAL WHERE f.chain_id = {chainId:UInt64} AND f.to_address IN ${inAddresses('wallets')}
    AND f.from_address != f.to_address AND f.value > 0 AND f.${UP_TO} GROUP BY f.to_address`;
const fundingsSchema = z.object({ address: addressSchema, atS: z.number(), payer: addressSchema });

/** When some wallets first created a token. */
const firstTokensSql = `SELECT ${hexText('t.creator')} AS address, toUnixTimestamp(min(t.created_at)) AS atS
  FROM dim_tokens AS t FINAL WHERE t.chain_id = {chainId:UInt64} AND t.created_block <= {upTo:UInt64} AND t.creator IN ${inAddresses('wallets')}
  GROUP BY t.creator`;
const firstTokensSchema = z.object({ address: addressSchema, atS: z.number() });

/** An empty table returns a time of zero. */
const sinceSql = `SELECT count() AS transfers, toUnixTimestamp(min(timestamp)) AS since_s
  FROM fact_native_transfers WHERE chain_id = {chainId:UInt64}`;
const sinceSchema = z.object({ transfers: z.number(), since_s: z.number() });

/** A token whose wallets are asked for. */
export interface WalletSubject {
  readonly token: Hex;
  readonly creator: Hex;
  /** Unix seconds. */
  readonly createdS: number;
  /** Its transfers; undefined if there are none, or too many to read. */
  readonly stored: StoredTransfers | undefined;
  /** Time as of which holders are determined, Unix seconds. */
  readonly asOfS: number;
}

/** Reads the input of `walletFeatures` other than transfers, in three queries for the whole group. */
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

const readFundings = async (
  { clickhouse, cache }: Reads,
  chainId: number,
  wallets: readonly string[],
  upTo: number,
): Promise<Map<string, FirstFunding>> => {
  const paramsOf = (some: readonly Hex[]) => ({ chainId, wallets: some.map(addressParam), upTo });
  const found = await cache.read({
    of: 'funding',
    keys: wallets as readonly Hex[],
    upTo,
    read: async (missing) => {
      const rows = await clickhouse.query(fundingsSql, paramsOf(missing), fundingsSchema);
      return new Map(rows.map((row) => [row.address, row]));
    },
    // The first funding never changes.
    dependsOn: (wallet, first) => (first ? [] : [`funds ${wallet}`]),
  });
  const firstTokens = await cache.read<Hex, number>({
    of: 'first token',
    keys: [...new Set([...found.values()].map(({ payer }) => payer))],
    upTo,
    read: async (missing) => {
      const rows = await clickhouse.query(firstTokensSql, paramsOf(missing), firstTokensSchema);
      return new Map(rows.map(({ address, atS }) => [address, atS]));
    },
    dependsOn: (creator) => [`creator ${creator}`],
  });
  return new Map(
    [...found].map(([wallet, { atS, payer }]) => {
      const byCreator = (firstTokens.get(payer) ?? Number.POSITIVE_INFINITY) <= atS;
      return [wallet, { atS, payer, byCreator }];
    }),
  );
};

export const createWalletStore = (
  clickhouse: Clickhouse,
  cache: ReadCache = NO_CACHE,
): WalletStore => {
  const reads = { clickhouse, cache };
  /** When the record of native transfers begins, by chain: once known, it does not change. */
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
