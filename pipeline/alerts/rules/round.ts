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
