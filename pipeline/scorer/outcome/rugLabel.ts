import { DRAINED_TO_PEAK_MAX } from '../features/creatorRecord.ts';
import type { PoolSync } from '../features/poolSync.ts';

/** A pool's or market's holdings of its base token from a time on, in whole native coins. */
export type BaseHeld = Omit<PoolSync, 'reserveToken'>;

/** How long after a snapshot the outcome is observed. */
export const OUTCOME_WINDOW_S = 7 * 86_400;
const LAST_HOUR_S = 3_600;
/** A pool with less base than this at the snapshot is too small for a rug or a verdict to matter. */
const BASE_AT_SNAPSHOT_MIN = 0.5;
const DRAINED_TO_LAST_HOUR_MAX = 0.1;
/** A drained pool that returns above this share of its peak within the window has recovered. */
const RECOVERED_TO_PEAK_MIN = 0.1;

/**
 * `rug`: within 7 days after the snapshot the base reserve falls to ≤ 5 % of its running peak and ≤ 10 % of
 * the last hour's maximum, and does not recover inside the same window. `unsellable`: the liquidity stayed, but by the end of the window holders
 * could no longer sell. `excluded`: no Sync yet, too small, already drained at the snapshot, or the recording ends before the window does.
 */
export type Outcome =
  | { kind: 'rug'; leadS: number }
  | { kind: 'unsellable' }
  | { kind: 'survived' }
  | { kind: 'excluded' };

/** Whether a pool is worth a score at a time: `small` below 0.5 base (or no Sync yet), `drained` already. */
export const standingAt = (
  syncs: readonly BaseHeld[],
  atS: number,
): 'scored' | 'small' | 'drained' => {
  let peakBase = 0;
  let base = 0;
  for (const { timestampS, reserveBase } of syncs) {
    if (timestampS > atS) break;
    peakBase = Math.max(peakBase, reserveBase);
    base = reserveBase;
  }
  if (peakBase > 0 && base <= DRAINED_TO_PEAK_MAX * peakBase) return 'drained';
  return base < BASE_AT_SNAPSHOT_MIN ? 'small' : 'scored';
};

type Drain = { atS: number; peakBase: number };

/**
 * The future outcome of a pool as of `snapshotS`; `recordedUntilS` is the end of the recording.
 * @param unsellableSinceS time from which holders cannot sell the token, Unix seconds; undefined: they can, or it is
 * unknown
 */
export const outcomeOf = (
  syncs: readonly BaseHeld[],
  unsellableSinceS: number | undefined,
  snapshotS: number,
  recordedUntilS: number,
): Outcome => {
  const outcome = rugOutcome(syncs, snapshotS, recordedUntilS);
  const isUnsellable = (unsellableSinceS ?? Infinity) <= snapshotS + OUTCOME_WINDOW_S;
  return outcome.kind === 'survived' && isUnsellable ? { kind: 'unsellable' } : outcome;
};

/** The same judged by liquidity only. */
export const rugOutcome = (
  syncs: readonly BaseHeld[],
  snapshotS: number,
  recordedUntilS: number,
): Exclude<Outcome, { kind: 'unsellable' }> => {
  if (snapshotS + OUTCOME_WINDOW_S > recordedUntilS) return { kind: 'excluded' };
  if (standingAt(syncs, snapshotS) !== 'scored') return { kind: 'excluded' };
  const untilS = snapshotS + OUTCOME_WINDOW_S;
  let peakBase = 0;
  let hourFrom = 0;
  let drain: Drain | undefined;
  for (let i = 0; i < syncs.length; i += 1) {
    const sync = syncs[i];
    if (sync === undefined || sync.timestampS > untilS) break;
    peakBase = Math.max(peakBase, sync.reserveBase);
    if (sync.timestampS <= snapshotS) continue;
    if (drain !== undefined && sync.reserveBase > RECOVERED_TO_PEAK_MIN * drain.peakBase) {
      drain = undefined;
    }
    if (drain !== undefined || sync.reserveBase > DRAINED_TO_PEAK_MAX * peakBase) continue;
    hourFrom = skipOlder(syncs, hourFrom, sync.timestampS - LAST_HOUR_S);
    const hourPeak = peakBetween(syncs, hourFrom, i);
    if (sync.reserveBase <= DRAINED_TO_LAST_HOUR_MAX * hourPeak) {
      drain = { atS: sync.timestampS, peakBase };
    }
  }
  return drain === undefined ? { kind: 'survived' } : { kind: 'rug', leadS: drain.atS - snapshotS };
};

/** The index of the Sync in effect at `fromS`: the last one not after it, or the first of all. */
const skipOlder = (syncs: readonly BaseHeld[], index: number, fromS: number): number => {
  let at = index;
  while ((syncs[at + 1]?.timestampS ?? Number.POSITIVE_INFINITY) <= fromS) at += 1;
  return at;
};

const peakBetween = (syncs: readonly BaseHeld[], from: number, to: number): number => {
  let peak = 0;
  for (let i = from; i < to; i += 1) peak = Math.max(peak, syncs[i]?.reserveBase ?? 0);
  return peak;
};
