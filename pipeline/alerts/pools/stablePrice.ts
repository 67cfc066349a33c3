import type { Amounts } from './poolSteps.ts';

/** Decimals of both tokens of a pool. */
export interface Digits {
  readonly digits0: number;
  readonly digits1: number;
}

/**
 * token1 for one token0, raw units, of a stable Solidly pool, whose invariant is x³y + xy³ in whole tokens (`Pool._k` of Velodrome V2):
 * the slope of the curve at these reserves. Null while decimals are unknown, or a side is empty.
 */
export const stablePrice = (
  { amount0, amount1 }: Amounts,
  digits: Digits | null,
): number | null => {
  if (!digits || amount0 <= 0 || amount1 <= 0) return null;
  const scale = 10 ** (digits.digits1 - digits.digits0);
  const x = amount0 / 10 ** digits.digits0;
  const y = amount1 / 10 ** digits.digits1;
  return (scale * (3 * x * x * y + y ** 3)) / (x ** 3 + 3 * x * y * y);
};
