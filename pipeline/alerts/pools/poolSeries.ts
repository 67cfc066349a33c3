import type { Hex } from '../../../shared/chain/block.ts';
import type { Amounts, Depth } from './poolSteps.ts';

/** Chain seconds for a drop of liquidity: `liquidity_drop` of AlertConfig. */
export const LIQUIDITY_WINDOW_S = 600;
/** Chain seconds for a drop of the price: `price_drop` of AlertConfig. */
export const PRICE_WINDOW_S = 3_600;
/** Chain seconds that rules look back. */
export const LOOK_BACK_S = Math.max(LIQUIDITY_WINDOW_S, PRICE_WINDOW_S);
/** Blocks kept beyond the window, so that a reorg can be undone; finality is faster on every chain. */
export const REORG_BLOCKS_MAX = 256;
/** Maximum points and payouts of a pool; at one per block, only sub-second chains come near. */
const POINTS_PER_POOL_MAX = 4_096;

interface At {
  readonly number: number;
  /** Unix seconds. */
  readonly timestampS: number;
}

/** Reserves of a pool at the end of a block, or the output that takes their place. */
export interface PoolPoint extends At, Depth {}

/** A pool's payment in a transaction, and the wallets that caused it. */
interface PoolPayout extends At, Amounts {
  readonly wallets: readonly Hex[];
}

/** The recent past of one pool, oldest first. */
export interface PoolSeries {
  points: PoolPoint[];
  payouts: PoolPayout[];
}

/** Points since `startS`, and the last one before. */
export const pointsSince = (points: readonly PoolPoint[], startS: number): readonly PoolPoint[] => {
  let first = points.length;
  while (first > 0 && (points[first - 1]?.timestampS ?? 0) >= startS) first -= 1;
  return points.slice(Math.max(0, first - 1));
};

/** The series without blocks above `ancestor`. */
export const rollBack = (series: PoolSeries, ancestor: number): void => {
  series.points = series.points.filter(({ number }) => number <= ancestor);
  series.payouts = series.payouts.filter(({ number }) => number <= ancestor);
};

/** The series without points that neither the window nor a reorg can need. Returns what exceeded the limit. */
export const prune = (series: PoolSeries, now: At): number => {
  const isBefore = (at: At, windowS: number): boolean =>
    at.timestampS < now.timestampS - windowS && at.number < now.number - REORG_BLOCKS_MAX;
  // The newest old point is kept: its reserves were valid until the first point of the window.
  while (series.points[1] && isBefore(series.points[1], PRICE_WINDOW_S)) series.points.shift();
  while (series.payouts[0] && isBefore(series.payouts[0], LIQUIDITY_WINDOW_S)) {
    series.payouts.shift();
  }
  const points = Math.max(0, series.points.length - POINTS_PER_POOL_MAX);
  const payouts = Math.max(0, series.payouts.length - POINTS_PER_POOL_MAX);
  series.points.splice(0, points);
  series.payouts.splice(0, payouts);
  return points + payouts;
};
