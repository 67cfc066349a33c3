import { type Hex, ZERO_ADDRESS } from '../chain/block.ts';
import type { Protocol } from '../chain/protocol.ts';

/** One market on a token's route to US dollars. */
export interface RouteHop {
  readonly protocol: Protocol;
  /** Contract of the market, or its id in its manager. */
  readonly market: Hex;
  readonly from: Hex;
  readonly to: Hex;
  /** US dollars from selling the whole supply into it. */
  readonly depthUsd: number;
}

/** A token in which others are priced. */
export interface BaseToken {
  readonly decimals: number;
  /** US dollars for one whole token. */
  readonly priceUsd: number;
  /** Whole native coins for one whole token: 1 for the wrapped native token. */
  readonly priceNative: number;
  /** The markets from which its dollar price follows; none for a stablecoin, or if the price is configured. */
  readonly route: readonly RouteHop[];
}

/** Such tokens by address; zero is the native currency. */
export type BasePrices = ReadonlyMap<Hex, BaseToken>;

/** State of a market between the native coin, or its wrapped token, and a stablecoin. */
export interface NativeMarket {
  readonly protocol: Protocol;
  readonly market: Hex;
  readonly stable: Hex;
  /** Whether a known factory created it: any contract can log the same events as a market. */
  readonly isTrusted: boolean;
  /** Raw units of the stablecoin from selling all coins into it, and the equivalent in coins at its price. */
  readonly stableOut: number;
  readonly native: number;
}

/**
 * US dollars that a market must be able to pay for its price to count: manipulating it puts as much at risk.
 */
export const ROUTE_DEPTH_USD_MIN = 10_000;

const NATIVE_DECIMALS = 18;
/** Whole native coins below which a market's price is noise. */
const NATIVE_DEPTH_MIN = 1;

interface NativePrice {
  readonly usd: number;
  readonly coins: number;
  readonly hop: RouteHop;
}

/**
 * The price of the deepest trusted market with enough depth. If there is none, for example on a chain that is not
 * read from its beginning, the deepest of all markets whose price is not noise.
 */
const nativePriceOf = (
  markets: readonly NativeMarket[],
  decimals: ReadonlyMap<Hex, number>,
  weth: Hex,
): NativePrice | undefined => {
  const priced = markets.flatMap(({ stable, stableOut, native, isTrusted, ...market }) => {
    const stableDecimals = decimals.get(stable);
    const coins = native / 10 ** NATIVE_DECIMALS;
    if (stableDecimals === undefined || !(coins >= NATIVE_DEPTH_MIN)) return [];
    const depthUsd = stableOut / 10 ** stableDecimals;
    const hop = { ...market, from: weth, to: stable, depthUsd };
    const isEnough = isTrusted && depthUsd >= ROUTE_DEPTH_USD_MIN;
    return [{ usd: depthUsd / coins, coins, isEnough, hop }];
  });
  const [deepest] = priced.toSorted(
    (a, b) =>
      Number(b.isEnough) - Number(a.isEnough) ||
      b.coins - a.coins ||
      (a.hop.market < b.hop.market ? -1 : 1),
  );
  return deepest;
};

/**
 * Prices of the base tokens. A stablecoin with known decimals counts as one dollar. The native coin has the price of
 * its deepest stablecoin market, of any protocol, else the configured price.
 */
export const basePricesOf = (parts: {
  pricing: { weth: Hex; stables: readonly Hex[]; nativePriceUsd: number };
  decimals: ReadonlyMap<Hex, number>;
  markets: readonly NativeMarket[];
}): BasePrices => {
  const { pricing, decimals, markets } = parts;
  const native = nativePriceOf(markets, decimals, pricing.weth);
  const nativeUsd = native?.usd ?? pricing.nativePriceUsd;
  const priceNative = nativeUsd > 0 ? 1 / nativeUsd : Number.NaN;
  const stables = pricing.stables.flatMap((address): [Hex, BaseToken][] => {
    const known = decimals.get(address);
    return known === undefined
      ? []
      : [[address, { decimals: known, priceUsd: 1, priceNative, route: [] }]];
  });
  const weth: BaseToken = {
    decimals: NATIVE_DECIMALS,
    priceUsd: nativeUsd,
    priceNative: 1,
    route: native ? [native.hop] : [],
  };
  return new Map([...stables, [pricing.weth, weth], [ZERO_ADDRESS, weth]]);
};
