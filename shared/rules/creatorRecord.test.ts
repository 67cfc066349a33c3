import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { creatorLabels, creatorRisk, isKnownScammer } from './creatorRecord.ts';

describe('the record of a creator', () => {
  it('is that of a known scammer from two scams that are half of the tokens', () => {
    const cases: [number, number, boolean][] = [
      [1, 1, false],
      [2, 2, true],
      [4, 2, true],
      [5, 2, false],
    ];
    for (const [tokens, scams, expected] of cases) {
      assert.equal(isKnownScammer({ tokens, scams }), expected, `${scams} of ${tokens}`);
    }
  });

  it('has a risk of 50 without verdicts, and moves from there', () => {
    assert.equal(creatorRisk({ scored: 0, scams: 0 }), 50);
    assert.equal(creatorRisk({ scored: 2, scams: 2 }), 75);
    assert.equal(creatorRisk({ scored: 2, scams: 0 }), 25);
  });

  it('has labels of a serial deployer from five tokens', () => {
    assert.deepEqual(creatorLabels({ tokens: 4, scams: 0 }), []);
    assert.deepEqual(creatorLabels({ tokens: 5, scams: 3 }), ['serial_deployer', 'known_scammer']);
  });
});
