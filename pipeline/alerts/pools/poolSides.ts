import type { Hex } from '../../../shared/chain/block.ts';

/** Inputs for valuing a pool. */
export interface Pricing {
  readonly weth: Hex;
  readonly stables: readonly Hex[];
  /** US dollars per native unit while no pool shows it; 0 if unknown. */
  readonly nativePriceUsd: number;
  /**
   * Decimals of the stablecoins, read from the index if missing; a stablecoin without decimals values nothing.
   */
  readonly stableDecimals: Map<Hex, number>;
}

/** The traded token of a pool, and its quote token. */
export interface PoolSides {
  readonly token: Hex;
  readonly base: Hex;
  readonly isBase0: boolean;
}

const STABLE_RANK = 2;
const WETH_RANK = 1;

/**
 * The base is a stablecoin, else WETH. A pool without either, or of two stablecoins, has no base: anyone can give a
 * made-up token any price there, so such a pool raises no alert.
 */
export const poolSides = (token0: Hex, token1: Hex, pricing: Pricing): PoolSides | null => {
  const rank = (token: Hex): number => {
    if (pricing.stables.includes(token)) return STABLE_RANK;
    return token === pricing.weth ? WETH_RANK : 0;
  };
  const [rank0, rank1] = [rank(token0), rank(token1)];
  if (rank0 === rank1) return null;
  return rank0 > rank1
    ? { token: token1, base: token0, isBase0: true }
    : { token: token0, base: token1, isBase0: false };
};

/** US dollars per raw unit of a stablecoin; null for other tokens, and while its decimals are unknown. */
export const stableUnit = (token: Hex, pricing: Pricing): number | null => {
  const decimals = pricing.stables.includes(token) ? pricing.stableDecimals.get(token) : undefined;
  return decimals === undefined ? null : 10 ** -decimals;
};
