import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { marketId } from '../../../shared/market/marketId.ts';
import { IN_MARKETS, marketParam } from '../../../shared/market/marketReads.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { UP_TO } from './transferStore.ts';

/** Trades of a token that are read, the latest ones, and swaps per market among which they are looked for. */
const TRADES_MAX = 1_000;

const SWAP_COLUMNS = `block_number, log_index, timestamp, tx_hash, sender, toInt256(amount0_in) - toInt256(amount0_out) AS gained0,
    toInt256(amount1_in) - toInt256(amount1_out) AS gained1`;
const swapsOf = (table: string): string =>
  `FROM ${table} FINAL WHERE chain_id = {chainId:UInt64} AND ${UP_TO} AND kind = 'swap'`;
const UNISWAP_V2_SWAPS = `SELECT toFixedString(concat(repeat('\\0', 12), pool), 32) AS market, toFixedString('', 20) AS manager, ${SWAP_COLUMNS}
    ${swapsOf('fact_pool_events')} AND pool IN ${inAddresses('pools')}`;
const OTHER_SWAPS = `SELECT market, manager, ${SWAP_COLUMNS} ${swapsOf('fact_market_events')} AND market IN ${IN_MARKETS}`;
/** Swaps of markets of any protocol. A table without any of them costs the database 6 to 9 ms of a core. */
const swapsIn = ({ pools, markets }: ReturnType<typeof marketParams>): string => {
  if (markets.length === 0) return `(${UNISWAP_V2_SWAPS})`;
  return pools.length === 0 ? `(${OTHER_SWAPS})` : `(${UNISWAP_V2_SWAPS} UNION ALL ${OTHER_SWAPS})`;
};

/** A market's gains, by its own logs, in each transaction in which it swapped, and its last caller there. */
const swapsSql = (
  swaps: string,
): string => `SELECT ${hexText('t.market')} AS id, ${hexText('t.manager')} AS loggedBy,
    groupArray((t.block, t.log, t.at, ${hexText('t.tx_hash')}, toString(t.gained0), toString(t.gained1), ${hexText('t.router')})) AS swaps
  FROM (SELECT e.market AS market, e.manager AS manager, e.tx_hash AS tx_hash, max(e.block_number) AS block, max(e.log_index) AS log,
      toUnixTimestamp(max(e.timestamp)) AS at, sum(e.gained0) AS gained0, sum(e.gained1) AS gained1, argMax(e.sender, e.log_index) AS router
    FROM (SELECT * FROM ${swaps} ORDER BY market, manager, block_number DESC, log_index DESC LIMIT ${TRADES_MAX} BY market, manager) AS e
    GROUP BY e.market, e.manager, e.tx_hash) AS t
  GROUP BY t.market, t.manager`;
const swapsSchema = z.object({
  id: hashSchema,
  loggedBy: addressSchema,
  /**
   * Block, index of the last log, Unix seconds, transaction, amounts received of both tokens (raw units), caller.
   */
  swaps: z.array(
    z.tuple([
      z.number(),
      z.number(),
      z.number(),
      hashSchema,
      z.string(),
      z.string(),
      addressSchema,
    ]),
  ),
});
type StoredSwap = z.infer<typeof swapsSchema>['swaps'][number];

/** Who called each market to trade, among those asked for. */
const callersSql = (
  swaps: string,
): string => `SELECT ${hexText('e.market')} AS id, ${hexText('e.manager')} AS loggedBy, groupUniqArray(${hexText('e.sender')}) AS callers
  FROM ${swaps} AS e WHERE e.sender IN ${inAddresses('routers')} GROUP BY e.market, e.manager`;
const callersSchema = z.object({
  id: hashSchema,
  loggedBy: addressSchema,
  callers: z.array(addressSchema),
});

/** Pairs of a token and a wallet at the same index of two lists (`sidesParams`). */
export const SIDES = `(SELECT toFixedString(unhex(side.1), 20), toFixedString(unhex(side.2), 20)
    FROM (SELECT arrayJoin(arrayZip({tokens:Array(String)}, {wallets:Array(String)})) AS side))`;
export const sidesParams = (sides: readonly { token: Hex; wallet: Hex }[]) => ({
  tokens: sides.map(({ token }) => addressParam(token)),
  wallets: sides.map(({ wallet }) => addressParam(wallet)),
});

/**
 * Who lost and who gained most of a token in transactions, excluding the holders of market assets; the token's own
 * contract, which collects fees and sells them on the way, counts only if nobody else did.
 */
const changesSql = `SELECT ${hexText('c.token')} AS address, groupArray((${hexText('c.tx_hash')}, ${hexText('c.loser')}, toString(c.lost), ${hexText('c.gainer')}, toString(c.gained))) AS changes
  FROM (SELECT t.token AS token, t.tx_hash AS tx_hash, argMin((t.wallet, -t.net), (t.net >= 0, t.wallet = t.token, t.net, t.wallet)) AS most_lost,
      argMax((t.wallet, t.net), (t.net > 0, t.wallet != t.token, t.net, t.wallet)) AS most_gained,
      most_lost.1 AS loser, most_lost.2 AS lost, most_gained.1 AS gainer, most_gained.2 AS gained
    FROM (SELECT f.token AS token, f.tx_hash AS tx_hash, moved.1 AS wallet, sum(moved.2) AS net
      FROM (SELECT token, tx_hash, arrayJoin([(to_address, toInt256(value)), (from_address, -toInt256(value))]) AS moved
        FROM fact_transfers FINAL WHERE chain_id = {chainId:UInt64} AND ${UP_TO} AND block_number >= {from:UInt64} AND token IN ${inAddresses('tokens')}
          AND tx_hash IN (SELECT toFixedString(unhex(arrayJoin({transactions:Array(String)})), 32))) AS f
      WHERE wallet != toFixedString('', 20) AND (token, wallet) NOT IN ${SIDES}
      GROUP BY token, tx_hash, wallet) AS t
    GROUP BY t.token, t.tx_hash) AS c
  GROUP BY c.token`;
const changesSchema = z.object({
  address: addressSchema,
  /** Transaction, who lost most and how much (raw units), who gained most and how much. */
  changes: z.array(z.tuple([hashSchema, addressSchema, z.string(), addressSchema, z.string()])),
});

/** A market in which a token is traded. */
export interface TradedMarket {
  /** Its contract, or its id in its manager. */
  readonly market: Hex;
  /** Who logs its events; zero: itself. */
  readonly manager: Hex;
  /** Who holds its assets. */
  readonly holder: Hex;
  readonly isToken0: boolean;
  /** Uniswap V2 pools have a table of their own. */
  readonly isUniswapV2: boolean;
}

/** A token whose trades are asked for. */
export interface TradedToken {
  readonly token: Hex;
  readonly creator: Hex;
  readonly markets: readonly TradedMarket[];
  /** Whether any sale of it failed. */
  readonly hasFailedSales: boolean;
}

/** A purchase or sale of a token. */
export interface HolderTrade {
  readonly blockNumber: number;
  readonly timestampS: number;
  readonly trader: Hex;
  readonly isSale: boolean;
  readonly txHash: Hex;
  /** The trader's gain or loss of the token, raw units. */
  readonly amount: bigint;
}

/**
 * A trade, the holder of the assets of the last market swapped in its transaction, and that market's caller.
 */
export interface RoutedTrade extends HolderTrade {
  readonly holder: Hex;
  readonly router: Hex;
}

/** Where the stored facts are, and up to which block they count. */
export interface Place {
  readonly chainId: number;
  readonly upTo: number;
}

/** Key of a token with a wallet or manager. */
export const sideOf = (one: Hex, other: Hex): string => `${one} ${other}`;
const keyOfMarket = ({ market, manager }: TradedMarket): string =>
  sideOf(marketId(market), manager);

/** Parameters of `swapsIn`. */
const marketParams = (tokens: readonly TradedToken[]) => {
  const all = tokens.flatMap(({ markets }) => markets);
  return {
    pools: all.flatMap((one) => (one.isUniswapV2 ? [addressParam(one.market)] : [])),
    markets: all.flatMap((one) => (one.isUniswapV2 ? [] : [marketParam(one.market)])),
  };
};

/** A trade whose trader is not yet known. */
interface Swapped extends Omit<RoutedTrade, 'trader' | 'amount'> {
  readonly logIndex: number;
}

/**
 * Transactions in which a token's markets swapped, latest first: a positive gain of the markets is a sale. Liquidity
 * and donations move without a swap, and what moved from one market to another was traded by nobody.
 */
const swappedOf = (
  { markets }: TradedToken,
  swaps: ReadonlyMap<string, readonly StoredSwap[]>,
): Swapped[] => {
  const parts = markets.flatMap((market) =>
    (swaps.get(keyOfMarket(market)) ?? []).map((swap) => {
      const [blockNumber, logIndex, timestampS, txHash, gained0, gained1, router] = swap;
      const gained = BigInt(market.isToken0 ? gained0 : gained1);
      return { blockNumber, logIndex, timestampS, txHash, router, holder: market.holder, gained };
    }),
  );
  return [...groupBy(parts, ({ txHash }) => txHash).values()]
    .flatMap((own) => {
      const gained = own.reduce((sum, part) => sum + part.gained, 0n);
      const last = own.reduce((one, other) => (one.logIndex > other.logIndex ? one : other));
      const { gained: _, ...place } = last;
      return gained === 0n ? [] : [{ ...place, isSale: gained > 0n }];
    })
    .toSorted((one, other) => other.blockNumber - one.blockNumber || other.logIndex - one.logIndex)
    .slice(0, TRADES_MAX);
};

/**
 * The latest trades by token, latest first. The trader is whoever lost or gained most of the token in a transaction
 * in which its markets swapped: routers pass on what they receive, and fees are smaller. Two queries: a join costs
 * the database three times as much.
 */
export const readTrades = async (
  clickhouse: Clickhouse,
  place: Place,
  tokens: readonly TradedToken[],
): Promise<Map<Hex, RoutedTrade[]>> => {
  const markets = marketParams(tokens);
  const params = { ...place, ...markets };
  const rows = await clickhouse.query(swapsSql(swapsIn(markets)), params, swapsSchema);
  const swaps = new Map(rows.map((row) => [sideOf(row.id, row.loggedBy), row.swaps]));
  const swapped = new Map(tokens.map((one) => [one.token, swappedOf(one, swaps)]));
  const all = [...swapped.values()].flat();
  if (all.length === 0) return new Map();
  const sides = tokens.flatMap(({ token, markets }) =>
    markets.map(({ holder: wallet }) => ({ token, wallet })),
  );
  const changes = await clickhouse.query(
    changesSql,
    {
      ...place,
      from: Math.min(...all.map(({ blockNumber }) => blockNumber)),
      ...sidesParams(sides),
      transactions: [...new Set(all.map(({ txHash }) => txHash.slice(2)))],
    },
    changesSchema,
  );
  const changeOf = new Map(
    changes.flatMap(({ address, changes: own }) =>
      own.map(([txHash, ...change]) => [sideOf(txHash, address), change] as const),
    ),
  );
  const tradeOf = (token: Hex, swap: Swapped): RoutedTrade[] => {
    const { blockNumber, timestampS, isSale, txHash, holder, router } = swap;
    const change = changeOf.get(sideOf(txHash, token));
    if (!change) return [];
    const [loser, lost, gainer, gained] = change;
    const [trader, digits] = isSale ? [loser, lost] : [gainer, gained];
    const trade = { blockNumber, timestampS, trader, isSale, txHash, holder, router };
    return BigInt(digits) > 0n ? [{ ...trade, amount: BigInt(digits) }] : [];
  };
  return new Map(
    [...swapped].flatMap(([token, own]): [Hex, RoutedTrade[]][] => {
      const trades = own.flatMap((swap) => tradeOf(token, swap));
      return trades.length > 0 ? [[token, trades]] : [];
    }),
  );
};

/** Which of some contracts called a market of a token to trade, by token. */
export const readCallers = async (
  clickhouse: Clickhouse,
  place: Place,
  tokens: readonly TradedToken[],
  routers: readonly Hex[],
): Promise<Map<Hex, ReadonlySet<Hex>>> => {
  const markets = marketParams(tokens);
  const params = { ...place, ...markets, routers: routers.map(addressParam) };
  const rows = await clickhouse.query(callersSql(swapsIn(markets)), params, callersSchema);
  const callers = new Map(rows.map((row) => [sideOf(row.id, row.loggedBy), row.callers]));
  return new Map(
    tokens.map(({ token, markets }) => [
      token,
      new Set(markets.flatMap((market) => callers.get(keyOfMarket(market)) ?? [])),
    ]),
  );
};
