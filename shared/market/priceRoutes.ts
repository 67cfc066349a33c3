import type { Hex } from '../chain/block.ts';
import type { Protocol } from '../chain/protocol.ts';
import { type BasePrices, type BaseToken, ROUTE_DEPTH_USD_MIN } from './basePrices.ts';

/** Markets on the route from a token to a base token. */
export const ROUTE_HOPS_MAX = 2;

/** A market in which a token can be sold. */
export interface RouteMarket {
  readonly protocol: Protocol;
  readonly market: Hex;
  readonly from: Hex;
  readonly to: Hex;
  /** Price of one raw unit of `from` in raw units of `to`. */
  readonly price: number;
  /** Output of a sale of the whole supply of `from`, raw units of `to`. */
  readonly depth: number;
}

/** US dollars that can be taken out at the end of a route: what its shallowest market pays. */
export const routeDepthUsd = ({ route }: Pick<BaseToken, 'route'>): number =>
  Math.min(Number.POSITIVE_INFINITY, ...route.map(({ depthUsd }) => depthUsd));

const throughMarket = (
  market: RouteMarket,
  decimals: number,
  known: BasePrices,
): BaseToken | undefined => {
  const { protocol, market: name, from, to } = market;
  const next = known.get(to);
  if (!next || next.route.some((hop) => hop.from === from)) return undefined;
  const depthUsd = (market.depth / 10 ** next.decimals) * next.priceUsd;
  if (!(depthUsd >= ROUTE_DEPTH_USD_MIN)) return undefined;
  const rate = market.price * 10 ** (decimals - next.decimals);
  return {
    decimals,
    priceUsd: rate * next.priceUsd,
    priceNative: rate * next.priceNative,
    route: [{ protocol, market: name, from, to, depthUsd }, ...next.route],
  };
};

/** Whether a route is better: deeper, then shorter, then by the id of its first market. */
const isBetter = (one: BaseToken, other: BaseToken | undefined): boolean => {
  if (!other) return true;
  const wider = routeDepthUsd(one) - routeDepthUsd(other);
  if (wider !== 0) return wider > 0;
  if (one.route.length !== other.route.length) return one.route.length < other.route.length;
  return (one.route[0]?.market ?? '') < (other.route[0]?.market ?? '');
};

/**
 * Prices of tokens that are not base tokens, each by the route to a base token whose shallowest market is the
 * deepest. A market counts only with a depth of `ROUTE_DEPTH_USD_MIN`, and a token only if its decimals are known.
 */
export const routedPrices = (
  markets: readonly RouteMarket[],
  bases: BasePrices,
  decimals: ReadonlyMap<Hex, number>,
): BasePrices => {
  let known: BasePrices = bases;
  for (let hops = 0; hops < ROUTE_HOPS_MAX; hops += 1) {
    const next = new Map(known);
    for (const market of markets) {
      const digits = decimals.get(market.from);
      if (digits === undefined || bases.has(market.from)) continue;
      const priced = throughMarket(market, digits, known);
      if (priced && isBetter(priced, next.get(market.from))) next.set(market.from, priced);
    }
    known = next;
  }
  return new Map([...known].filter(([token]) => !bases.has(token)));
};
