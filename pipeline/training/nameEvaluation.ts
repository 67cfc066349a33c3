import { groupBy } from '../../shared/platform/groupBy.ts';
import { rocAuc } from './measurePowers.ts';
import { createRandom } from './syntheticPools.ts';

/** A row that was predicted without its group. */
export interface Predicted {
  readonly margin: number;
  readonly isSpam: boolean;
  /** Rows of one name are one observation. */
  readonly group: number;
}

/** Shares of spam found, the area under the curve, and how far probabilities are off. */
export interface NameReport {
  readonly found: Readonly<Record<string, number>>;
  readonly rocAuc: number;
  readonly ece: number;
}

/** False alarms at which the share found is reported. */
export const FALSE_ALARMS = [0.003, 0.01, 0.026];
const BINS = 10;
const RESAMPLES = 500;
const SEED = 20_260_101;

/** The margin above which the given share of honest rows lies. */
export const thresholdAt = (rows: readonly Predicted[], falseAlarms: number): number => {
  const honest = rows.filter(({ isSpam }) => !isSpam).map(({ margin }) => margin);
  honest.sort((a, b) => b - a);
  return honest[Math.floor(falseAlarms * honest.length)] ?? Number.POSITIVE_INFINITY;
};

export const foundAbove = (rows: readonly Predicted[], threshold: number): number => {
  const spam = rows.filter(({ isSpam }) => isSpam);
  return spam.filter(({ margin }) => margin > threshold).length / spam.length;
};

/** Mean distance of probability and share of spam, ten bins of equal width. */
const eceOf = (rows: readonly Predicted[]): number => {
  const bins = Array.from({ length: BINS }, () => ({ predicted: 0, spam: 0 }));
  for (const { margin, isSpam } of rows) {
    const probability = 1 / (1 + Math.exp(-margin));
    const bin = bins[Math.min(BINS - 1, Math.floor(probability * BINS))];
    if (!bin) continue;
    bin.predicted += probability;
    bin.spam += Number(isSpam);
  }
  return (
    bins.reduce((sum, { predicted, spam }) => sum + Math.abs(predicted - spam), 0) / rows.length
  );
};

export const reportOf = (rows: readonly Predicted[]): NameReport => ({
  found: Object.fromEntries(
    FALSE_ALARMS.map((share) => [share, foundAbove(rows, thresholdAt(rows, share))]),
  ),
  rocAuc: rocAuc(rows.map(({ isSpam, margin }) => ({ present: isSpam, score: margin }))),
  ece: eceOf(rows),
});

const CONFIDENCE = 0.95;

/** Bounds of a 95 % interval of the share found at a share of false alarms: groups drawn again, with repetition. */
export const intervalOf = (
  rows: readonly Predicted[],
  falseAlarms: number,
): readonly [number, number] => {
  const groups = [...groupBy(rows, ({ group }) => group).values()];
  const random = createRandom(SEED);
  const found = Array.from({ length: RESAMPLES }, () => {
    const drawn = groups.flatMap(() => groups[Math.floor(random() * groups.length)] ?? []);
    return foundAbove(drawn, thresholdAt(drawn, falseAlarms));
  }).sort((a, b) => a - b);
  const bound = (share: number): number => found[Math.round(share * (RESAMPLES - 1))] ?? 0;
  return [bound((1 - CONFIDENCE) / 2), bound((1 + CONFIDENCE) / 2)];
};
