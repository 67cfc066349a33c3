import type { Bounds } from './rowKinds.ts';

/** Bounds and flags that cover all tokens of a block. Each check has a bit; some checks share one. */
export interface BlockSummary {
  /** Unix seconds. */
  readonly created: Bounds;
  /** Hundredths. */
  readonly risk: Bounds;
  /** Whole percents of confidence. */
  readonly percent: Bounds;
  readonly predictions: number;
  /** Bits of the checks that failed for any token. */
  readonly failed: number;
}

/** What a filter requires of a token: all checks of `all`, and at least one of `any` unless that is empty. */
export interface AskedOfBlock extends Omit<BlockSummary, 'failed'> {
  readonly all: number;
  readonly any: number;
}

const overlap = (a: Bounds, b: Bounds): boolean => a[0] <= b[1] && b[0] <= a[1];

/** Whether a block with this summary may hold a token that the filter accepts. */
export const mayHave = (summary: BlockSummary, asked: AskedOfBlock): boolean =>
  overlap(summary.created, asked.created) &&
  overlap(summary.risk, asked.risk) &&
  overlap(summary.percent, asked.percent) &&
  (summary.predictions & asked.predictions) !== 0 &&
  (summary.failed & asked.all) === asked.all &&
  (asked.any === 0 || (summary.failed & asked.any) !== 0);

const PREDICTION_BITS = { legit: 1, scam: 2 } as const;
export const predictionBit = (isScam: boolean): number =>
  isScam ? PREDICTION_BITS.scam : PREDICTION_BITS.legit;

const BITS = 32;
const HASH_FACTOR = 31;

const checkBit = (id: string): number => {
  let hash = 0;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash, HASH_FACTOR) + id.charCodeAt(at);
  return 1 << ((hash >>> 0) % BITS);
};

/** The bits of checks. */
export const checkBits = (ids: readonly string[]): number =>
  ids.reduce((bits, id) => bits | checkBit(id), 0);
