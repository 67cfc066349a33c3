import { baseOf } from './poolChange.ts';
import type { PoolPoint } from './poolSeries.ts';
import { type PoolSides, type Pricing, stableUnit } from './poolSides.ts';

/** Raw units of one native coin. */
export const NATIVE_UNITS = 1e18;
/** US dollars of the stable token that a pool must hold to have a say: anyone can make a pool. */
const PRICE_POOL_USD_MIN = 10_000;

/** A WETH/stable pool as it stood last. */
export interface PricePool {
  readonly sides: PoolSides;
  readonly last: PoolPoint;
}

/** US dollars of a native coin in the pool that holds most, or null without one that counts. */
export const nativePrice = (pools: Iterable<PricePool>, pricing: Pricing): number | null => {
  let deepestUsd = PRICE_POOL_USD_MIN;
  let price: number | null = null;
  for (const { sides, last } of pools) {
    const depthUsd = baseOf(last, sides) * (stableUnit(sides.base, pricing) ?? 0);
    const native = (sides.isBase0 ? last.amount1 : last.amount0) / NATIVE_UNITS;
    if (depthUsd < deepestUsd || native === 0) continue;
    deepestUsd = depthUsd;
    price = depthUsd / native;
  }
  return price;
};
