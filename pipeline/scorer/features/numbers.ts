/** A quotient; missing if the denominator is not positive. */
export const ratio = (numerator: number, denominator: number): number =>
  denominator > 0 ? numerator / denominator : Number.NaN;

/** The median of numbers; NaN for an empty list. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

/** Decimal digits that a double represents exactly. */
const DOUBLE_DIGITS = 15;

/** Significant decimal digits of an amount, 1 to 15: typed amounts have few. NaN if absent. */
export const significantDigits = (amount: number): number => {
  if (!(amount > 0)) return Number.NaN;
  const [mantissa = ''] = amount.toExponential(DOUBLE_DIGITS - 1).split('e');
  return mantissa.replace('.', '').replace(/0+$/, '').length;
};
