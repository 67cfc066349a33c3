import { z } from 'zod';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import {
  POOL_KINDS,
  type PoolKind,
  poolKindOf,
  protocolsOf,
} from '../../../shared/chain/protocol.ts';
import { HELD_AT_BLOCK_ENDS, holdingParams } from '../../../shared/market/marketHoldings.ts';
import { marketId } from '../../../shared/market/marketId.ts';
import {
  type CreatedMarket,
  knownFactories,
  type MarketState,
  readMarketStates,
  readMarketsOf,
} from '../../../shared/market/marketReads.ts';
import { hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { NO_CACHE, type ReadCache } from '../readCache.ts';
import type { ManagedEntry } from './poolKind.ts';

/** A market of a token, other than Uniswap V2 pools against base tokens. */
export interface TokenMarket {
  readonly kind: PoolKind;
  readonly token: Hex;
  /** The quote token, often a base token; zero for a managed pool of the native currency. */
  readonly base: Hex;
  /** The pool's contract, or its id in the manager. */
  readonly pool: Hex;
  readonly entry?: ManagedEntry | undefined;
  /** Whether the token is token 0 of the pool. */
  readonly isToken0: boolean;
  readonly created: CreatedMarket;
}

/** A market, and the last block whose events count. */
export interface MarketAt {
  readonly market: TokenMarket;
  readonly untilBlock: number;
}

/** A market's highest holdings at the end of a block, its largest loss, and recent withdrawals. */
export interface MarketPeak {
  /** Raw base units. */
  readonly base: number;
  readonly largestDropTx: Hex;
  /**
   * Share of the liquidity withdrawn in the requested time, in one block or in total minus additions, 0 to 1.
   */
  readonly withdrawnShare: number;
}

/** Markets examined per token. Each pair has one for each fee tier, of which there are four to seven. */
const MARKETS_PER_TOKEN_MAX = 32;

/** Markets that are traded through the contract that created them. */
const MANAGED = protocolsOf('managed', 'curve', 'bonding');

const entryOf = (
  { protocol, factory: manager, terms }: CreatedMarket,
  base: Hex,
): ManagedEntry | undefined => {
  if (!MANAGED.includes(protocol)) return undefined;
  const { fee, tickSpacing, hooks } = terms;
  return { manager, fee, tickSpacing, hooks, isNative: base === ZERO_ADDRESS };
};

const isCounted = `b.moved != 0 AND toUnixTimestamp(b.timestamp) >= transform(lower(hex(b.market)), {markets:Array(String)}, {since:Array(UInt32)}, toUInt32(0))`;
/**
 * Liquidity in units of the previous one: a change scales the depth like the base. An addition to an empty market is
 * a new beginning.
 */
const unitsLeft = `arrayFold((units, x) -> if(x.2 - x.3 <= 0, 1., units * x.2 / (x.2 - x.3)),
      arraySort(groupArrayIf((b.block_number, b.base, b.moved), ${isCounted})), 1.)`;
const peaksSql = `SELECT ${hexText('b.market')} AS market, max(b.base) AS peak, ${hexText('argMin(b.fall_tx, b.fall)')} AS drop_tx,
    greatest(1 - ${unitsLeft}, -minIf(b.moved, ${isCounted}) / peak, 0) AS withdrawnShare
  FROM ${HELD_AT_BLOCK_ENDS} AS b GROUP BY b.market HAVING peak > 0`;
const peaksSchema = z.object({
  market: hashSchema,
  peak: z.number(),
  drop_tx: hashSchema,
  withdrawnShare: z.number(),
});

const readPeaks = async (
  clickhouse: Clickhouse,
  chainId: number,
  markets: Parameters<TokenMarketStore['peaks']>[1],
): Promise<Map<Hex, MarketPeak>> => {
  if (markets.length === 0) return new Map();
  const held = markets.map(({ market: { created, isToken0 }, untilBlock }) => {
    return { created, isToken0, untilBlock };
  });
  const since = markets.map(({ sinceS }) => sinceS);
  const params = { ...holdingParams(chainId, held), since };
  const rows = await clickhouse.query(peaksSql, params, peaksSchema);
  const peaks = new Map(
    rows.map(({ market, peak: base, drop_tx: largestDropTx, withdrawnShare }) => [
      market,
      { base, largestDropTx, withdrawnShare },
    ]),
  );
  return new Map(
    markets.flatMap(({ market: { pool } }) => {
      const peak = peaks.get(marketId(pool));
      return peak ? [[pool, peak] as const] : [];
    }),
  );
};

/** @returns markets of tokens that are not base tokens, by token */
const readMarkets = async (
  clickhouse: Clickhouse,
  { chainId, tokens, bases, upTo }: Parameters<TokenMarketStore['find']>[0],
): Promise<Map<Hex, TokenMarket[]>> => {
  const markets = await readMarketsOf(clickhouse, {
    chainId,
    tokens,
    bases,
    anyOther: true,
    anyTerms: true,
    protocols: protocolsOf(...POOL_KINDS),
    factories: knownFactories(chainId),
    upTo,
    marketsMax: MARKETS_PER_TOKEN_MAX,
  });
  const found = markets.flatMap(({ asset, ...created }): TokenMarket[] => {
    const isToken0 = asset === created.token0;
    const base = isToken0 ? created.token1 : created.token0;
    const kind = poolKindOf(created.protocol);
    // Uniswap V2 pools against base tokens are read with their history.
    if (!kind || (kind === 'reserves' && bases.includes(base))) return [];
    // Its quote token was not logged.
    if (kind === 'bonding' && base === ZERO_ADDRESS) return [];
    const entry = entryOf(created, base);
    return [{ kind, token: asset, base, pool: created.market, entry, isToken0, created }];
  });
  return groupBy(found, ({ token }) => token);
};

/** Markets in `fact_markets`, with their events. */
export const createTokenMarketStore = (clickhouse: Clickhouse, cache: ReadCache = NO_CACHE) => ({
  /**
   * The markets of tokens that were created up to a block: those against base tokens first, and only the first ones
   * of each token; those of base tokens are not read. On a chain with a profile only its factories count, because
   * anyone can deploy a factory whose pools hold nothing.
   */
  find: async (place: {
    readonly chainId: number;
    readonly tokens: readonly Hex[];
    readonly bases: readonly Hex[];
    readonly upTo: number;
  }): Promise<TokenMarket[]> => {
    const { tokens, bases, upTo } = place;
    const found = await cache.read({
      of: `markets ${bases.join()}`,
      keys: tokens.filter((token) => !bases.includes(token)),
      upTo,
      dependsOn: (token) => [`markets ${token}`],
      read: (missing) => readMarkets(clickhouse, { ...place, tokens: missing }),
    });
    return [...found.values()].flat();
  },
  /** State of markets, in the same order. */
  states: async (chainId: number, markets: readonly MarketAt[]): Promise<MarketState[]> => {
    const places = markets.map(({ market, untilBlock }) => ({
      market: market.pool,
      untilBlock,
      isUniswapV2: market.created.protocol === 'uniswap_v2',
    }));
    const stateOf = await readMarketStates(clickhouse, chainId, places);
    return markets.map(({ market }) => stateOf(market.created));
  },
  /**
   * The base holdings of markets, by pool, as far as a sale could have taken them out; absent for one that held
   * nothing.
   * @param markets each with the Unix second from which withdrawals count
   */
  peaks: (
    chainId: number,
    markets: readonly (MarketAt & { readonly sinceS: number })[],
  ): Promise<Map<Hex, MarketPeak>> => readPeaks(clickhouse, chainId, markets),
});
/**
 * Reads markets from the facts: Uniswap V3, its forks, Slipstream, Uniswap V4, Solidly, bonding curves of four.meme
 * and Virtuals, and Uniswap V2 against tokens that are not base tokens.
 */
export type TokenMarketStore = ReturnType<typeof createTokenMarketStore>;
