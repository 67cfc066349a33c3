/** A share with four digits after the point. */
export const roundShare = (share: number): number => Math.round(share * 10_000) / 10_000;

/** US dollars with two digits after the point; null stays unknown. */
export const roundUsd = (usd: number | null): number | null =>
  usd === null ? null : Math.round(usd * 100) / 100;
