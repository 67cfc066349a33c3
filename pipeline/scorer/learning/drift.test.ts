import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calibrationOf, priorOf, stabilityIndex } from './drift.ts';

const SPREAD = { edges: [1, 2], shares: [0.25, 0.25, 0.25], missing: 0.25 };

describe('stabilityIndex', () => {
  it('is 0 for the spread of the training data, an edge belonging to the part above, and 0.25 is far', () => {
    assert.equal(stabilityIndex(SPREAD, [0.5, 1, 2, Number.NaN]), 0);
    assert.ok(stabilityIndex(SPREAD, [0.5, 0.5, 0.5, 1, 1, 2, 2, Number.NaN]) < 0.25);
    assert.ok(stabilityIndex(SPREAD, [0.5, 0.5, 0.5, 0.5]) > 1);
    assert.ok(stabilityIndex(SPREAD, [1, 2, 1, 2]) > 0.25, 'values that are missing no longer');
  });
});

describe('calibrationOf', () => {
  it('adds up bins, so that errors in opposite directions do not cancel out', () => {
    const bins = [
      { tokens: 100, rugs: 80, predicted: 20, variance: 16 },
      { tokens: 100, rugs: 20, predicted: 80, variance: 16 },
    ];
    assert.deepEqual(calibrationOf(bins), {
      tokens: 200,
      error: 0.6,
      chiSquare: 450,
    });
    assert.equal(calibrationOf([]), undefined);
  });
});

describe('priorOf', () => {
  it('stays at one half without tokens, follows many, and goes no further than its bounds', () => {
    assert.equal(priorOf({ tokens: 0, rugs: 0 }), 0.5);
    assert.equal(priorOf({ tokens: 10, rugs: 10 }), 0.52);
    assert.equal(priorOf({ tokens: 200, rugs: 120 }), 0.55);
    assert.ok(Math.abs(priorOf({ tokens: 10_000, rugs: 9_000 }) - 0.6106) < 1e-4);
    assert.ok(Math.abs(priorOf({ tokens: 10_000, rugs: 100 }) - 0.3894) < 1e-4);
  });
});
