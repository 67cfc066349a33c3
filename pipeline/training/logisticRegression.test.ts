import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fitLogistic, fitNear, marginOf } from './logisticRegression.ts';
import { intervalOf, reportOf } from './nameEvaluation.ts';

const rowsOf = (places: readonly number[], ones: number, zeros: number) =>
  [...Array(ones).fill(1), ...Array(zeros).fill(0)].map((label: 0 | 1) => ({
    places,
    label,
    weight: 1,
  }));

describe('fitLogistic', () => {
  it('gives the log-odds of each group where nothing is penalised', () => {
    const rows = [...rowsOf([], 100, 300), ...rowsOf([0], 300, 100)];
    const model = fitLogistic(rows, new Float64Array(1));
    assert.ok(Math.abs(model.bias - Math.log(1 / 3)) < 0.01, String(model.bias));
    assert.ok(Math.abs(marginOf(model, [0]) - Math.log(3)) < 0.01);
  });

  it('is where the slope of loss and penalty is zero', () => {
    const rows = [...rowsOf([0], 30, 10), ...rowsOf([1], 5, 20), ...rowsOf([0, 1], 7, 9)];
    const penalties = Float64Array.from([1, 2]);
    const model = fitLogistic(rows, penalties);
    for (const place of [0, 1]) {
      const slope = rows
        .filter(({ places }) => places.includes(place))
        .reduce(
          (sum, { places, label }) => {
            return sum + 1 / (1 + Math.exp(-marginOf(model, places))) - label;
          },
          (penalties[place] ?? 0) * (model.weights[place] ?? 0),
        );
      assert.ok(Math.abs(slope) < 0.05, `${place}: ${slope}`);
    }
  });

  it('lets a row of weight two count as two rows', () => {
    const twice = [...rowsOf([0], 6, 2), ...rowsOf([], 3, 3)];
    const weighed = [
      ...rowsOf([0], 3, 1).map((row) => ({ ...row, weight: 2 })),
      ...rowsOf([], 3, 3),
    ];
    const [a, b] = [twice, weighed].map((rows) => fitLogistic(rows, Float64Array.of(1)));
    assert.ok(Math.abs((a?.weights[0] ?? 0) - (b?.weights[0] ?? 1)) < 1e-3);
  });
});

describe('reportOf', () => {
  const rows = Array.from({ length: 200 }, (_, i) => ({
    margin: i < 100 ? i / 100 : i / 100 - 0.5,
    isSpam: i >= 100,
    group: i,
  }));

  it('reports the share found at a share of false alarms, and the area under the curve', () => {
    const { found, rocAuc } = reportOf(rows);
    // One honest row of a hundred lies above .98: spam lies at .5 to 1.49.
    assert.equal(found[0.01], 0.51);
    assert.ok(Math.abs(rocAuc - 0.875) < 0.006, String(rocAuc));
  });

  it('draws groups, not rows, for its interval', () => {
    const [low, high] = intervalOf(rows, 0.01);
    assert.ok(low < 0.51 && high >= 0.51);
    const same = rows.map((row) => ({ ...row, group: Number(row.isSpam) }));
    assert.notDeepEqual(intervalOf(same, 0.01), [low, high]);
  });
});

/** As many rows of each class as asked for, of which a share has the only feature. */
const classesOf = (count: number, positive: number, negative: number) =>
  [true, false].flatMap((isPositive) =>
    Array.from({ length: count }, (_, i) => ({
      isPositive,
      values: [Number(i < count * (isPositive ? positive : negative))],
    })),
  );

describe('fitNear', () => {
  it('finds the log-odds of many rows, whatever was expected', () => {
    const { weights, bias } = fitNear(classesOf(2_000, 0.5, 0.1), [0]);
    const [weight = 0] = weights;
    assert.ok(Math.abs(weight - Math.log(0.5 / 0.1 / (0.5 / 0.9))) < 0.1, `${weight}`);
    assert.ok(Math.abs(bias - Math.log(0.5 / 0.9)) < 0.1, `${bias}`);
  });

  it('keeps to what is expected of what no row shows', () => {
    assert.ok(Math.abs((fitNear(classesOf(50, 0, 0), [0.8]).weights[0] ?? 0) - 0.8) < 1e-9);
  });

  it('is drawn to what is expected by few rows', () => {
    const [few = 0] = fitNear(classesOf(10, 0.5, 0.1), [0]).weights;
    const [many = 0] = fitNear(classesOf(1_000, 0.5, 0.1), [0]).weights;
    assert.ok(few > 0 && few < many, `${few} ${many}`);
  });

  it('gives nothing to what speaks for honesty', () => {
    assert.equal(fitNear(classesOf(500, 0.1, 0.5), [0.5]).weights[0], 0);
  });
});
