import type { Hex } from '../../../shared/chain/block.ts';
import { type PoolSeries, pointsInWindow, WINDOW_S } from './poolSeries.ts';
import type { PoolSides } from './poolSides.ts';
import type { Amounts, PoolStep } from './poolSteps.ts';

/** A step of a pool, of its base side only. Raw units. */
export interface BaseStep extends Pick<PoolStep, 'txHash' | 'logIndex' | 'kind' | 'wallets'> {
  readonly before: number;
  readonly after: number;
  readonly paid: number;
}

/** What a block did to a pool that has a base token. Reserves of the base in raw units. */
export interface PoolChange {
  readonly pool: Hex;
  readonly token: Hex;
  readonly base: Hex;
  /** Highest reserve at the end of a block of the last ten minutes, this one excepted. */
  readonly peak: number;
  /** Reserve before this block. */
  readonly before: number;
  readonly after: number;
  readonly steps: readonly BaseStep[];
  /** Payments of the base in the last ten minutes, this block included. */
  readonly payouts: readonly { readonly wallets: readonly Hex[]; readonly amount: number }[];
}

/** The side of the amounts that is the base token's. */
export const baseOf = (amounts: Amounts, sides: PoolSides): number =>
  sides.isBase0 ? amounts.amount0 : amounts.amount1;

/** What the steps of one block mean for a pool with this past. */
export const poolChange = (
  pool: Hex,
  sides: PoolSides,
  past: PoolSeries,
  steps: readonly PoolStep[],
  timestampS: number,
): PoolChange => {
  const points = pointsInWindow(past.points, timestampS);
  const last = points.at(-1);
  const before = last ? baseOf(last, sides) : 0;
  const baseSteps = toBaseSteps(steps, sides, before);
  const earlier = past.payouts.filter((payout) => payout.timestampS >= timestampS - WINDOW_S);
  return {
    pool,
    token: sides.token,
    base: sides.base,
    peak: points.reduce((peak, point) => Math.max(peak, baseOf(point, sides)), 0),
    before,
    after: baseSteps.at(-1)?.after ?? before,
    steps: baseSteps,
    payouts: [
      ...earlier.map(({ wallets, ...amounts }) => ({ wallets, amount: baseOf(amounts, sides) })),
      ...baseSteps.map(({ wallets, paid }) => ({ wallets, amount: paid })),
    ].filter(({ amount }) => amount > 0),
  };
};

const toBaseSteps = (steps: readonly PoolStep[], sides: PoolSides, before: number): BaseStep[] => {
  let reserve = before;
  return steps.map(({ txHash, logIndex, kind, wallets, reserves, paid }) => {
    const step = { before: reserve, after: baseOf(reserves, sides), paid: baseOf(paid, sides) };
    reserve = step.after;
    return { txHash, logIndex, kind, wallets, ...step };
  });
};
