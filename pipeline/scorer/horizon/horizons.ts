import { z } from 'zod';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import { DAY_S } from '../../../shared/platform/durations.ts';

/**
 * Ages of a market, in seconds, at which its token is scored again, with or without events: survival and silence are
 * evidence too.
 */
export const HORIZONS_S: readonly number[] = [
  600,
  3_600,
  21_600,
  ...[1, 3, 7, 14, 30, 90, 180, 365].map((days) => days * DAY_S),
];

export const horizonSchema = z.object({
  token: addressSchema,
  /** Age of the market, seconds: one of `HORIZONS_S`. */
  horizonS: z.number(),
  /** When the market reaches it, Unix seconds. */
  atS: z.number(),
});
/** A token whose market reaches a horizon. */
export type Horizon = Readonly<z.infer<typeof horizonSchema>>;

const NAMES: Readonly<Record<number, string>> = {
  600: '10min',
  3_600: '1h',
  21_600: '6h',
  86_400: '24h',
};
/** From the second day on, ages are named in days. */
const nameOf = (horizonS: number): string =>
  NAMES[horizonS] ?? (horizonS % DAY_S === 0 ? `${horizonS / DAY_S}d` : `${horizonS}s`);

/** Name of a horizon in a verdict's provenance. */
export const horizonName = (horizonS: number): string => `horizon:${nameOf(horizonS)}`;

/**
 * The last horizon that a market has passed, seconds after its start; 0 before the first. A horizon is passed once a
 * later block is stored, because another block may have exactly the time of the horizon.
 */
export const passedHorizonS = (startS: number, storedUntilS: number): number =>
  HORIZONS_S.findLast((horizonS) => startS + horizonS < storedUntilS) ?? 0;

/**
 * Share of rugs among training snapshots of the nearest age not above `ageS`; before that the youngest known age, and
 * one half if nothing is known.
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
