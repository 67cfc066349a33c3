/** Lowest and highest tick of a pool with concentrated liquidity (Uniswap V3 `TickMath`): prices from 2^-128 to 2^128. */
export const TICK_MIN = -887_272;
export const TICK_MAX = 887_272;

const FRACTION_BITS = 128n;
const ONE = 1n << FRACTION_BITS;
const UINT256_MAX = (1n << 256n) - 1n;
/** Bits of the absolute value of a tick. */
const TICK_BITS = 20;

const squareRoot = (value: bigint): bigint => {
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
};

/**
 * 1.0001^(-2^k / 2) for each bit k of a tick, with 128 fraction bits: the constants of `TickMath.getSqrtRatioAtTick`.
 */
const FACTORS: readonly bigint[] = (() => {
  const bits = 256n;
  let power = squareRoot((10_000n << (2n * bits)) / 10_001n);
  return Array.from({ length: TICK_BITS }, () => {
    const factor = (power + (1n << (bits - FRACTION_BITS - 1n))) >> (bits - FRACTION_BITS);
    power = (power * power) >> bits;
    return factor;
  });
})();

/**
 * Square root of the price of token 0 in token 1 at a tick, 1.0001^(tick / 2), with 96 fraction bits, rounded as
 * pools do.
 * @throws RangeError outside of `TICK_MIN` to `TICK_MAX`.
 */
export const sqrtPriceAtTick = (tick: number): bigint => {
  if (!Number.isInteger(tick) || tick < TICK_MIN || tick > TICK_MAX) {
    throw new RangeError(`a tick is a whole number from ${TICK_MIN} to ${TICK_MAX}, not ${tick}`);
  }
  const size = Math.abs(tick);
  let ratio = ONE;
  for (const [bit, factor] of FACTORS.entries()) {
    if ((size >> bit) & 1) ratio = (ratio * factor) >> FRACTION_BITS;
  }
  if (tick > 0) ratio = UINT256_MAX / ratio;
  return (ratio + (1n << 32n) - 1n) >> 32n;
};

export const SQRT_PRICE_MIN = sqrtPriceAtTick(TICK_MIN);
export const SQRT_PRICE_MAX = sqrtPriceAtTick(TICK_MAX);

/**
 * The greatest tick whose price is not above a price.
 * @throws RangeError outside of `SQRT_PRICE_MIN` (inclusive) to `SQRT_PRICE_MAX` (exclusive).
 */
export const tickAtSqrtPrice = (sqrtPriceX96: bigint): number => {
  if (sqrtPriceX96 < SQRT_PRICE_MIN || sqrtPriceX96 >= SQRT_PRICE_MAX) {
    throw new RangeError(`no tick has the square root of price ${sqrtPriceX96}`);
  }
  // The logarithm in doubles is off by less than one tick; the exact powers decide.
  const estimate = Math.floor((2 * Math.log(Number(sqrtPriceX96) / 2 ** 96)) / Math.log(1.0001));
  let tick = Math.min(TICK_MAX - 1, Math.max(TICK_MIN, estimate));
  while (sqrtPriceAtTick(tick) > sqrtPriceX96) tick -= 1;
  while (sqrtPriceAtTick(tick + 1) <= sqrtPriceX96) tick += 1;
  return tick;
};
