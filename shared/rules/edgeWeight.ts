/**
 * Native units with a weight of one half: a thousandth of it weighs almost nothing, a thousand times as much almost
 * one.
 */
const UNITS_SCALE = 1_000;
const UNITS_FULL = 1_000_000;
/** Weight of an edge without a known value. */
const UNVALUED_WEIGHT = 0.25;

/**
 * Weight of an edge, 0 to 1, by the native units moved, on a logarithmic scale: 0.001 units weigh 0.05, one 0.5, a
 * thousand 1.
 */
export const edgeWeight = (units: number): number =>
  units <= 0
    ? UNVALUED_WEIGHT
    : Math.min(1, Math.log1p(units * UNITS_SCALE) / Math.log1p(UNITS_FULL));
