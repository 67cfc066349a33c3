/**
 * Share of rugs among training snapshots of the nearest age not above `ageS`; the youngest known
 * age before that, and one half where nothing is known.
 */
export const priorAtAge = (
  rugShareByAgeS: Readonly<Record<string, number>>,
  ageS: number,
): number => {
  const ages = Object.keys(rugShareByAgeS)
    .map(Number)
    .toSorted((a, b) => a - b);
  const age = ages.findLast((known) => known <= ageS) ?? ages[0];
  return (age === undefined ? undefined : rugShareByAgeS[String(age)]) ?? 0.5;
};
