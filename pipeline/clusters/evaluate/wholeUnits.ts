/** From here up a sum is in wei: no whole native units come in such numbers. */
const WEI_MIN = 1e12;
/** Below this a sum of a file that mixes units is in whole ones: as wei it would be nothing. */
const WHOLE_MAX = 1e6;
/** Share of the sums that must be wei before any is taken for it. */
const WEI_SHARE_MIN = 0.01;
const WEI_PER_UNIT = 1e18;

/**
 * How to turn the sums of a file into whole native units. A file without wei stays as it is, for only the proportions
 * matter; one with wei is wei throughout unless some small sum has a fraction, and then small ones are whole units.
 */
export const wholeUnitsOf = (values: readonly number[]): ((value: number) => number) => {
  const known = values.filter((value) => value > 0);
  const inWei = known.filter((value) => value >= WEI_MIN).length;
  if (inWei === 0 || inWei < WEI_SHARE_MIN * known.length) return (value) => value;
  const isMixed = known.some((value) => value < WHOLE_MAX && !Number.isInteger(value));
  return (value) => (isMixed && value < WHOLE_MAX ? value : value / WEI_PER_UNIT);
};
