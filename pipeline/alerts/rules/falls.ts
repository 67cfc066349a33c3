import type { Hex } from '../../../shared/chain/block.ts';
import type { PoolStepOfToken } from '../pools/poolChange.ts';

/** How far something fell in a step; negative where it rose. */
type FallOf = (step: PoolStepOfToken) => number;

/** The step of a block that fell furthest. */
export const largestFall = (
  steps: readonly PoolStepOfToken[],
  fallOf: FallOf,
): PoolStepOfToken | undefined =>
  steps
    .filter((step) => fallOf(step) > 0)
    .toSorted((a, b) => fallOf(b) - fallOf(a))
    .at(0);

/** Share of the block's fall a step needs, for its wallets to have caused it. */
const CAUSE_SHARE_MIN = 0.25;

/** The wallets behind the steps that caused most of a block's fall. */
export const walletsOfFalls = (steps: readonly PoolStepOfToken[], fallOf: FallOf): Hex[] => {
  const total = steps.reduce((sum, step) => sum + Math.max(0, fallOf(step)), 0);
  const causes = steps.filter(
    (step) => fallOf(step) > 0 && fallOf(step) >= total * CAUSE_SHARE_MIN,
  );
  return [...new Set(causes.flatMap(({ wallets }) => wallets))];
};
