/** Decimals of both tokens of a pool. */
export interface Digits {
  readonly digits0: number;
  readonly digits1: number;
}

/**
 * Price of token0 in token1, raw units, in a stable Solidly pool with the invariant x³y + xy³ in whole tokens
 * (`Pool._k` of Velodrome V2): the slope of the curve at these reserves. Null while decimals are unknown, or if a
 * side is empty.
 */
export const stablePrice = (
  { amount0, amount1 }: { readonly amount0: number; readonly amount1: number },
  digits: Digits | null,
): number | null => {
  if (!digits || amount0 <= 0 || amount1 <= 0) return null;
  const scale = 10 ** (digits.digits1 - digits.digits0);
  const x = amount0 / 10 ** digits.digits0;
  const y = amount1 / 10 ** digits.digits1;
  return (scale * (3 * x * x * y + y ** 3)) / (x ** 3 + 3 * x * y * y);
};

/** Fractions of a whole token in which the pool computes, whatever the token's decimals. */
const WHOLE = 10n ** 18n;

/** The invariant, as the pool rounds it. */
const invariantOf = (x: bigint, y: bigint): bigint =>
  (((x * y) / WHOLE) * ((x * x) / WHOLE + (y * y) / WHOLE)) / WHOLE;

/** The smallest reserve that keeps the invariant with `x` on the other side; at most `most`. */
const leastBeside = (x: bigint, invariant: bigint, most: bigint): bigint => {
  let [low, high] = [0n, most];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (invariantOf(x, middle) >= invariant) high = middle;
    else low = middle + 1n;
  }
  return low;
};

/**
 * Output of a stable Solidly pool for `amountIn`, raw units, before its fee: the amount that keeps x³y + xy³
 * constant, computed in 18 decimals as the pool does.
 */
export const stableAmountOut = (
  sides: { readonly reserveIn: bigint; readonly reserveOut: bigint },
  { digitsIn, digitsOut }: { readonly digitsIn: number; readonly digitsOut: number },
  amountIn: bigint,
): bigint => {
  const [unitIn, unitOut] = [10n ** BigInt(digitsIn), 10n ** BigInt(digitsOut)];
  const x = (sides.reserveIn * WHOLE) / unitIn;
  const y = (sides.reserveOut * WHOLE) / unitOut;
  if (x === 0n || y === 0n) return 0n;
  const left = leastBeside(x + (amountIn * WHOLE) / unitIn, invariantOf(x, y), y);
  return ((y - left) * unitOut) / WHOLE;
};
