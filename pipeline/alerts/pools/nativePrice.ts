import { baseOf } from './poolChange.ts';
import type { PoolPoint } from './poolSeries.ts';
import { type PoolSides, type Pricing, stableUnit } from './poolSides.ts';

/** Raw units of one native coin. */
export const NATIVE_UNITS = 1e18;
/** Native coins below which a pool's price is noise. */
const NATIVE_RESERVE_MIN = 1;

/** A WETH/stable pool as it stood last. */
export interface PricePool {
  readonly sides: PoolSides;
  readonly last: PoolPoint;
}

/** US dollars of a native coin in the pool that holds most, or null without one that counts. */
export const nativePrice = (pools: Iterable<PricePool>, pricing: Pricing): number | null => {
  let deepest = NATIVE_RESERVE_MIN;
  let price: number | null = null;
  for (const { sides, last } of pools) {
    const unit = stableUnit(sides.base, pricing);
    if (unit === null) continue;
    const native = (sides.isBase0 ? last.amount1 : last.amount0) / NATIVE_UNITS;
    if (native < deepest) continue;
    deepest = native;
    price = (baseOf(last, sides) * unit) / native;
  }
  return price;
};
