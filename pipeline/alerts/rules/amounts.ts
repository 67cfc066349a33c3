/** A share with four digits after the point. */
export const roundShare = (share: number): number => Math.round(share * 10_000) / 10_000;

/**
 * US dollars of a pool's liquidity, by the reserve of its base token: twice that, for the other side
 * is worth as much. The same rule as for a token's `liquidity_usd`. Null where the price is unknown.
 */
export const liquidityUsd = (reserve: number, usdPerUnit: number | null): number | null =>
  usdPerUnit === null ? null : 2 * reserve * usdPerUnit;

/** US dollars with two digits after the point; null stays unknown. */
export const roundUsd = (usd: number | null): number | null =>
  usd === null ? null : Math.round(usd * 100) / 100;

/**
 * US dollars of liquidity a pool must have had. Anyone can open a second pool of a watched token and
 * empty it; below this a real pool is worth no alert either.
 */
export const LIQUIDITY_USD_MIN = 200;

/** Shares below this are noise of trading: nobody is told, whatever threshold is set. */
export const SHARE_MIN = 0.01;
