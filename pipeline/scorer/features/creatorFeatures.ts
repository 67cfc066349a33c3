import type { CreatorFeatureName } from '../../../shared/messages/featureNames.ts';

/** What a creator's pools from before a pool's birth had come to at that birth. */
export type CreatorRecord = {
  /** Pools with a first Sync before the birth. */
  pools: number;
  /** Of those, how many held at the birth no more than `DRAINED_TO_PEAK_MAX` of their own peak. */
  drained: number;
  /** When the newest of them was born, Unix seconds; undefined where there is none. */
  lastBornS: number | undefined;
};

/** A pool is drained when its base reserve is at most this share of the highest it had. */
export const DRAINED_TO_PEAK_MAX = 0.05;

/** The creator group; all missing where nothing is known of the creator. */
export const creatorFeatures = (
  record: CreatorRecord | undefined,
  bornS: number,
): Record<CreatorFeatureName, number> => {
  const { pools = Number.NaN, drained = Number.NaN, lastBornS } = record ?? {};
  return {
    creatorPools: pools,
    creatorDrained: drained,
    creatorDrainedShare: pools > 0 ? drained / pools : Number.NaN,
    creatorGapS: lastBornS === undefined ? Number.NaN : bornS - lastBornS,
  };
};
