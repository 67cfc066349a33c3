import { z } from 'zod';
import { inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { ReadCache, Reads } from '../readCache.ts';
import { dependentTraders } from './dependentTraders.ts';
import { readPayers } from './payerStore.ts';
import {
  type HolderTrade,
  type Place,
  type RoutedTrade,
  readCallers,
  readTrades,
  SIDES,
  sideOf,
  sidesParams,
  type TradedToken,
} from './readTrades.ts';
import { UP_TO } from './transferStore.ts';

/** The first failed sale of each wallet that bought a token. */
const failedSql = `SELECT ${hexText('f.token')} AS token, ${hexText('f.seller')} AS seller, f.block_number AS blockNumber,
    ${hexText('f.router')} AS router, ${hexText('f.tx_hash')} AS txHash
  FROM fact_failed_sales AS f FINAL WHERE f.chain_id = {chainId:UInt64} AND f.${UP_TO} AND f.token IN ${inAddresses('tokens')} AND (f.token, f.seller) IN ${SIDES}
  ORDER BY f.token, f.block_number, f.tx_index LIMIT 1 BY f.token, f.seller`;
const failedSchema = z.object({
  token: addressSchema,
  seller: addressSchema,
  blockNumber: z.number(),
  router: addressSchema,
  txHash: hashSchema,
});
type StoredFailure = z.infer<typeof failedSchema>;
/** Which of the wallets hold the token. */
const holdingSql = `SELECT ${hexText('m.token')} AS token, ${hexText('m.moved.1')} AS wallet
  FROM (SELECT token, arrayJoin([(to_address, toInt256(value)), (from_address, -toInt256(value))]) AS moved FROM fact_transfers FINAL
    WHERE chain_id = {chainId:UInt64} AND ${UP_TO} AND token IN ${inAddresses('tokens')} AND ((token, to_address) IN ${SIDES} OR (token, from_address) IN ${SIDES})) AS m
  WHERE (m.token, m.moved.1) IN ${SIDES} GROUP BY m.token, m.moved.1 HAVING sum(m.moved.2) > 0`;
const holdingSchema = z.object({ token: addressSchema, wallet: addressSchema });

/** The first sale of a wallet that failed. */
export interface FailedSale {
  readonly blockNumber: number;
  readonly seller: Hex;
  readonly txHash: Hex;
}

/** The latest trades of a token in chronological order, and which traders are not independent. */
export interface HolderTrades {
  readonly trades: readonly HolderTrade[];
  /**
   * Failed sales in the same order: by traders that hold the token, through a contract that traded in one of its
   * markets. Only blocks that were read in full from a node that returns all receipts contain any.
   */
  readonly failed: readonly FailedSale[];
  /** Traders that are not independent, and on whom they depend (`dependentTraders`). */
  readonly dependents: ReadonlyMap<Hex, Hex>;
  /** The contract through which most trades of all others came, by holder of the market's assets. */
  readonly routers: ReadonlyMap<Hex, Hex>;
}

/**
 * Cached data of a token: its latest trades, latest first, failed sales of traders, traders that are not independent,
 * and the routers of all others.
 */
interface StoredHolders {
  readonly trades: readonly HolderTrade[];
  readonly failed: readonly FailedSale[] | undefined;
  readonly dependents: ReadonlyMap<Hex, Hex>;
  readonly routers: ReadonlyMap<Hex, Hex>;
}

const tradersOf = (trades: readonly RoutedTrade[]): Hex[] => [
  ...new Set(trades.map(({ trader }) => trader)),
];

/**
 * Failed sales by traders, per token: a call that is a sale, of a token that the seller has. Empty for a token whose
 * traders failed otherwise, absent if none of them failed.
 */
const readFailed = async (
  clickhouse: Clickhouse,
  place: Place,
  tokens: readonly TradedToken[],
  trades: ReadonlyMap<Hex, readonly RoutedTrade[]>,
): Promise<Map<Hex, StoredFailure[]>> => {
  const traders = tokens.flatMap(({ token, hasFailedSales }) =>
    tradersOf(hasFailedSales ? (trades.get(token) ?? []) : []).map((wallet) => ({ token, wallet })),
  );
  if (traders.length === 0) return new Map();
  const params = { ...place, ...sidesParams(traders) };
  const failed = await clickhouse.query(failedSql, params, failedSchema);
  if (failed.length === 0) return new Map();
  const asked = tokens.filter(({ token }) => failed.some((one) => one.token === token));
  const sellers = failed.map(({ token, seller }) => ({ token, wallet: seller }));
  const called = [...new Set(failed.map(({ router }) => router))];
  const [callers, holding] = await Promise.all([
    readCallers(clickhouse, place, asked, called),
    clickhouse.query(holdingSql, { ...place, ...sidesParams(sellers) }, holdingSchema),
  ]);
  const held = new Set(holding.map(({ token, wallet }) => sideOf(token, wallet)));
  const isSale = ({ token, seller, router }: StoredFailure): boolean =>
    held.has(sideOf(token, seller)) && callers.get(token)?.has(router) === true;
  const byToken = groupBy(failed, ({ token }) => token);
  return new Map([...byToken].map(([token, own]) => [token, own.filter(isSale)]));
};

/**
 * Who called each market in most of these trades, by holder of its assets; if two tie, the one of the latest trade.
 */
const mainRouters = (trades: readonly RoutedTrade[]): Map<Hex, Hex> => {
  const byHolder = groupBy(
    trades,
    ({ holder }) => holder,
    ({ router }) => router,
  );
  return new Map(
    [...byHolder].flatMap(([holder, own]): [Hex, Hex][] => {
      const byRouter = [...groupBy(own, (router) => router).values()];
      const [[router] = []] = byRouter.toSorted((some, others) => others.length - some.length);
      return router ? [[holder, router]] : [];
    }),
  );
};

const readStored = async (
  reads: Reads,
  place: Place,
  tokens: readonly TradedToken[],
): Promise<Map<Hex, StoredHolders>> => {
  const tradesOf = await readTrades(reads.clickhouse, place, tokens);
  if (tradesOf.size === 0) return new Map();
  const creatorOf = new Map(tokens.map(({ token, creator }) => [token, creator]));
  const wallets = new Set([...tradersOf([...tradesOf.values()].flat()), ...creatorOf.values()]);
  const [payersOf, failed] = await Promise.all([
    readPayers(reads, place, [...wallets]),
    readFailed(reads.clickhouse, place, tokens, tradesOf),
  ]);
  return new Map(
    [...tradesOf].map(([token, trades]) => {
      const creator = creatorOf.get(token) ?? ZERO_ADDRESS;
      const dependents = dependentTraders(creator, trades.toReversed(), payersOf);
      const routers = mainRouters(trades.filter(({ trader }) => !dependents.has(trader)));
      // Shortened, so that more of them can be cached.
      const unrouted = trades.map(
        ({ blockNumber, timestampS, trader, isSale, txHash, amount }): HolderTrade => {
          return { blockNumber, timestampS, trader, isSale, txHash, amount };
        },
      );
      return [token, { trades: unrouted, failed: failed.get(token), dependents, routers }];
    }),
  );
};

/** Everything besides the rows on which the trades of a token depend: its creator, and which markets count. */
const keyOf = ({ token, creator, markets }: TradedToken): string =>
  [token, creator, ...markets.map(({ market }) => market).toSorted()].join();

export const createHolderSalesStore = (clickhouse: Clickhouse, cache: ReadCache) => ({
  /** Trades in some markets of tokens, by token; none for a token that was never traded there. */
  read: async (
    chainId: number,
    tokens: readonly TradedToken[],
    upTo: number,
  ): Promise<Map<Hex, HolderTrades>> => {
    const byKey = new Map(tokens.map((one) => [keyOf(one), one]));
    const askedBy = (key: string): TradedToken[] => [byKey.get(key) ?? []].flat();
    const found = await cache.read<string, StoredHolders>({
      of: 'holder trades',
      keys: [...byKey.keys()],
      upTo,
      dependsOn: (key, stored) =>
        askedBy(key).flatMap(({ token, creator, markets }) => [
          ...markets.map(({ market }) => `events ${market}` as const),
          `failures ${token}` as const,
          // Whether a failed sale counts depends on the seller's holdings.
          ...(stored?.failed ? [`transfers ${token}` as const] : []),
          // For others only payments before a trade, or before such a payment, count: later ones do not change who
          // they are.
          `funds ${creator}` as const,
        ]),
      read: async (missing) => {
        const asked = missing.flatMap(askedBy);
        const stored = await readStored({ clickhouse, cache }, { chainId, upTo }, asked);
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
        const trades = stored.trades.toReversed();
        return [[one.token, { ...stored, trades, failed: stored.failed ?? [] }]];
      }),
    );
  },
});
export type HolderSalesStore = ReturnType<typeof createHolderSalesStore>;
