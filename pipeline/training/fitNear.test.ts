import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fitNear } from './fitNear.ts';

/** As many rows of each class as asked for, of which a share has the only feature. */
const rowsOf = (count: number, positive: number, negative: number) =>
  [true, false].flatMap((isPositive) =>
    Array.from({ length: count }, (_, i) => ({
      isPositive,
      values: [Number(i < count * (isPositive ? positive : negative))],
    })),
  );

describe('fitNear', () => {
  it('finds the log-odds of many rows, whatever was expected', () => {
    const { weights, bias } = fitNear(rowsOf(2_000, 0.5, 0.1), [0]);
    const [weight = 0] = weights;
    assert.ok(Math.abs(weight - Math.log(0.5 / 0.1 / (0.5 / 0.9))) < 0.1, `${weight}`);
    assert.ok(Math.abs(bias - Math.log(0.5 / 0.9)) < 0.1, `${bias}`);
  });

  it('keeps to what is expected of what no row shows', () => {
    assert.ok(Math.abs((fitNear(rowsOf(50, 0, 0), [0.8]).weights[0] ?? 0) - 0.8) < 1e-9);
  });

  it('is drawn to what is expected by few rows', () => {
    const [few = 0] = fitNear(rowsOf(10, 0.5, 0.1), [0]).weights;
    const [many = 0] = fitNear(rowsOf(1_000, 0.5, 0.1), [0]).weights;
    assert.ok(few > 0 && few < many, `${few} ${many}`);
  });

  it('gives nothing to what speaks for honesty', () => {
    assert.equal(fitNear(rowsOf(500, 0.1, 0.5), [0.5]).weights[0], 0);
  });
});
