import { poolFeatures } from './poolFeatures.ts';
import { type PoolSeries, type PoolSync, stepKind } from './poolSync.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;
/** Ages of a pool in its first day at which the model has learnt, and at which its market is judged again, seconds. */
export const JUDGED_AGES_S: readonly number[] = [
  ...[1, 3, 6, 10, 15, 30, 45].map((minutes) => minutes * MINUTE_S),
  ...[1, 1.5, 3, 4.5, 6, 9, 15, 20, 24].map((hours) => hours * HOUR_S),
];
/** A withdrawal of this share of the base reserve is an event that is judged at once. */
const REMOVED_SHARE_MIN = 0.1;
/** So is a base reserve that many times larger or smaller than when the market was judged last. */
const RESERVE_FACTOR_MIN = 2;

/** Whether a step between two Syncs is a withdrawal that is judged at once. */
export const isWithdrawal = (before: PoolSync, sync: PoolSync): boolean =>
  before.reserveBase - sync.reserveBase >= REMOVED_SHARE_MIN * before.reserveBase &&
  stepKind(before, sync) === 'remove';

const isEvent = (before: PoolSync, sync: PoolSync, judgedBase: number): boolean =>
  isWithdrawal(before, sync) ||
  sync.reserveBase >= RESERVE_FACTOR_MIN * judgedBase ||
  sync.reserveBase * RESERVE_FACTOR_MIN <= judgedBase;

/**
 * When the trades of a pool were such that its market was judged last, Unix seconds: at the last of `JUDGED_AGES_S`, or at a later event,
 * a withdrawal of a tenth of the reserve or a reserve that doubled or halved since then. In between nothing has happened that could be named as
 * the reason for another verdict. A pool younger than the first of these ages is judged as it is.
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
    // An age that was reached between two Syncs saw the reserves of the first of them.
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
