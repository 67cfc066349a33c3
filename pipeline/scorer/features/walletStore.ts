import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { NO_RECALL, type Reads, type Recall, type Revision, revision } from '../recall.ts';
import {
  agedHolders,
  type FirstFunding,
  TOKEN_TRANSFERS_MAX,
  type WalletSeries,
} from './walletFeatures.ts';

/** Only blocks stored in full count: of a later one a part may be there already. */
const UP_TO = 'block_number <= {upTo:UInt64}';

/** Transfers of tokens, with all their pools. */
const transfersSql = `SELECT ${hexText('t.token')} AS address, t.transfers AS transfers, p.pools AS pools
  FROM (SELECT token, arrayMap(x -> (x.3, x.4, x.5, x.6), arraySort(x -> (x.1, x.2), groupArray((block_number, log_index,
      toUnixTimestamp(timestamp), ${hexText('from_address')}, ${hexText('to_address')}, toString(value))))) AS transfers
    FROM (SELECT token, block_number, log_index, timestamp, from_address, to_address, value FROM fact_transfers FINAL
      WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')} AND ${UP_TO}
      ORDER BY token, block_number, log_index LIMIT {transfersMax:UInt32} BY token)
    GROUP BY token) AS t
  LEFT JOIN (SELECT token, groupArray(${hexText('pool')}) AS pools FROM dim_pools FINAL
    WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')} GROUP BY token) AS p ON p.token = t.token`;
const transfersSchema = z.object({
  address: addressSchema,
  /** Unix seconds, from, to, raw amount. */
  transfers: z.array(z.tuple([z.number(), addressSchema, addressSchema, z.string()])),
  pools: z.array(addressSchema),
});
type StoredTransfers = z.infer<typeof transfersSchema>;
/** One more than are used, which shows that there are too many. */
const READ_MAX = TOKEN_TRANSFERS_MAX + 1;

/** The first native coins each wallet received from somebody else, and when their sender first made a token. */
const fundingsSql = `SELECT ${hexText('f.wallet')} AS address, f.at AS at_s, ${hexText('f.sender')} AS sender, c.made > 0 AND c.first_at <= f.at AS by_creator
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
  at_s: z.number(),
  sender: addressSchema,
  by_creator: z.number(),
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
  /** Its transfers on record; with more than `TOKEN_TRANSFERS_MAX` none are read. */
  readonly transfers: number;
  /** Holders are those of this time, Unix seconds. */
  readonly asOfS: number;
}

/** Reads what `walletFeatures` is made from, in three queries for the whole group. */
export interface WalletStore {
  /** @param upTo last block whose facts are stored in full; later ones are left out. */
  read(
    chainId: number,
    subjects: readonly WalletSubject[],
    upTo: number,
  ): Promise<Map<Hex, WalletSeries>>;
}

type Unfunded = Omit<WalletSeries, 'fundings' | 'fundingsSinceS'>;

const seriesOf = (
  { token, creator, createdS }: WalletSubject,
  stored: StoredTransfers | undefined,
): Unfunded => ({
  createdS,
  creator: creator === ZERO_ADDRESS ? undefined : creator,
  transfers: stored?.transfers.map(([timestampS, from, to, value]) => {
    return { timestampS, from, to, value: BigInt(value) };
  }),
  notWallets: new Set([token, ...(stored?.pools ?? [])]),
});

/** What the facts of a block that was stored add to the transfers of tokens. */
export const followTransfers = ({ timestampS, facts }: BlockFacts): Revision[] => {
  const transfers = facts.filter((fact) => fact.kind === 'transfer');
  return [...groupBy(transfers, ({ token }) => token)].map(([token, own]) =>
    revision<StoredTransfers>('token transfers', token, (before) => {
      const added = own
        .toSorted((a, b) => a.logIndex - b.logIndex)
        .map(({ from, to, value }): StoredTransfers['transfers'][number] => {
          return [timestampS, from, to, String(BigInt(value))];
        });
      return before && { ...before, transfers: [...before.transfers, ...added].slice(0, READ_MAX) };
    }),
  );
};

const readTransfers = (
  { clickhouse, recall }: Reads,
  chainId: number,
  tokens: readonly Hex[],
  upTo: number,
): Promise<Map<Hex, StoredTransfers>> =>
  recall.read({
    of: 'token transfers',
    keys: tokens,
    upTo,
    restsOn: (token) => [`transfers ${token}`, `markets ${token}`],
    read: async (missing) => {
      const params = { chainId, tokens: missing.map(addressParam), upTo, transfersMax: READ_MAX };
      const rows = await clickhouse.query(transfersSql, params, transfersSchema);
      return new Map(rows.map((row) => [row.address, row]));
    },
  });

const readFundings = async (
  { clickhouse, recall }: Reads,
  chainId: number,
  wallets: readonly string[],
  upTo: number,
): Promise<Map<string, FirstFunding>> => {
  const found = await recall.read({
    of: 'funding',
    keys: wallets as readonly Hex[],
    upTo,
    read: async (missing) => {
      const params = { chainId, wallets: missing.map(addressParam), upTo };
      const rows = await clickhouse.query(fundingsSql, params, fundingsSchema);
      return new Map(rows.map((row) => [row.address, row]));
    },
    // The first funding stays the first.
    restsOn: (wallet, first) => [first ? `creator ${first.sender}` : `funds ${wallet}`],
  });
  return new Map(
    [...found].map(([wallet, { at_s: atS, by_creator }]) => [
      wallet,
      { atS, byCreator: by_creator === 1 },
    ]),
  );
};

export const createWalletStore = (
  clickhouse: Clickhouse,
  recall: Recall = NO_RECALL,
): WalletStore => {
  const reads = { clickhouse, recall };
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
    const few = subjects.filter(({ transfers }) => transfers <= TOKEN_TRANSFERS_MAX);
    const tokens = few.map(({ token }) => token);
    const [storedOf, fundingsSinceS] = await Promise.all([
      readTransfers(reads, chainId, tokens, upTo),
      recordSince(chainId),
    ]);
    const unfunded = subjects.map((subject) => {
      const { token, asOfS } = subject;
      const series = seriesOf(subject, storedOf.get(token));
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
