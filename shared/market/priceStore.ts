import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { addressParam, asAddress, inAddresses } from '../chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../chain/block.ts';
import { KNOWN_STABLE_DECIMALS } from '../chain/chains.ts';
import { protocolsOf } from '../chain/protocol.ts';
import { addressSchema } from '../messages/schemas.ts';
import type { Clickhouse } from '../platform/clickhouse.ts';
import type { Clock } from '../platform/clock.ts';
import type { PricingConfig } from '../platform/config.ts';
import { hexText } from '../rules/hexText.ts';
import { type BasePrices, type BaseToken, basePricesOf, type NativeMarket } from './basePrices.ts';
import { bookOf, depthOf, spotPrice } from './marketBook.ts';
import {
  knownFactories,
  type MarketOfToken,
  readMarketStates,
  readMarketsOf,
} from './marketReads.ts';
import { ROUTE_HOPS_MAX, type RouteMarket, routedPrices } from './priceRoutes.ts';
import { readDecimals } from './readDecimals.ts';

/** Milliseconds for which prices are reused. */
const PRICE_AGE_MS_MAX = 15_000;
/** Cached prices of tokens other than base tokens. */
const ROUTED_MAX = 10_000;
/** Markets examined per token on a route to a base token. */
const ROUTE_MARKETS_MAX = 10;
/** Markets of the native coin against a stablecoin that are examined. */
const NATIVE_MARKETS_MAX = 50;
/** No upper limit of blocks: all facts count. */
const UP_TO = Number.MAX_SAFE_INTEGER;
const TRADED = protocolsOf('reserves', 'concentrated', 'managed', 'solidly');

/**
 * State of each pool of the wrapped native token against a stablecoin, whether or not its creation was seen.
 */
const stablePoolsSql = `SELECT ${hexText('p.pool')} AS address, ${hexText('p.other_token')} AS stable,
    toString(argMax(if(p.token_is_0 = 1, e.reserve0, e.reserve1), (e.block_number, e.log_index))) AS native_reserve,
    toString(argMax(if(p.token_is_0 = 1, e.reserve1, e.reserve0), (e.block_number, e.log_index))) AS stable_reserve
  FROM (SELECT * FROM dim_pools FINAL WHERE chain_id = {chainId:UInt64} AND token = ${asAddress('weth')}
    AND other_token IN ${inAddresses('stables')}) AS p
  INNER JOIN (SELECT * FROM fact_pool_events FINAL WHERE chain_id = {chainId:UInt64} AND kind = 'sync'
    AND pool IN (SELECT pool FROM dim_pools FINAL WHERE chain_id = {chainId:UInt64} AND token = ${asAddress('weth')}
      AND other_token IN ${inAddresses('stables')})) AS e ON e.pool = p.pool
  GROUP BY p.other_token, p.pool`;
const stablePoolSchema = z.object({
  address: addressSchema,
  stable: addressSchema,
  native_reserve: z.string(),
  stable_reserve: z.string(),
});

/** Markets with a price, and the output of a sale of the whole supply in each. */
const routeMarkets = async (
  clickhouse: Clickhouse,
  chainId: number,
  found: readonly MarketOfToken[],
  decimals: ReadonlyMap<Hex, number>,
): Promise<RouteMarket[]> => {
  const stateOf = await readMarketStates(
    clickhouse,
    chainId,
    found.map(({ market, protocol }) => ({
      market,
      untilBlock: UP_TO,
      isUniswapV2: protocol === 'uniswap_v2',
    })),
  );
  return found.flatMap((one): RouteMarket[] => {
    const { asset: from, market, protocol, token0, token1 } = one;
    const [digits0, digits1] = [decimals.get(token0), decimals.get(token1)];
    const digits =
      digits0 === undefined || digits1 === undefined ? undefined : { digits0, digits1 };
    const book = bookOf(one, stateOf(one), digits);
    const isToken0 = from === token0;
    const price = book ? spotPrice(book, isToken0) : null;
    if (!book || price === null) return [];
    const depth = depthOf(book, isToken0);
    return [{ protocol, market, from, to: isToken0 ? token1 : token0, price, depth }];
  });
};

/**
 * Markets of the native coin against stablecoins, of any protocol: trusted if a known factory was seen creating them.
 */
const readNativeMarkets = async (
  clickhouse: Clickhouse,
  chainId: number,
  { weth, stables }: PricingConfig,
  decimals: ReadonlyMap<Hex, number>,
): Promise<NativeMarket[]> => {
  const params = { chainId, weth: addressParam(weth), stables: stables.map(addressParam) };
  const [pools, created] = await Promise.all([
    clickhouse.query(stablePoolsSql, params, stablePoolSchema),
    readMarketsOf(clickhouse, {
      chainId,
      tokens: [weth, ZERO_ADDRESS],
      bases: stables,
      anyOther: false,
      anyTerms: false,
      protocols: TRADED,
      factories: knownFactories(chainId),
      upTo: UP_TO,
      marketsMax: NATIVE_MARKETS_MAX,
    }),
  ]);
  const trusted = new Set(created.map(({ market }) => market));
  const others = created.filter(({ protocol }) => protocol !== 'uniswap_v2');
  const markets = await routeMarkets(clickhouse, chainId, others, decimals);
  return [
    ...pools.map(({ address, stable, native_reserve, stable_reserve }) => ({
      protocol: 'uniswap_v2' as const,
      market: address,
      stable,
      isTrusted: trusted.has(address),
      stableOut: Number(stable_reserve),
      native: Number(native_reserve),
    })),
    ...markets.map(({ protocol, market, to, price, depth }) => {
      return {
        protocol,
        market,
        stable: to,
        isTrusted: true,
        stableOut: depth,
        native: depth / price,
      };
    }),
  ];
};

/** All markets that can be on a route from these tokens to a base token. */
const readRoutes = async (
  clickhouse: Clickhouse,
  place: { readonly chainId: number; readonly bases: readonly Hex[] },
  tokens: readonly Hex[],
): Promise<MarketOfToken[]> => {
  const { chainId, bases } = place;
  const isBase = new Set(bases);
  const asked = new Set<Hex>();
  const found: MarketOfToken[] = [];
  let next = tokens.filter((token) => !isBase.has(token));
  for (let hops = 0; hops < ROUTE_HOPS_MAX && next.length > 0; hops += 1) {
    for (const token of next) asked.add(token);
    const markets = await readMarketsOf(clickhouse, {
      chainId,
      tokens: next,
      bases,
      anyOther: hops + 1 < ROUTE_HOPS_MAX,
      anyTerms: false,
      protocols: TRADED,
      factories: knownFactories(chainId),
      upTo: UP_TO,
      marketsMax: ROUTE_MARKETS_MAX,
    });
    found.push(...markets);
    const others = markets.map(({ asset, token0, token1 }) => (asset === token0 ? token1 : token0));
    next = [...new Set(others)].filter((token) => !isBase.has(token) && !asked.has(token));
  }
  return found;
};

export const createPriceStore = (parts: {
  clickhouse: Clickhouse;
  pricing: PricingConfig;
  clock: Clock;
}) => {
  const { clickhouse, pricing, clock } = parts;
  let cached: { prices: BasePrices; atMs: number } | undefined;
  const routes = new LRUCache<Hex, { price: BaseToken | undefined; atMs: number }>({
    max: ROUTED_MAX,
  });
  const read = async (chainId: number): Promise<BasePrices> => {
    const onChain = await readDecimals(clickhouse, chainId, pricing.stables);
    const decimals = new Map<Hex, number>([...KNOWN_STABLE_DECIMALS, ...onChain]);
    const markets = await readNativeMarkets(clickhouse, chainId, pricing, decimals);
    return basePricesOf({ pricing, decimals, markets });
  };
  const prices = async (chainId: number): Promise<BasePrices> => {
    const now = clock.now();
    if (cached && now - cached.atMs < PRICE_AGE_MS_MAX) return cached.prices;
    cached = { prices: await read(chainId), atMs: now };
    return cached.prices;
  };
  const readRouted = async (chainId: number, tokens: readonly Hex[]): Promise<BasePrices> => {
    const bases = await prices(chainId);
    const addresses = [...bases.keys()];
    const found = await readRoutes(clickhouse, { chainId, bases: addresses }, tokens);
    if (found.length === 0) return new Map();
    const sides = [...new Set(found.flatMap(({ token0, token1 }) => [token0, token1]))];
    const onChain = await readDecimals(clickhouse, chainId, sides);
    const decimals = new Map(
      [...bases].map(([address, base]): [Hex, number] => [address, base.decimals]),
    );
    for (const [token, digits] of onChain) if (!decimals.has(token)) decimals.set(token, digits);
    const markets = await routeMarkets(clickhouse, chainId, found, decimals);
    return routedPrices(markets, bases, decimals);
  };
  return {
    /** Prices of the base tokens. */
    prices,
    /** Prices of other tokens that have a route of known depth to a base token. */
    routed: async (chainId: number, tokens: readonly Hex[]): Promise<BasePrices> => {
      const now = clock.now();
      const missing = [...new Set(tokens)].filter((token) => {
        const known = routes.get(token);
        return !known || now - known.atMs >= PRICE_AGE_MS_MAX;
      });
      const read = missing.length > 0 ? await readRouted(chainId, missing) : new Map();
      for (const token of missing) routes.set(token, { price: read.get(token), atMs: now });
      return new Map(
        tokens.flatMap((token): [Hex, BaseToken][] => {
          const price = routes.peek(token)?.price;
          return price ? [[token, price]] : [];
        }),
      );
    },
  };
};
/** US dollar prices of quote tokens, from the chain's own markets. */
export type PriceStore = ReturnType<typeof createPriceStore>;
