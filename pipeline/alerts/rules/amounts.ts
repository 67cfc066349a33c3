import type { Hex } from '../../../shared/chain/block.ts';
import type { PoolChange, PoolStepOfToken } from '../pools/poolChange.ts';

/** A share with four decimals. */
export const roundShare = (share: number): number => Math.round(share * 10_000) / 10_000;

/**
 * US dollars of a pool's liquidity: twice its base reserve, because the other side has the same value. The same rule
 * as for a token's `liquidity_usd`. Null if the price is unknown.
 */
export const liquidityUsd = (reserve: number, usdPerUnit: number | null): number | null =>
  usdPerUnit === null ? null : 2 * reserve * usdPerUnit;

/** US dollars with two decimals; null stays null. */
export const roundUsd = (usd: number | null): number | null =>
  usd === null ? null : Math.round(usd * 100) / 100;

/**
 * US dollars of liquidity that a pool must have had. Anyone can open a second pool of a watched token and empty it; a
 * real pool below this amount is worth no alert either.
 */
export const LIQUIDITY_USD_MIN = 200;

/** Smaller shares are trading noise and raise no alert, whatever the threshold. */
export const SHARE_MIN = 0.01;

/** How far something fell in a step; negative if it rose. */
type FallOf = (step: PoolStepOfToken) => number;

/** Share of the block's fall that a step needs for its wallets to count as the cause. */
const CAUSE_SHARE_MIN = 0.25;

/** The wallets behind the steps that caused most of a block's fall. */
const walletsOfFalls = (steps: readonly PoolStepOfToken[], fallOf: FallOf): Hex[] => {
  const total = steps.reduce((sum, step) => sum + Math.max(0, fallOf(step)), 0);
  const causes = steps.filter(
    (step) => fallOf(step) > 0 && fallOf(step) >= total * CAUSE_SHARE_MIN,
  );
  return [...new Set(causes.flatMap(({ wallets }) => wallets))];
};

/**
 * How far something fell within a block, as a share of its peak, with the step that fell furthest and its wallets.
 * Undefined for noise, and for pools that never held enough.
 * @param largestUsd US dollars of the pool's liquidity at its largest; null: unknown
 */
export const fallInBlock = (
  steps: readonly PoolStepOfToken[],
  { peak, before, after }: PoolChange['price'],
  fallOf: FallOf,
  largestUsd: number | null,
) => {
  const drop = peak > 0 ? 1 - after / peak : 0;
  if (drop < SHARE_MIN || after >= before) return undefined;
  if (largestUsd !== null && largestUsd < LIQUIDITY_USD_MIN) return undefined;
  const [furthest] = steps
    .filter((step) => fallOf(step) > 0)
    .toSorted((a, b) => fallOf(b) - fallOf(a));
  return furthest && { drop, furthest, wallets: walletsOfFalls(steps, fallOf) };
};
