import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import { HAVE_MANAGER, sqlProtocols } from '../../../shared/chain/protocol.ts';
import {
  BESIDE_UNISWAP_V2,
  knownFactories,
  OF_KNOWN_FACTORIES,
} from '../../../shared/market/marketReads.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { type CacheUpdate, cacheUpdate, type Reads } from '../readCache.ts';
import { TOKEN_TRANSFERS_MAX } from './walletFeatures.ts';

/** Only blocks stored in full count: a later one may be stored in part. */
export const UP_TO = 'block_number <= {upTo:UInt64}';
export const OF_TOKENS = `chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')}`;

/** The time up to which a token's facts count, Unix seconds. */
export const asOf = (token: string): string =>
  `transform(lower(hex(${token})), {tokens:Array(String)}, {asOfS:Array(UInt32)}, toUInt32(0))`;
/**
 * Contracts that hold tokens for markets: pools of any protocol, and managers that hold the assets of all their
 * pools.
 */
export const poolHolders = `(SELECT token, pool, max(is_pair) AS is_pair FROM (SELECT token, pool, 1 AS is_pair FROM dim_pools FINAL WHERE ${OF_TOKENS}
    UNION ALL SELECT arrayJoin([token0, token1]) AS token,
      if(protocol IN ${sqlProtocols(HAVE_MANAGER)}, factory, toFixedString(substring(market, 13), 20)) AS pool, 0
    FROM fact_markets FINAL WHERE chain_id = {chainId:UInt64} AND ${BESIDE_UNISWAP_V2} AND (token0 IN ${inAddresses('tokens')}
      OR token1 IN ${inAddresses('tokens')}) AND ${OF_KNOWN_FACTORIES}) GROUP BY token, pool)`;

/** The first transfers of tokens, with all their pools and other contracts that hold them for markets. */
const transfersSql = `SELECT ${hexText('t.token')} AS address, t.transfers AS transfers, h.pools AS pools, h.pool_holders AS pool_holders
  FROM (SELECT token, arrayMap(x -> (x.3, x.4, x.5, x.6), arraySort(x -> (x.1, x.2), groupArray((block_number, log_index,
      toUnixTimestamp(timestamp), ${hexText('from_address')}, ${hexText('to_address')}, toString(value))))) AS transfers
    FROM (SELECT token, block_number, log_index, timestamp, from_address, to_address, value FROM fact_transfers FINAL
      WHERE ${OF_TOKENS} AND ${UP_TO}
      ORDER BY token, block_number, log_index LIMIT {transfersMax:UInt32} BY token)
    GROUP BY token) AS t
  LEFT JOIN (SELECT token, groupArrayIf(${hexText('pool')}, is_pair = 1) AS pools, groupArray(${hexText('pool')}) AS pool_holders FROM ${poolHolders} GROUP BY token) AS h ON h.token = t.token`;
const transfersSchema = z.object({
  address: addressSchema,
  /** Unix seconds, from, to, raw amount. */
  transfers: z.array(z.tuple([z.number(), addressSchema, addressSchema, z.string()])),
  pools: z.array(addressSchema),
  pool_holders: z.array(addressSchema),
});
export type StoredTransfers = z.infer<typeof transfersSchema>;
/** One more than is used, which shows that there are too many. */
const READ_MAX = TOKEN_TRANSFERS_MAX + 1;

/** Applies the facts of a stored block to cached transfers of tokens. */
export const followTransfers = ({ timestampS, facts }: BlockFacts): CacheUpdate[] => {
  const transfers = facts.filter((fact) => fact.kind === 'transfer');
  return [...groupBy(transfers, ({ token }) => token)].map(([token, own]) =>
    cacheUpdate<StoredTransfers>('token transfers', token, (before) => {
      const added = own
        .toSorted((a, b) => a.logIndex - b.logIndex)
        .map(({ from, to, value }): StoredTransfers['transfers'][number] => {
          return [timestampS, from, to, String(BigInt(value))];
        });
      return before && { ...before, transfers: [...before.transfers, ...added].slice(0, READ_MAX) };
    }),
  );
};

/** The transfers of tokens with at most `TOKEN_TRANSFERS_MAX`, followed from block to block. */
export const readTransfers = (
  { clickhouse, cache }: Reads,
  chainId: number,
  tokens: readonly Hex[],
  upTo: number,
): Promise<Map<Hex, StoredTransfers>> =>
  cache.read({
    of: 'token transfers',
    keys: tokens,
    upTo,
    dependsOn: (token) => [`transfers ${token}`, `markets ${token}`],
    read: async (missing) => {
      const params = {
        chainId,
        tokens: missing.map(addressParam),
        upTo,
        factories: knownFactories(chainId),
        transfersMax: READ_MAX,
      };
      const rows = await clickhouse.query(transfersSql, params, transfersSchema);
      return new Map(rows.map((row) => [row.address, row]));
    },
  });
