import { poolFeatures } from './poolFeatures.ts';
import { type PoolSeries, type PoolSync, stepKind } from './poolSync.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;
/**
 * Ages in a pool's first day, in seconds, on which the model was trained, and at which its market is judged again.
 */
export const JUDGED_AGES_S: readonly number[] = [
  ...[1, 3, 6, 10, 15, 30, 45].map((minutes) => minutes * MINUTE_S),
  ...[1, 1.5, 3, 4.5, 6, 9, 15, 20, 24].map((hours) => hours * HOUR_S),
];
/** Withdrawn share of the base reserve that causes an immediate judgement. */
const REMOVED_SHARE_MIN = 0.1;
/** Factor by which the base reserve must grow or shrink since the last judgement to cause another. */
const RESERVE_FACTOR_MIN = 2;

/** Whether a step between two Syncs is a withdrawal that causes an immediate judgement. */
export const isWithdrawal = (before: PoolSync, sync: PoolSync): boolean =>
  before.reserveBase - sync.reserveBase >= REMOVED_SHARE_MIN * before.reserveBase &&
  stepKind(before, sync) === 'remove';

const isEvent = (before: PoolSync, sync: PoolSync, judgedBase: number): boolean =>
  isWithdrawal(before, sync) ||
  sync.reserveBase >= RESERVE_FACTOR_MIN * judgedBase ||
  sync.reserveBase * RESERVE_FACTOR_MIN <= judgedBase;

/**
 * The time as of which a pool's market is judged, Unix seconds: the last of `JUDGED_AGES_S`, or a later event, which
 * is a withdrawal of a tenth of the reserve or a reserve that doubled or halved since. Nothing in between could be
 * named as the reason for a different verdict. A pool younger than the first of these ages is judged as it is.
 */
export const judgedAtS = (syncs: readonly PoolSync[], asOfS: number): number => {
  const [first] = syncs;
  if (!first) return asOfS;
  const lastAgeAt = (atS: number): number =>
    first.timestampS + (JUDGED_AGES_S.findLast((ageS) => first.timestampS + ageS <= atS) ?? 0);
  let judged = { atS: first.timestampS, base: first.reserveBase };
  let before = first;
  for (const sync of syncs) {
    if (sync.timestampS > asOfS) break;
    // At an age between two Syncs, the reserves are those of the first one.
    const passedS = lastAgeAt(sync.timestampS - 1);
    if (passedS > judged.atS) judged = { atS: passedS, base: before.reserveBase };
    if (isEvent(before, sync, judged.base)) {
      judged = { atS: sync.timestampS, base: sync.reserveBase };
    }
    before = sync;
  }
  const lastS = lastAgeAt(asOfS);
  if (lastS === first.timestampS) return asOfS;
  return Math.max(judged.atS, lastS);
};

/** Features of a pool as its market was judged last: trades as of then, liquidity and its holders as of now. */
export const judgedFeatures = (series: PoolSeries, asOfS: number): Float64Array =>
  poolFeatures(series, judgedAtS(series.syncs, asOfS), asOfS);
