import {
  SQRT_PRICE_MAX,
  SQRT_PRICE_MIN,
  sqrtPriceAtTick,
  TICK_MAX,
  TICK_MIN,
  tickAtSqrtPrice,
} from './tickMath.ts';

// Pools that keep liquidity between ticks instead of reserves: Uniswap V3 and its forks, V4, Slipstream. The output
// of a trade is computed exactly as the pool does (`UniswapV3Pool.swap`, `SwapMath`, `SqrtPriceMath` of
// @uniswap/v3-core 1.0.0), to the last unit.

/** Fees are in millionths of the input. */
const FEE_SCALE = 1_000_000n;
/**
 * A fee, in millionths, from which on nobody trades: the assets of such a pool show neither price nor depth. On
 * Uniswap V4 the creator of a pool chooses its fee, up to the whole input.
 */
export const PROHIBITIVE_FEE_PIPS = 100_000;
const Q96 = 1n << 96n;
const UINT256 = 1n << 256n;
/** Ticks per word of a pool's bitmap, in spacings: a pool looks no further in one step. */
const WORD_TICKS = 256;

/** State of a pool between two transactions. */
export interface ConcentratedPool {
  /** Square root of the price of token 0 in token 1 (base units), with 96 fraction bits. */
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  /** Liquidity of the ranges that contain the price. */
  readonly liquidity: bigint;
  /** Millionths of the input. */
  readonly feePips: number;
  readonly tickSpacing: number;
  /** Ticks at which a range begins or ends. */
  readonly ticks: ReadonlyMap<number, TickLiquidity>;
}

/** Liquidity of the ranges that begin or end at a tick. */
interface TickLiquidity {
  /**
   * Total liquidity of these ranges: while it is above zero, a trade makes a step at the tick even if `net` is zero.
   */
  readonly gross: bigint;
  /** Added when the price crosses the tick upwards; negative values remove liquidity. */
  readonly net: bigint;
}

/** A stored tick: the sums over the ranges that begin or end there. */
export interface StoredTick extends TickLiquidity {
  readonly tick: number;
}

/** Maximum tick spacing (`TickMath.MAX_TICK_SPACING` of Uniswap V4; V3 has half of it). */
const TICK_SPACING_MAX = 32_767;

/**
 * Whether a real pool can have this state. If no factory vouches for a pool, any contract can have logged its events,
 * and their sum may be impossible: the computation of a trade might then not terminate.
 */
export const isPossible = (pool: ConcentratedPool): boolean => {
  const { sqrtPriceX96: price, tick, feePips, tickSpacing, ticks } = pool;
  if (BigInt(feePips) > FEE_SCALE || tickSpacing < 1 || tickSpacing > TICK_SPACING_MAX)
    return false;
  if (price < SQRT_PRICE_MIN || price >= SQRT_PRICE_MAX) return false;
  const tickAtPrice = tickAtSqrtPrice(price);
  // A sale of token 0 that ends on a tick has crossed it.
  const isBelow = tick === tickAtPrice - 1 && price === sqrtPriceAtTick(tickAtPrice);
  if (tick !== tickAtPrice && !isBelow) return false;
  let liquidity = 0n;
  return [...ticks].toSorted(([a], [b]) => a - b).every(([, { net }]) => (liquidity += net) >= 0n);
};

/**
 * Completes a price with the state that follows from the stored ticks: active liquidity is the sum over all ranges
 * that contain the price.
 */
export const withTicks = <Price extends { readonly tick: number }>(
  price: Price,
  stored: readonly StoredTick[],
): Price & Pick<ConcentratedPool, 'liquidity' | 'ticks'> => ({
  ...price,
  liquidity: stored.reduce((sum, { tick, net }) => (tick <= price.tick ? sum + net : sum), 0n),
  ticks: new Map(
    stored.flatMap(({ tick, gross, net }) => (gross === 0n ? [] : [[tick, { gross, net }]])),
  ),
});

/** What a trade did. */
export interface ConcentratedTrade {
  /** Input, fee included; less than offered if the liquidity was exhausted. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** The pool after the trade. */
  readonly pool: ConcentratedPool;
}

const ceilDiv = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;

/** Token 0 between two prices at a liquidity (`SqrtPriceMath.getAmount0Delta`). */
const amount0 = (a: bigint, b: bigint, liquidity: bigint, isUp: boolean): bigint => {
  const [low, high] = a < b ? [a, b] : [b, a];
  const product = (liquidity << 96n) * (high - low);
  return isUp ? ceilDiv(ceilDiv(product, high), low) : product / high / low;
};

/** Token 1 between two prices at a liquidity (`SqrtPriceMath.getAmount1Delta`). */
const amount1 = (a: bigint, b: bigint, liquidity: bigint, isUp: boolean): bigint => {
  const product = liquidity * (a < b ? b - a : a - b);
  return isUp ? ceilDiv(product, Q96) : product / Q96;
};

/** The price after an input (`SqrtPriceMath.getNextSqrtPriceFromInput`). */
const priceAfterInput = (
  price: bigint,
  liquidity: bigint,
  amount: bigint,
  isToken0: boolean,
): bigint => {
  if (!isToken0) return price + (amount << 96n) / liquidity;
  if (amount === 0n) return price;
  const scaled = liquidity << 96n;
  const product = amount * price;
  // The pool computes in 256 bits, and rounds differently if the value does not fit.
  return product < UINT256 && scaled + product < UINT256
    ? ceilDiv(scaled * price, scaled + product)
    : ceilDiv(scaled, scaled / price + amount);
};

interface Step {
  readonly price: bigint;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly fee: bigint;
}

/** A trade at constant liquidity, up to a price limit (`SwapMath.computeSwapStep` for an exact input). */
const stepTo = (
  target: bigint,
  { sqrtPriceX96: price, liquidity, feePips }: ConcentratedPool,
  remaining: bigint,
  isToken0: boolean,
): Step => {
  const fee = BigInt(feePips);
  const [paid, taken] = isToken0 ? [amount0, amount1] : [amount1, amount0];
  const withoutFee = (remaining * (FEE_SCALE - fee)) / FEE_SCALE;
  const toTarget = paid(price, target, liquidity, true);
  const isEnough = withoutFee >= toTarget;
  const next = isEnough ? target : priceAfterInput(price, liquidity, withoutFee, isToken0);
  const amountIn = paid(price, next, liquidity, true);
  return {
    price: next,
    amountIn,
    amountOut: taken(price, next, liquidity, false),
    fee: next === target ? feeOn(amountIn, fee) : remaining - amountIn,
  };
};

/** A Uniswap V4 pool may take the whole input as a fee: then a step that reaches its target has no input. */
const feeOn = (amountIn: bigint, fee: bigint): bigint =>
  fee < FEE_SCALE ? ceilDiv(amountIn * fee, FEE_SCALE - fee) : amountIn;

/** The first index of an ascending list whose value is above `value`. */
const indexAbove = (list: readonly number[], value: number): number => {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
};

/**
 * The next tick with liquidity in the direction of a trade, or the end of the pool's bitmap word (`TickBitmap`).
 */
const nextTick = (
  ticks: readonly number[],
  { tick, tickSpacing }: ConcentratedPool,
  isDown: boolean,
): number => {
  const place = Math.floor(tick / tickSpacing);
  const above = indexAbove(ticks, tick);
  if (isDown) {
    const wordStart = Math.floor(place / WORD_TICKS) * WORD_TICKS * tickSpacing;
    return Math.max(TICK_MIN, wordStart, ticks[above - 1] ?? TICK_MIN);
  }
  const wordEnd =
    (Math.floor((place + 1) / WORD_TICKS) * WORD_TICKS + WORD_TICKS - 1) * tickSpacing;
  return Math.min(TICK_MAX, wordEnd, ticks[above] ?? TICK_MAX);
};

/**
 * Pays `amountIn` of token 0 or token 1 and takes out the other, without a price limit. Steps end with the price
 * range: at most 2 × `TICK_MAX` / (256 × spacing), plus one for each tick with liquidity.
 */
export const swapExactIn = (
  start: ConcentratedPool,
  amountIn: bigint,
  isToken0: boolean,
): ConcentratedTrade => {
  const ticks = [...start.ticks.keys()].toSorted((a, b) => a - b);
  // The limit that routers pass if a trader gives none.
  const limit = isToken0 ? SQRT_PRICE_MIN + 1n : SQRT_PRICE_MAX - 1n;
  let pool = start;
  let [remaining, amountOut] = [amountIn, 0n];
  while (remaining > 0n && pool.sqrtPriceX96 !== limit) {
    const tick = nextTick(ticks, pool, isToken0);
    const priceAtTick = sqrtPriceAtTick(tick);
    const isBeyond = isToken0 ? priceAtTick < limit : priceAtTick > limit;
    const step = stepTo(isBeyond ? limit : priceAtTick, pool, remaining, isToken0);
    remaining -= step.amountIn + step.fee;
    amountOut += step.amountOut;
    pool =
      step.price === priceAtTick ? cross(pool, tick, step.price, isToken0) : move(pool, step.price);
  }
  return { amountIn: amountIn - remaining, amountOut, pool };
};

const cross = (
  pool: ConcentratedPool,
  tick: number,
  price: bigint,
  isDown: boolean,
): ConcentratedPool => {
  const net = pool.ticks.get(tick)?.net ?? 0n;
  return {
    ...pool,
    sqrtPriceX96: price,
    tick: isDown ? tick - 1 : tick,
    liquidity: pool.liquidity + (isDown ? -net : net),
  };
};

const move = (pool: ConcentratedPool, price: bigint): ConcentratedPool =>
  price === pool.sqrtPriceX96
    ? pool
    : { ...pool, sqrtPriceX96: price, tick: tickAtSqrtPrice(price) };

/** A pool after liquidity was added to a tick range, or removed from it (`change` below zero). */
export const changeLiquidity = (
  pool: ConcentratedPool,
  { lower, upper, change }: { lower: number; upper: number; change: bigint },
): ConcentratedPool => {
  const ticks = new Map(pool.ticks);
  for (const [tick, net] of [
    [lower, change],
    [upper, -change],
  ] as const) {
    const before = ticks.get(tick) ?? { gross: 0n, net: 0n };
    const after = { gross: before.gross + change, net: before.net + net };
    if (after.gross === 0n) ticks.delete(tick);
    else ticks.set(tick, after);
  }
  const isInRange = lower <= pool.tick && pool.tick < upper;
  return { ...pool, ticks, liquidity: pool.liquidity + (isInRange ? change : 0n) };
};
