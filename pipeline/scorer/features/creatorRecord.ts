import type { CreatorFeatureName } from '../../../shared/messages/featureNames.ts';

/** The state of a creator's earlier pools at the first Sync of a pool. */
export type CreatorRecord = {
  /** Pools with an earlier first Sync. */
  pools: number;
  /** Those of them that held at most `DRAINED_TO_PEAK_MAX` of their own peak by then. */
  drained: number;
  /** When the newest of them was created, Unix seconds; undefined if there is none. */
  lastFirstSyncS: number | undefined;
};

/** A pool is drained when its base reserve is at most this share of its peak. */
export const DRAINED_TO_PEAK_MAX = 0.05;

/** The creator group of features; all missing if nothing is known of the creator. */
export const creatorFeatures = (
  record: CreatorRecord | undefined,
  firstSyncS: number,
): Record<CreatorFeatureName, number> => {
  const { pools = Number.NaN, drained = Number.NaN, lastFirstSyncS } = record ?? {};
  return {
    creatorPools: pools,
    creatorDrained: drained,
    creatorDrainedShare: pools > 0 ? drained / pools : Number.NaN,
    creatorGapS: lastFirstSyncS === undefined ? Number.NaN : firstSyncS - lastFirstSyncS,
  };
};

/** The history of one pool, for the creator record of later pools. */
export type PoolLife = {
  firstSyncS: number;
  /** When the pool was drained or recovered, in chain order. */
  turns: readonly (readonly [atS: number, isDrained: boolean])[];
};

/** The life of a pool from its Syncs in chain order; undefined without any. */
export const poolLife = (
  syncs: readonly { timestampS: number; reserveBase: number }[],
): PoolLife | undefined => {
  const [first] = syncs;
  if (first === undefined) return undefined;
  const turns: [number, boolean][] = [];
  let peakBase = 0;
  let wasDrained = false;
  for (const { timestampS, reserveBase } of syncs) {
    peakBase = Math.max(peakBase, reserveBase);
    const isDrained = reserveBase <= DRAINED_TO_PEAK_MAX * peakBase;
    if (isDrained !== wasDrained) turns.push([timestampS, isDrained]);
    wasDrained = isDrained;
  }
  return { firstSyncS: first.timestampS, turns };
};

/** The record of a creator at a pool's first Sync, from the lives of its pools; later ones are ignored. */
export const creatorRecord = (made: readonly PoolLife[], firstSyncS: number): CreatorRecord => {
  const earlier = made.filter((life) => life.firstSyncS < firstSyncS);
  const isDrained = ({ turns }: PoolLife): boolean =>
    turns.findLast(([atS]) => atS < firstSyncS)?.[1] ?? false;
  const syncTimes = earlier.map((life) => life.firstSyncS);
  return {
    pools: earlier.length,
    drained: earlier.filter(isDrained).length,
    lastFirstSyncS: earlier.length > 0 ? syncTimes.reduce((a, b) => Math.max(a, b)) : undefined,
  };
};
