import type { Bounds } from './rowKinds.ts';

/** What the tokens of a block have, all within. Checks have a bit each, of which some share one. */
export interface BlockSummary {
  /** Unix seconds. */
  readonly created: Bounds;
  /** Hundredths. */
  readonly risk: Bounds;
  /** Whole percents of confidence. */
  readonly percent: Bounds;
  readonly predictions: number;
  /** Checks that failed for any. */
  readonly failed: number;
}

/** What is asked of a token. Those that are left have all checks of `all`, and one of `any` where it has any. */
export interface AskedOfBlock extends Omit<BlockSummary, 'failed'> {
  readonly all: number;
  readonly any: number;
}

const overlap = (a: Bounds, b: Bounds): boolean => a[0] <= b[1] && b[0] <= a[1];

/** Whether a token with a summary may have what is asked. */
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
