import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wholeUnitsOf } from './evaluateRings.ts';

describe('sums of a file in whole units', () => {
  const cases = [
    { name: 'ether', values: [0.5, 2, 1_000], whole: [0.5, 2, 1_000] },
    { name: 'wei', values: [5e17, 2e18], whole: [0.5, 2] },
    { name: 'wei with dust', values: [5e17, 2e18, 1], whole: [0.5, 2, 1e-18] },
    { name: 'both', values: [5e17, 2e18, 0.25, 3], whole: [0.5, 2, 0.25, 3] },
    { name: 'none known', values: [0, 0], whole: [0, 0] },
    {
      name: 'one odd sum among many in ether',
      values: [...Array.from({ length: 200 }, () => 1), 1e15],
      whole: [...Array.from({ length: 200 }, () => 1), 1e15],
    },
  ];
  for (const { name, values, whole } of cases) {
    it(name, () => assert.deepEqual(values.map(wholeUnitsOf(values)), whole));
  }
});
