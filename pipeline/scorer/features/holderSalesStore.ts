import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { IN_MARKETS, marketParam } from '../../../shared/market/marketReads.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { ReadCache } from '../readCache.ts';
import { UP_TO } from './transferStore.ts';

/** Trades of a token that are read, the latest ones, and swaps of each of its markets in which they are looked for. */
const TRADES_MAX = 1_000;

/** Markets by the token that is traded there: who logs their swaps (zero: themselves), and who holds what is in them. */
const MARKETS = `(SELECT toFixedString(unhex(m.1), 20) AS token, toFixedString(unhex(m.2), 32) AS market, toFixedString(unhex(m.3), 20) AS manager,
    toFixedString(unhex(m.4), 20) AS holder, m.5 AS is_token0 FROM (SELECT arrayJoin(arrayZip({sideTokens:Array(String)}, {sideMarkets:Array(String)},
      {sideManagers:Array(String)}, {sideHolders:Array(String)}, {areToken0:Array(UInt8)})) AS m))`;
const SWAP_COLUMNS = `block_number, log_index, timestamp, tx_hash, sender, toInt256(amount0_in) - toInt256(amount0_out) AS gained0,
    toInt256(amount1_in) - toInt256(amount1_out) AS gained1`;
const swapsOf = (table: string): string =>
  `FROM ${table} FINAL WHERE chain_id = {chainId:UInt64} AND ${UP_TO} AND kind = 'swap'`;
/** Swaps of markets of any protocol. */
const SWAPS = `(SELECT toFixedString(concat(repeat('\\0', 12), pool), 32) AS market, toFixedString('', 20) AS manager, ${SWAP_COLUMNS}
    ${swapsOf('fact_pool_events')} AND pool IN ${inAddresses('pools')}
  UNION ALL SELECT market, manager, ${SWAP_COLUMNS} ${swapsOf('fact_market_events')} AND market IN ${IN_MARKETS})`;
/**
 * Transactions in which a token's markets swapped, and what they gained of it by their own logs: more where it was sold. Liquidity and gifts come
 * and go without a swap, and what went from one market to another was traded by nobody.
 */
const SWAPPED = `(SELECT s.token AS token, e.tx_hash AS tx_hash, max(e.block_number) AS block, max(e.log_index) AS log, toUnixTimestamp(max(e.timestamp)) AS at,
      sum(if(s.is_token0 = 1, e.gained0, e.gained1)) AS gained, gained > 0 AS is_sale, argMax(s.holder, e.log_index) AS holder, argMax(e.sender, e.log_index) AS router
    FROM (SELECT * FROM ${SWAPS} ORDER BY market, manager, block_number DESC, log_index DESC LIMIT ${TRADES_MAX} BY market, manager) AS e
    INNER JOIN ${MARKETS} AS s ON s.market = e.market AND s.manager = e.manager
    GROUP BY s.token, e.tx_hash HAVING gained != 0
    ORDER BY token, block DESC, log DESC LIMIT ${TRADES_MAX} BY token)`;
/**
 * A trader is who lost or gained most of the token in such a transaction, the token and its markets left out: routers pass on what they get, and
 * fees are less.
 */
const tradesSql = `SELECT ${hexText('t.token')} AS address, groupArray((t.block, t.at, ${hexText('t.trader')}, t.is_sale, ${hexText('t.tx_hash')}, toString(t.amount))) AS trades,
    groupArray((${hexText('t.holder')}, ${hexText('t.router')})) AS calls
  FROM (SELECT token, tx_hash, block, log, at, is_sale, holder, router, if(is_sale, argMin(wallet, net), argMax(wallet, net)) AS trader,
      if(is_sale, -min(net), max(net)) AS amount
    FROM (SELECT token, tx_hash, block, log, at, is_sale, holder, router, moved.1 AS wallet, sum(moved.2) AS net
      FROM (SELECT *, arrayJoin([(to_address, toInt256(value)), (from_address, -toInt256(value))]) AS moved
        FROM (SELECT token, tx_hash, from_address, to_address, value
          FROM fact_transfers FINAL WHERE chain_id = {chainId:UInt64} AND ${UP_TO} AND token IN ${inAddresses('sideTokens')}) AS f
        INNER JOIN ${SWAPPED} AS s USING (token, tx_hash))
      WHERE wallet NOT IN (toFixedString('', 20), token) AND (token, wallet) NOT IN (SELECT token, holder FROM ${MARKETS})
      GROUP BY ALL)
    GROUP BY token, tx_hash, block, log, at, is_sale, holder, router HAVING amount > 0
    ORDER BY token, block DESC, log DESC) AS t
  GROUP BY t.token`;
const tradesSchema = z.object({
  address: addressSchema,
  /** Block, Unix seconds, trader, whether it is a sale, transaction, raw amount; the latest first. */
  trades: z.array(
    z.tuple([z.number(), z.number(), addressSchema, z.number(), hashSchema, z.string()]),
  ),
  /** Who holds what is in the market of each of them, and who called it. */
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
/** Who called a market of a token to trade, of those asked for. */
const routersSql = `SELECT ${hexText('s.token')} AS token, groupUniqArray(${hexText('e.sender')}) AS routers
  FROM ${SWAPS} AS e INNER JOIN ${MARKETS} AS s ON s.market = e.market AND s.manager = e.manager
  WHERE e.sender IN ${inAddresses('routers')} GROUP BY s.token`;
const routersSchema = z.object({ token: addressSchema, routers: z.array(addressSchema) });
/** Which of the wallets hold the token. */
const holdingSql = `SELECT ${hexText('m.token')} AS token, ${hexText('m.moved.1')} AS wallet
  FROM (SELECT token, arrayJoin([(to_address, toInt256(value)), (from_address, -toInt256(value))]) AS moved FROM fact_transfers FINAL
    WHERE chain_id = {chainId:UInt64} AND ${UP_TO} AND token IN ${inAddresses('tokens')} AND ((token, to_address) IN ${BUYERS} OR (token, from_address) IN ${BUYERS})) AS m
  WHERE (m.token, m.moved.1) IN ${BUYERS} GROUP BY m.token, m.moved.1 HAVING sum(m.moved.2) > 0`;
const holdingSchema = z.object({ token: addressSchema, wallet: addressSchema });

/** A market in which a token is traded. */
export interface TradedMarket {
  /** Its contract, or its id in its manager. */
  readonly market: Hex;
  /** Who logs what happens in it; zero: itself. */
  readonly manager: Hex;
  /** Who holds what is in it. */
  readonly holder: Hex;
  readonly isToken0: boolean;
  /** Pools of Uniswap V2 have a table of their own. */
  readonly isUniswapV2: boolean;
}

/** A token whose trades are asked for. */
export interface TradedToken {
  readonly token: Hex;
  readonly creator: Hex;
  readonly markets: readonly TradedMarket[];
}

/** Somebody bought a token, or sold it. */
export interface HolderTrade {
  readonly blockNumber: number;
  readonly timestampS: number;
  readonly trader: Hex;
  readonly isSale: boolean;
  readonly txHash: Hex;
  /** What the trader gained or lost of the token, raw units. */
  readonly amount: bigint;
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
   * In the same order: of traders that hold the token, by way of a contract that traded in one of its markets. Only blocks that were read in full
   * by a node that gives all receipts of a block show any.
   */
  readonly failed: readonly FailedSale[];
  /** The creator, and traders that it sent native currency. */
  readonly insiders: ReadonlySet<Hex>;
  /** Through which contract most of these trades came, by who holds what is in the market. */
  readonly routers: ReadonlyMap<Hex, Hex>;
}

export interface HolderSalesStore {
  /** Trades in some markets of tokens, by token; none for a token that was never traded there. */
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

/** What `SWAPS` and `MARKETS` are bound to. */
const marketParams = (tokens: readonly TradedToken[]) => {
  const sides = tokens.flatMap(({ token, markets }) => markets.map((one) => ({ token, ...one })));
  return {
    pools: sides.flatMap((one) => (one.isUniswapV2 ? [addressParam(one.market)] : [])),
    markets: sides.flatMap((one) => (one.isUniswapV2 ? [] : [marketParam(one.market)])),
    sideTokens: sides.map(({ token }) => addressParam(token)),
    sideMarkets: sides.map(({ market }) => marketParam(market)),
    sideManagers: sides.map(({ manager }) => addressParam(manager)),
    sideHolders: sides.map(({ holder }) => addressParam(holder)),
    areToken0: sides.map(({ isToken0 }) => Number(isToken0)),
  };
};

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
  const called = [...new Set(failed.map(({ router }) => addressParam(router)))];
  const ofRouters = { ...place, ...marketParams(asked), routers: called };
  const [routers, holding] = await Promise.all([
    clickhouse.query(routersSql, ofRouters, routersSchema),
    clickhouse.query(holdingSql, { ...place, ...sidesParams(sellers) }, holdingSchema),
  ]);
  const held = new Set(holding.map(({ token, wallet }) => sideOf(token, wallet)));
  const known = new Set(
    routers.flatMap(({ token, routers: own }) => own.map((router) => sideOf(token, router))),
  );
  const isSale = ({ token, seller, router }: StoredFailure): boolean =>
    held.has(sideOf(token, seller)) && known.has(sideOf(token, router));
  const byToken = groupBy(failed, ({ token }) => token);
  return new Map([...byToken].map(([token, own]) => [token, own.filter(isSale)]));
};

/** Who called each market in most of these trades; of two in as many, the one of the latest trade. @param calls holder and caller, the latest first */
const mainRouters = (calls: readonly (readonly [Hex, Hex])[]): Map<Hex, Hex> => {
  const byHolder = groupBy(
    calls,
    ([holder]) => holder,
    ([, router]) => router,
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
  clickhouse: Clickhouse,
  place: Place,
  tokens: readonly TradedToken[],
): Promise<Map<Hex, StoredHolders>> => {
  const params = { ...place, ...marketParams(tokens) };
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

/** All that the trades of a token depend on beside the rows: who its creator is, and which markets count. */
const keyOf = ({ token, creator, markets }: TradedToken): string =>
  [token, creator, ...markets.map(({ market }) => market).toSorted()].join();

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
        ...askedBy(key).flatMap(({ token, markets }) => [
          ...markets.map(({ market }) => `events ${market}` as const),
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
        const insiders = new Set([one.creator, ...stored.funded]);
        const trades = stored.trades.toReversed().map(([blockNumber, timestampS, ...trade]) => {
          const [trader, isSale, txHash, digits] = trade;
          const amount = BigInt(digits);
          return { blockNumber, timestampS, trader, isSale: isSale === 1, txHash, amount };
        });
        const { failed = [], routers } = stored;
        return [[one.token, { trades, failed, insiders, routers }]];
      }),
    );
  },
});
