import { addressParam } from '../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../shared/chain/block.ts';
import { type Protocol } from '../../shared/chain/protocol.ts';
import { type ConcentratedPool, withTicks } from '../../shared/market/concentratedPool.ts';
import {
  type CreatedMarket,
  type MarketState,
  readCreatedMarkets,
  readMarketStates,
  readMarketsOf,
} from '../../shared/market/marketReads.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { TokenMarket } from './pools/mainMarkets.ts';
import { type KnownMarket, OTHER_PROTOCOLS } from './pools/marketStates.ts';
import type { Amounts } from './pools/poolSteps.ts';

/** Which markets count. */
export interface MarketScope {
  readonly chainId: number;
  /** Quote tokens; the wrapped native token implies the native one. */
  readonly bases: readonly Hex[];
  /** Factories whose markets count; null: all. */
  readonly factories: ReadonlySet<Hex> | null;
}

/** Markets looked up per token: more are created to confuse, and the deepest is among the first. */
const MARKETS_PER_TOKEN_MAX = 16;

/** The markets of one chain in ClickHouse. */
export const createMarketReader = (clickhouse: Clickhouse, scope: MarketScope) => {
  const { chainId } = scope;
  const factories = [...(scope.factories ?? [])].map(addressParam);
  const marketsOf = (tokens: readonly Hex[], upTo: number, protocols: readonly Protocol[]) =>
    readMarketsOf(clickhouse, {
      chainId,
      tokens,
      bases: [...scope.bases, ZERO_ADDRESS],
      anyOther: false,
      anyTerms: false,
      protocols,
      factories,
      upTo,
      marketsMax: MARKETS_PER_TOKEN_MAX,
    });
  return {
    /** The requested markets that are indexed, as of before a block. */
    markets: async (markets: readonly Hex[], beforeBlock: number): Promise<KnownMarket[]> => {
      // There is nothing before the first block of a chain.
      if (markets.length === 0 || beforeBlock === 0) return [];
      const untilBlock = beforeBlock - 1;
      const [created, stateOf] = await Promise.all([
        readCreatedMarkets(clickhouse, { chainId, markets, factories, upTo: untilBlock }),
        readMarketStates(
          clickhouse,
          chainId,
          markets.map((market) => ({ market, untilBlock })),
        ),
      ]);
      return created.map((one): KnownMarket => {
        const { market, firstPrice: _price, ...terms } = one;
        const state = stateOf(one);
        return {
          ...terms,
          isListed: true,
          pool: market,
          reserves: amountsOf(state),
          concentrated: concentratedOf(one, state),
        };
      });
    },
    /** The markets of these tokens that can be the deepest one, of any protocol, created before a block. */
    marketsOf: async (tokens: readonly Hex[], beforeBlock: number): Promise<TokenMarket[]> => {
      if (beforeBlock === 0) return [];
      const [pools, markets] = await Promise.all([
        marketsOf(tokens, beforeBlock - 1, ['uniswap_v2']),
        marketsOf(tokens, beforeBlock - 1, OTHER_PROTOCOLS),
      ]);
      return [...pools, ...markets].map(({ asset, market, protocol }) => {
        return { token: asset, pool: market, isUniswapV2: protocol === 'uniswap_v2' };
      });
    },
  };
};
/** Reads of markets of other protocols than Uniswap V2. The index may be behind the stream or ahead of it. */
export type MarketReader = ReturnType<typeof createMarketReader>;

/** A market's holdings; null if its reserves are not recorded. */
export const amountsOf = ({ reserves }: MarketState): Amounts | null =>
  reserves ? { amount0: Number(reserves.reserve0), amount1: Number(reserves.reserve1) } : null;

/** Price and ticks; null without a price. */
const concentratedOf = (
  { firstPrice, terms }: CreatedMarket,
  { price = firstPrice, ticks }: MarketState,
): ConcentratedPool | null =>
  price ? withTicks({ ...price, feePips: terms.fee, tickSpacing: terms.tickSpacing }, ticks) : null;
