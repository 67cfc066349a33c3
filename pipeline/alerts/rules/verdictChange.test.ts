import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { thresholdsOf } from '../../../shared/messages/settingsMessage.ts';
import { CREATOR, score } from '../testing/chainBuilder.ts';

import { verdictChange, verdictRule } from './verdictChange.ts';

const CASES = [
  { from: 'LEGIT', to: 'SCAM', severity: 'critical', recommendation: 'SELL_IMMEDIATELY' },
  { from: 'SCAM', to: 'LEGIT', severity: 'info', recommendation: 'MONITOR' },
  { from: 'SCAM', to: 'SCAM', severity: undefined, recommendation: undefined },
  { from: null, to: 'SCAM', severity: undefined, recommendation: undefined },
] as const;

/** For `details.test.ts`. */
export const FINDINGS = [
  score({ confidence: 0.923_456_789_012, riskScore: 95.678_9 }),
  score({ prediction: 'LEGIT', previousPrediction: 'SCAM' }),
  score({ prediction: 'LEGIT', previousPrediction: 'SCAM', confidence: 0.6 }),
].flatMap((message) => verdictChange(message, CREATOR) ?? []);

describe('verdictChange', () => {
  for (const { from, to, severity, recommendation } of CASES) {
    it(`${severity ? 'finds' : 'is silent about'} ${from} → ${to}`, () => {
      const message = score({ previousPrediction: from, prediction: to });
      const finding = verdictChange(message, CREATOR);
      assert.equal(finding?.severity, severity);
      assert.equal(finding?.recommendation, recommendation);
      if (!finding) return;
      assert.deepEqual(finding.wallets, [CREATOR]);
      assert.equal(finding.details['previous_prediction'], from);
      assert.equal(finding.details['new_prediction'], to);
    });
  }

  it('is as strong as the verdict is sure', () => {
    assert.equal(verdictChange(score({ confidence: 0.86 }), undefined)?.strength, 0.86);
    assert.equal(verdictRule.threshold(thresholdsOf('medium'), 'medium'), 0.85);
  });
});
