import type { ConcentratedPool } from './concentratedPool.ts';

/**
 * A sale is followed until the price has fallen to this fraction. Bids below it leave a seller with nothing, so money
 * placed there is no depth. For liquidity over the full range, this leaves out a hundredth.
 */
const PRICE_FALL_MAX = 10_000;
const TICK_BASE = 1.0001;
const Q96 = 2 ** 96;

/**
 * Output of a sale of the whole supply of token 0 (or token 1) into a concentrated-liquidity pool, in base units of
 * the other side. Ranges that hold only the sold token add nothing. Computed in doubles: 9 digits are exact, and the
 * fee makes no difference.
 */
export const saleDepth = (pool: ConcentratedPool, isToken0Sold: boolean): number => {
  const start = Number(pool.sqrtPriceX96) / Q96;
  if (start === 0) return 0;
  const fall = Math.sqrt(PRICE_FALL_MAX);
  const end = isToken0Sold ? start / fall : start * fall;
  const takenOf = (from: number, to: number): number =>
    isToken0Sold ? from - to : 1 / from - 1 / to;
  let [price, liquidity, taken] = [start, pool.liquidity, 0];
  for (const tick of ticksAhead(pool, isToken0Sold)) {
    const edge = TICK_BASE ** (tick / 2);
    if (isToken0Sold ? edge <= end : edge >= end) break;
    taken += liquidity > 0n ? Math.max(0, takenOf(price, edge)) * Number(liquidity) : 0;
    const net = pool.ticks.get(tick)?.net ?? 0n;
    liquidity += isToken0Sold ? -net : net;
    price = edge;
  }
  return liquidity > 0n ? taken + takenOf(price, end) * Number(liquidity) : taken;
};

/** Ticks with liquidity in the order in which a sale crosses them. */
const ticksAhead = ({ ticks, tick: now }: ConcentratedPool, isDown: boolean): number[] =>
  [...ticks.keys()]
    .filter((tick) => (isDown ? tick <= now : tick > now))
    .toSorted((a, b) => (isDown ? b - a : a - b));
