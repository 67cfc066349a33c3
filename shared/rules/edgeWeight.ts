/** Native units that weigh half: a thousandth of it weighs next to nothing, a thousandfold all. */
const UNITS_SCALE = 1_000;
const UNITS_FULL = 1_000_000;
/** What an edge weighs of which no value is known. */
const UNVALUED_WEIGHT = 0.25;

/** Weight of an edge, 0 to 1, by the native units moved on a logarithmic scale: 0.001 weigh 0.05, one 0.5, a thousand 1. */
export const edgeWeight = (units: number): number =>
  units <= 0
    ? UNVALUED_WEIGHT
    : Math.min(1, Math.log1p(units * UNITS_SCALE) / Math.log1p(UNITS_FULL));
