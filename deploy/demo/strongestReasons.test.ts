import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { strongestReasons } from './outcome.ts';

describe('strongestReasons', () => {
  it('names failed checks first, then the largest contributions of either sign', () => {
    const reasons = strongestReasons({
      shap_values: { a: 0.2, b: -1.5, c: 0.9, d: -0.5, e: 0.001 },
      checks: [
        { id: 'sell_simulation', status: 'fail', reason: 'A sell reverts.' },
        { id: 'lp_locked', status: 'pass', reason: '' },
        { id: 'source_verified', status: 'unknown', reason: 'No registry.' },
      ],
    });
    assert.deepEqual(reasons, [
      'failed sell_simulation: A sell reverts.',
      '−1.50 b',
      '+0.90 c',
      '−0.50 d',
    ]);
  });

  it('says so when nothing stands out', () => {
    assert.deepEqual(strongestReasons({ shap_values: { a: 0 } }), ['none']);
  });
});
