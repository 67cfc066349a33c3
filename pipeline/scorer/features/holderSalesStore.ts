import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { ReadCache } from '../readCache.ts';
import { UP_TO } from './transferStore.ts';

/** Transfers in trades of a token that are read, the latest ones, and swaps of each of its pools in which they are looked for. */
const TRADES_MAX = 1_000;

/** Pools by the token that is traded there: a transfer to a pool of another token is no trade. */
const OWN_POOLS = `(SELECT toFixedString(unhex(side.1), 20), toFixedString(unhex(side.2), 20)
    FROM (SELECT arrayJoin(arrayZip({poolTokens:Array(String)}, {pools:Array(String)})) AS side))`;
/** What moved between a pool and somebody in a transaction in which the pool swapped: liquidity and gifts come and go without a swap. */
const tradesSql = `SELECT ${hexText('t.token')} AS address, groupArray((t.block_number, toUnixTimestamp(t.timestamp),
      ${hexText('t.trader')}, t.is_sale, ${hexText('t.tx_hash')})) AS trades,
    groupArray((${hexText('t.pool')}, ${hexText('t.router')})) AS calls
  FROM (SELECT m.*, s.router AS router
    FROM (SELECT token, block_number, log_index, timestamp, tx_hash, (token, to_address) IN ${OWN_POOLS} AS is_sale,
        if(is_sale, from_address, to_address) AS trader, if(is_sale, to_address, from_address) AS pool
      FROM fact_transfers FINAL WHERE chain_id = {chainId:UInt64} AND ${UP_TO} AND token IN ${inAddresses('poolTokens')} AND value > 0
        AND ((token, from_address) IN ${OWN_POOLS} OR (token, to_address) IN ${OWN_POOLS})) AS m
    INNER JOIN (SELECT pool, tx_hash, any(sender) AS router
      FROM (SELECT pool, tx_hash, sender FROM fact_pool_events FINAL
        WHERE chain_id = {chainId:UInt64} AND ${UP_TO} AND pool IN ${inAddresses('pools')} AND kind = 'swap'
        ORDER BY pool, block_number DESC, log_index DESC LIMIT ${TRADES_MAX} BY pool)
      GROUP BY pool, tx_hash) AS s ON s.pool = m.pool AND s.tx_hash = m.tx_hash
    ORDER BY m.token, m.block_number DESC, m.log_index DESC LIMIT ${TRADES_MAX} BY m.token) AS t
  GROUP BY t.token`;
const tradesSchema = z.object({
  address: addressSchema,
  /** Block, Unix seconds, trader, whether it is a sale, transaction; the latest first. */
  trades: z.array(z.tuple([z.number(), z.number(), addressSchema, z.number(), hashSchema])),
  /** The pool of each of them, and who called it. */
  calls: z.array(z.tuple([addressSchema, addressSchema])),
});
type StoredTrades = z.infer<typeof tradesSchema>['trades'];
/** Wallets that a creator sent native currency, of those asked for. */
const fundedSql = `SELECT ${hexText('from_address')} AS creator, groupUniqArray(${hexText('to_address')}) AS wallets
  FROM fact_native_transfers FINAL WHERE chain_id = {chainId:UInt64} AND ${UP_TO} AND to_address IN ${inAddresses('wallets')}
    AND from_address IN ${inAddresses('creators')} GROUP BY from_address`;
const fundedSchema = z.object({ creator: addressSchema, wallets: z.array(addressSchema) });

/** Of wallets that bought a token, the first sale of each that failed; the token and wallet of one trade are at the same place of two lists. */
const BUYERS = `(SELECT toFixedString(unhex(side.1), 20), toFixedString(unhex(side.2), 20)
    FROM (SELECT arrayJoin(arrayZip({tokens:Array(String)}, {wallets:Array(String)})) AS side))`;
const failedSql = `SELECT ${hexText('f.token')} AS token, ${hexText('f.seller')} AS seller, f.block_number AS blockNumber,
    ${hexText('f.router')} AS router, ${hexText('f.tx_hash')} AS txHash
  FROM fact_failed_sales AS f FINAL WHERE f.chain_id = {chainId:UInt64} AND f.${UP_TO} AND f.token IN ${inAddresses('tokens')} AND (f.token, f.seller) IN ${BUYERS}
  ORDER BY f.token, f.block_number, f.tx_index LIMIT 1 BY f.token, f.seller`;
const failedSchema = z.object({
  token: addressSchema,
  seller: addressSchema,
  blockNumber: z.number(),
  router: addressSchema,
  txHash: hashSchema,
});
type StoredFailure = z.infer<typeof failedSchema>;
/** Who called a pool to trade, of those asked for. */
const routersSql = `SELECT ${hexText('e.pool')} AS pool, groupUniqArray(${hexText('e.sender')}) AS routers
  FROM fact_pool_events AS e FINAL WHERE e.chain_id = {chainId:UInt64} AND e.${UP_TO} AND e.pool IN ${inAddresses('pools')} AND e.kind = 'swap'
    AND e.sender IN ${inAddresses('routers')} GROUP BY e.pool`;
const routersSchema = z.object({ pool: addressSchema, routers: z.array(addressSchema) });
/** Which of the wallets hold the token. */
const holdingSql = `SELECT ${hexText('m.token')} AS token, ${hexText('m.moved.1')} AS wallet
  FROM (SELECT token, arrayJoin([(to_address, toInt256(value)), (from_address, -toInt256(value))]) AS moved FROM fact_transfers FINAL
    WHERE chain_id = {chainId:UInt64} AND ${UP_TO} AND token IN ${inAddresses('tokens')} AND ((token, to_address) IN ${BUYERS} OR (token, from_address) IN ${BUYERS})) AS m
  WHERE (m.token, m.moved.1) IN ${BUYERS} GROUP BY m.token, m.moved.1 HAVING sum(m.moved.2) > 0`;
const holdingSchema = z.object({ token: addressSchema, wallet: addressSchema });

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

/** The first sale of a wallet that failed. */
export interface FailedSale {
  readonly blockNumber: number;
  readonly seller: Hex;
  readonly txHash: Hex;
}

/** The latest trades of a token, in the order in which they happened, and who of the traders belongs to its creator. */
export interface HolderTrades {
  readonly trades: readonly HolderTrade[];
  /**
   * In the same order: of traders that hold the token, by way of a contract that traded in one of its pools. Only blocks that were read in full
   * by a node that gives all receipts of a block show any.
   */
  readonly failed: readonly FailedSale[];
  /** Traders that are the creator, the token itself, a pool, or were sent native currency by the creator. */
  readonly insiders: ReadonlySet<Hex>;
  /** Through which contract most of these trades came, by pool. */
  readonly routers: ReadonlyMap<Hex, Hex>;
}

export interface HolderSalesStore {
  /** Trades in pools of Uniswap V2, by token; none for a token that was never traded there. */
  read(
    chainId: number,
    tokens: readonly TradedToken[],
    upTo: number,
  ): Promise<Map<Hex, HolderTrades>>;
}

/** What is cached of a token: its latest trades, the latest first, failed sales of traders, which of them its creator sent native currency, and their routers. */
interface StoredHolders {
  readonly trades: StoredTrades;
  readonly failed: readonly FailedSale[] | undefined;
  readonly funded: readonly Hex[];
  readonly routers: ReadonlyMap<Hex, Hex>;
}

const tradersOf = (trades: StoredTrades): Hex[] => [
  ...new Set(trades.map(([, , trader]) => trader)),
];

/** Where the stored facts are, and up to which block they count. */
interface Place {
  readonly chainId: number;
  readonly upTo: number;
}

const sideOf = (token: Hex, other: Hex): string => `${token} ${other}`;
const sidesParams = (sides: readonly { token: Hex; wallet: Hex }[]) => ({
  tokens: sides.map(({ token }) => addressParam(token)),
  wallets: sides.map(({ wallet }) => addressParam(wallet)),
});

/**
 * Failed sales of those who traded, by token: of a call that is a sale, of a token that the seller has. Empty for a token whose traders
 * failed otherwise, absent where none of them failed.
 */
const readFailed = async (
  clickhouse: Clickhouse,
  place: Place,
  tokens: readonly TradedToken[],
  trades: ReadonlyMap<Hex, StoredTrades>,
): Promise<Map<Hex, StoredFailure[]>> => {
  const traders = [...trades].flatMap(([token, own]) =>
    tradersOf(own).map((wallet) => ({ token, wallet })),
  );
  const params = { ...place, ...sidesParams(traders) };
  const failed = await clickhouse.query(failedSql, params, failedSchema);
  if (failed.length === 0) return new Map();
  const asked = tokens.filter(({ token }) => failed.some((one) => one.token === token));
  const sellers = failed.map(({ token, seller }) => ({ token, wallet: seller }));
  const called = {
    pools: asked.flatMap(({ pools }) => pools.map(addressParam)),
    routers: [...new Set(failed.map(({ router }) => addressParam(router)))],
  };
  const [routers, holding] = await Promise.all([
    clickhouse.query(routersSql, { ...place, ...called }, routersSchema),
    clickhouse.query(holdingSql, { ...place, ...sidesParams(sellers) }, holdingSchema),
  ]);
  const routersOf = new Map(routers.map((row) => [row.pool, row.routers]));
  const held = new Set(holding.map(({ token, wallet }) => sideOf(token, wallet)));
  const known = new Set(
    asked.flatMap(({ token, pools }) =>
      pools.flatMap((pool) => (routersOf.get(pool) ?? []).map((router) => sideOf(token, router))),
    ),
  );
  const isSale = ({ token, seller, router }: StoredFailure): boolean =>
    held.has(sideOf(token, seller)) && known.has(sideOf(token, router));
  const byToken = groupBy(failed, ({ token }) => token);
  return new Map([...byToken].map(([token, own]) => [token, own.filter(isSale)]));
};

/** Who called each pool in most of these trades; of two in as many, the one of the latest trade. @param calls pool and caller, the latest first */
const mainRouters = (calls: readonly (readonly [Hex, Hex])[]): Map<Hex, Hex> => {
  const byPool = groupBy(
    calls,
    ([pool]) => pool,
    ([, router]) => router,
  );
  return new Map(
    [...byPool].flatMap(([pool, own]): [Hex, Hex][] => {
      const byRouter = [...groupBy(own, (router) => router).values()];
      const [[router] = []] = byRouter.toSorted((some, others) => others.length - some.length);
      return router ? [[pool, router]] : [];
    }),
  );
};

const readStored = async (
  clickhouse: Clickhouse,
  place: Place,
  tokens: readonly TradedToken[],
): Promise<Map<Hex, StoredHolders>> => {
  const sides = tokens.flatMap(({ token, pools }) => pools.map((pool) => ({ token, pool })));
  const params = {
    ...place,
    poolTokens: sides.map(({ token }) => addressParam(token)),
    pools: sides.map(({ pool }) => addressParam(pool)),
  };
  const rows = await clickhouse.query(tradesSql, params, tradesSchema);
  if (rows.length === 0) return new Map();
  const creatorOf = new Map(tokens.map(({ token, creator }) => [token, creator]));
  const wallets = tradersOf(rows.flatMap(({ trades }) => trades)).map(addressParam);
  const creators = [...new Set(creatorOf.values())].map(addressParam);
  const tradesOf = new Map(rows.map((row) => [row.address, row.trades]));
  const [funded, failed] = await Promise.all([
    clickhouse.query(fundedSql, { ...place, wallets, creators }, fundedSchema),
    readFailed(clickhouse, place, tokens, tradesOf),
  ]);
  const fundedBy = new Map(funded.map((row) => [row.creator, new Set(row.wallets)]));
  return new Map(
    rows.map(({ address, trades, calls }) => {
      const paid = fundedBy.get(creatorOf.get(address) ?? address);
      const ofCreator = tradersOf(trades).filter((one) => paid?.has(one));
      const routers = mainRouters(calls);
      return [address, { trades, funded: ofCreator, failed: failed.get(address), routers }];
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
        ...askedBy(key).flatMap(({ token, pools }) => [
          ...pools.map((pool) => `events ${pool}` as const),
          `failures ${token}` as const,
          // Whether a sale that failed counts rests on what its seller holds.
          ...(stored?.failed ? [`transfers ${token}` as const] : []),
        ]),
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
        const { failed = [], routers } = stored;
        return [[token, { trades, failed, insiders, routers }]];
      }),
    );
  },
});
