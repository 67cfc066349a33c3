import type { Hex } from '../../../shared/chain/block.ts';
import { amountOut, spotPrice } from '../../../shared/market/marketBook.ts';
import type { VerdictDoc } from '../../../shared/messages/verdictDoc.ts';
import { baseUsd, type StoredHolders, type ValuedMarket } from './tokenFeatures.ts';

/** Sizes of the quoted sales, in percent of the circulating tokens. */
const SALES_PERCENT = [1, 5, 100] as const;

/** Price and depth of a token in its main market. */
export interface MarketQuote {
  /** Price and proceeds of sales; unknown values are absent. */
  readonly features: Readonly<Record<string, number>>;
  readonly market: NonNullable<VerdictDoc['market']>;
}

/** Raw tokens held outside of markets; undefined if balances are unknown. */
const inOtherHands = (holders: StoredHolders | undefined): number | undefined =>
  holders?.is_whole ? Math.max(0, holders.held - holders.in_pools) : undefined;

const salesOf = (
  market: ValuedMarket,
  holders: StoredHolders | undefined,
): Record<string, number> => {
  const held = inOtherHands(holders);
  if (held === undefined || market.base.priceUsd === 0) return {};
  return Object.fromEntries(
    SALES_PERCENT.flatMap((percent): [string, number][] => {
      const sold = BigInt(Math.floor((held * percent) / 100));
      const taken = amountOut(market.book, sold, market.isToken0);
      return taken === null ? [] : [[`depth_${percent}pct_usd`, baseUsd(taken, market)]];
    }),
  );
};

const pricesOf = (
  { book, isToken0, base }: ValuedMarket,
  decimals: number | null,
): Record<string, number> => {
  const raw = spotPrice(book, isToken0);
  if (raw === null || decimals === null) return {};
  const price = raw * 10 ** (decimals - base.decimals);
  const both = { price_native: price * base.priceNative, price_usd: price * base.priceUsd };
  // A price of zero means that the base's price is unknown.
  const isKnown = (value: number): boolean => Number.isFinite(value) && value > 0;
  return Object.fromEntries(Object.entries(both).filter(([, value]) => isKnown(value)));
};

/**
 * Price of a token and the proceeds of selling 1 %, 5 % and 100 % of the circulating tokens in its main market, with
 * the markets on the route of its dollar price.
 */
export const marketQuote = (
  token: Hex,
  market: ValuedMarket,
  { decimals, holders }: { decimals: number | null; holders: StoredHolders | undefined },
): MarketQuote => {
  const { protocol, pool, baseToken, base } = market;
  const own = {
    protocol,
    market: pool,
    from: token,
    to: baseToken,
    depth_usd: market.liquidityUsd / 2,
  };
  const further = base.route.map(({ depthUsd, ...hop }) => ({ ...hop, depth_usd: depthUsd }));
  return {
    features: { ...pricesOf(market, decimals), ...salesOf(market, holders) },
    market: { protocol, market: pool, quote: baseToken, route: [own, ...further] },
  };
};
