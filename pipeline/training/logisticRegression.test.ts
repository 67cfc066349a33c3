import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fitLogistic, marginOf } from './logisticRegression.ts';
import { intervalOf, reportOf } from './nameEvaluation.ts';

const rowsOf = (places: readonly number[], ones: number, zeros: number) =>
  [...Array(ones).fill(true), ...Array(zeros).fill(false)].map((isPositive: boolean) => ({
    places,
    isPositive,
    weight: 1,
  }));

/** A prior with an expectation of zero for some weights. */
const priorOf = (size: number, penalty: number) => ({ expected: new Float64Array(size), penalty });

describe('fitLogistic', () => {
  it('gives the log-odds of each group where nothing is penalised', () => {
    const rows = [...rowsOf([], 100, 300), ...rowsOf([0], 300, 100)];
    const model = fitLogistic(rows, priorOf(1, 0));
    assert.ok(Math.abs(model.bias - Math.log(1 / 3)) < 0.01, String(model.bias));
    assert.ok(Math.abs(marginOf(model, [0]) - Math.log(3)) < 0.01);
  });

  it('is where the slope of loss and penalty is zero', () => {
    const rows = [...rowsOf([0], 30, 10), ...rowsOf([1], 5, 20), ...rowsOf([0, 1], 7, 9)];
    const model = fitLogistic(rows, priorOf(2, 2));
    for (const place of [0, 1]) {
      const slope = rows
        .filter(({ places }) => places.includes(place))
        .reduce(
          (sum, { places, isPositive }) => {
            return sum + 1 / (1 + Math.exp(-marginOf(model, places))) - Number(isPositive);
          },
          2 * (model.weights[place] ?? 0),
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
    const [a, b] = [twice, weighed].map((rows) => fitLogistic(rows, priorOf(1, 1)));
    assert.ok(Math.abs((a?.weights[0] ?? 0) - (b?.weights[0] ?? 1)) < 1e-3);
  });
});

describe('reportOf', () => {
  const rows = Array.from({ length: 200 }, (_, i) => ({
    score: i < 100 ? i / 100 : i / 100 - 0.5,
    isPositive: i >= 100,
    group: i,
  }));

  it('reports the share found at a share of false alarms, and the area under the curve', () => {
    const { found, rocAuc } = reportOf(rows);
    // One honest row in a hundred is above .98; spam is at .5 to 1.49.
    assert.equal(found[0.01], 0.51);
    assert.ok(Math.abs(rocAuc - 0.875) < 0.006, String(rocAuc));
  });

  it('draws groups, not rows, for its interval', () => {
    const [low, high] = intervalOf(rows, 0.01);
    assert.ok(low < 0.51 && high >= 0.51);
    const same = rows.map((row) => ({ ...row, group: Number(row.isPositive) }));
    assert.notDeepEqual(intervalOf(same, 0.01), [low, high]);
  });
});

describe('fitLogistic with a prior', () => {
  /**
   * A number of rows per class, a share of which has the only feature; regularised towards the expected weight.
   */
  const fitTo = (expected: number, count: number, positive: number, negative: number) => {
    const rows = [positive, negative].flatMap((share, i) => [
      ...rowsOf([0], i === 0 ? share * count : 0, i === 0 ? 0 : share * count),
      ...rowsOf([], i === 0 ? count - share * count : 0, i === 0 ? 0 : count - share * count),
    ]);
    const prior = { expected: Float64Array.of(expected), penalty: 4, least: 0 };
    const { weights, bias } = fitLogistic(rows, prior);
    return { weight: weights[0] ?? Number.NaN, bias };
  };

  it('finds the log-odds of many rows, whatever was expected', () => {
    const { weight, bias } = fitTo(0, 2_000, 0.5, 0.1);
    assert.ok(Math.abs(weight - Math.log(0.5 / 0.1 / (0.5 / 0.9))) < 0.1, `${weight}`);
    assert.ok(Math.abs(bias - Math.log(0.5 / 0.9)) < 0.1, `${bias}`);
  });

  it('keeps to what is expected of what no row shows', () => {
    assert.ok(Math.abs(fitTo(0.8, 50, 0, 0).weight - 0.8) < 1e-9);
  });

  it('is drawn to what is expected by few rows', () => {
    const [few, many] = [fitTo(0, 10, 0.5, 0.1).weight, fitTo(0, 1_000, 0.5, 0.1).weight];
    assert.ok(few > 0 && few < many, `${few} ${many}`);
  });

  it('goes no lower than it may', () => {
    assert.equal(fitTo(0.5, 500, 0.1, 0.5).weight, 0);
  });
});
