import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { ReadCache } from '../readCache.ts';
import { UP_TO } from './transferStore.ts';

/** Transfers between pools and others that are read of a token, the latest ones. */
const TRADES_MAX = 1_000;

/** Pools by the token that is traded there: a transfer to a pool of another token is no trade. */
const OWN_POOLS = `(SELECT toFixedString(unhex(side.1), 20), toFixedString(unhex(side.2), 20)
    FROM (SELECT arrayJoin(arrayZip({poolTokens:Array(String)}, {pools:Array(String)})) AS side))`;
const tradesSql = `SELECT ${hexText('t.token')} AS address, groupArray((t.block_number, toUnixTimestamp(t.timestamp),
      ${hexText('t.trader')}, t.is_sale, ${hexText('t.tx_hash')})) AS trades
  FROM (SELECT token, block_number, log_index, timestamp, tx_hash, (token, to_address) IN ${OWN_POOLS} AS is_sale, if(is_sale, from_address, to_address) AS trader
    FROM fact_transfers FINAL WHERE chain_id = {chainId:UInt64} AND ${UP_TO} AND token IN ${inAddresses('poolTokens')} AND value > 0
      AND ((token, from_address) IN ${OWN_POOLS} OR (token, to_address) IN ${OWN_POOLS})
    ORDER BY token, block_number DESC, log_index DESC LIMIT ${TRADES_MAX} BY token) AS t
  GROUP BY t.token`;
const tradesSchema = z.object({
  address: addressSchema,
  /** Block, Unix seconds, trader, whether it is a sale, transaction; the latest first. */
  trades: z.array(z.tuple([z.number(), z.number(), addressSchema, z.number(), hashSchema])),
});
type StoredTrades = z.infer<typeof tradesSchema>['trades'];
/** Wallets that a creator sent native currency, of those asked for. */
const fundedSql = `SELECT ${hexText('from_address')} AS creator, groupUniqArray(${hexText('to_address')}) AS wallets
  FROM fact_native_transfers FINAL WHERE chain_id = {chainId:UInt64} AND ${UP_TO} AND to_address IN ${inAddresses('wallets')}
    AND from_address IN ${inAddresses('creators')} GROUP BY from_address`;
const fundedSchema = z.object({ creator: addressSchema, wallets: z.array(addressSchema) });

/** A token whose trades are asked for. */
export interface TradedToken {
  readonly token: Hex;
  readonly creator: Hex;
  readonly pools: readonly Hex[];
}

/** Tokens that went from a pool to somebody, or from somebody to a pool. */
export interface HolderTrade {
  readonly blockNumber: number;
  readonly timestampS: number;
  readonly trader: Hex;
  readonly isSale: boolean;
  readonly txHash: Hex;
}

/** The latest trades of a token, in the order in which they happened, and who of the traders belongs to its creator. */
export interface HolderTrades {
  readonly trades: readonly HolderTrade[];
  /** Traders that are the creator, the token itself, a pool, or were sent native currency by the creator. */
  readonly insiders: ReadonlySet<Hex>;
}

export interface HolderSalesStore {
  /** Trades in pools of Uniswap V2, by token; none for a token that was never traded there. */
  read(
    chainId: number,
    tokens: readonly TradedToken[],
    upTo: number,
  ): Promise<Map<Hex, HolderTrades>>;
}

/** What is cached of a token: its latest trades, the latest first, and which traders its creator sent native currency. */
interface StoredHolders {
  readonly trades: StoredTrades;
  readonly funded: readonly Hex[];
}

const tradersOf = (trades: StoredTrades): Hex[] => [
  ...new Set(trades.map(([, , trader]) => trader)),
];

const readStored = async (
  clickhouse: Clickhouse,
  { chainId, upTo }: { chainId: number; upTo: number },
  tokens: readonly TradedToken[],
): Promise<Map<Hex, StoredHolders>> => {
  const sides = tokens.flatMap(({ token, pools }) => pools.map((pool) => ({ token, pool })));
  const params = {
    chainId,
    upTo,
    poolTokens: sides.map(({ token }) => addressParam(token)),
    pools: sides.map(({ pool }) => addressParam(pool)),
  };
  const rows = await clickhouse.query(tradesSql, params, tradesSchema);
  if (rows.length === 0) return new Map();
  const creatorOf = new Map(tokens.map(({ token, creator }) => [token, creator]));
  const wallets = tradersOf(rows.flatMap(({ trades }) => trades)).map(addressParam);
  const creators = [...new Set(creatorOf.values())].map(addressParam);
  const funded = await clickhouse.query(
    fundedSql,
    { chainId, upTo, wallets, creators },
    fundedSchema,
  );
  const fundedBy = new Map(funded.map((row) => [row.creator, new Set(row.wallets)]));
  return new Map(
    rows.map(({ address, trades }) => {
      const own = fundedBy.get(creatorOf.get(address) ?? address);
      return [address, { trades, funded: tradersOf(trades).filter((one) => own?.has(one)) }];
    }),
  );
};

/** All that the trades of a token depend on beside the rows: who its creator is, and which pools count. */
const keyOf = ({ token, creator, pools }: TradedToken): string =>
  [token, creator, ...pools.toSorted()].join();

export const createHolderSalesStore = (
  clickhouse: Clickhouse,
  cache: ReadCache,
): HolderSalesStore => ({
  read: async (chainId, tokens, upTo) => {
    const byKey = new Map(tokens.map((one) => [keyOf(one), one]));
    const askedBy = (key: string): TradedToken[] => [byKey.get(key) ?? []].flat();
    const found = await cache.read<string, StoredHolders>({
      of: 'holder trades',
      keys: [...byKey.keys()],
      upTo,
      dependsOn: (key, stored) => [
        ...askedBy(key).map(({ token }) => `transfers ${token}` as const),
        ...tradersOf(stored?.trades ?? []).map((trader) => `funds ${trader}` as const),
      ],
      read: async (missing) => {
        const asked = missing.flatMap(askedBy);
        const stored = await readStored(clickhouse, { chainId, upTo }, asked);
        return new Map(
          asked.flatMap((one): [string, StoredHolders][] => {
            const own = stored.get(one.token);
            return own ? [[keyOf(one), own]] : [];
          }),
        );
      },
    });
    return new Map(
      tokens.flatMap((one): [Hex, HolderTrades][] => {
        const stored = found.get(keyOf(one));
        if (!stored) return [];
        const { token, creator, pools } = one;
        const insiders = new Set([creator, token, ...pools, ...stored.funded]);
        const trades = stored.trades.toReversed().map(([blockNumber, timestampS, ...trade]) => {
          const [trader, isSale, txHash] = trade;
          return { blockNumber, timestampS, trader, isSale: isSale === 1, txHash };
        });
        return [[token, { trades, insiders }]];
      }),
    );
  },
});
