import { groupBy } from '../../shared/platform/groupBy.ts';
import { calibrationError, intervals, rocAuc, type Scored } from './statistics.ts';

/** A row predicted by a model fitted without its group, as a margin; positive is spam. */
export interface Predicted extends Scored {
  /** Rows with the same name are one observation. */
  readonly group: number;
}

/** Recall of spam, area under the curve, and calibration error. */
export interface NameReport {
  readonly found: Readonly<Record<string, number>>;
  readonly rocAuc: number;
  readonly ece: number;
}

/** False positive rates at which recall is reported. */
export const FALSE_ALARMS = [0.003, 0.01, 0.026];
const DRAWING = { resamples: 500, seed: 20_260_101 };

/** The margin above which the given share of honest rows lies. */
export const thresholdAt = (rows: readonly Predicted[], falseAlarms: number): number => {
  const honest = rows.filter(({ isPositive }) => !isPositive).map(({ score }) => score);
  honest.sort((a, b) => b - a);
  return honest[Math.floor(falseAlarms * honest.length)] ?? Number.POSITIVE_INFINITY;
};

export const foundAbove = (rows: readonly Predicted[], threshold: number): number => {
  const spam = rows.filter(({ isPositive }) => isPositive);
  return spam.filter(({ score }) => score > threshold).length / spam.length;
};

export const reportOf = (rows: readonly Predicted[]): NameReport => ({
  found: Object.fromEntries(
    FALSE_ALARMS.map((share) => [share, foundAbove(rows, thresholdAt(rows, share))]),
  ),
  rocAuc: rocAuc(rows),
  ece: calibrationError(rows),
});

/** Bounds of a 95 % interval of the recall at a false positive rate, by resampling groups with replacement. */
export const intervalOf = (
  rows: readonly Predicted[],
  falseAlarms: number,
): readonly [number, number] => {
  const groups = [...groupBy(rows, ({ group }) => group).values()];
  const found = (drawn: readonly (readonly Predicted[])[]): number[] => {
    const all = drawn.flat();
    return [foundAbove(all, thresholdAt(all, falseAlarms))];
  };
  return intervals(groups, found, DRAWING)[0] ?? [0, 0];
};
