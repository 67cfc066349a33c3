import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { thresholdsOf } from '../../../shared/messages/settingsMessage.ts';
import { SENSITIVITIES } from '../../../shared/messages/watchMessage.ts';
import { score } from '../testing/chainBuilder.ts';
import { taxChange, taxRule } from './taxChange.ts';

/** `alerted`: the lowest sensitivity with an alert. */
const CASES = [
  { before: 0, after: 0.005, alerted: [], severity: undefined },
  { before: 0, after: 0.02, alerted: ['high'], severity: 'info' },
  { before: 0.02, after: 0.08, alerted: ['medium', 'high'], severity: 'info' },
  { before: 0.02, after: 0.25, alerted: ['low', 'medium', 'high'], severity: 'warning' },
  { before: 0.05, after: 0.99, alerted: ['low', 'medium', 'high'], severity: 'critical' },
  { before: 0.25, after: 0.05, alerted: ['low', 'medium', 'high'], severity: 'info' },
] as const;

/** For `details.test.ts`. */
export const FINDINGS = [taxChange(score(), 0.05, 1 / 3) ?? []].flat();

describe('taxChange', () => {
  for (const { before, after, alerted, severity } of CASES) {
    it(`alerts ${alerted.join(', ') || 'no watcher'} of ${before} → ${after}`, () => {
      const finding = taxChange(score(), before, after);
      assert.equal(finding?.severity, severity);
      const strength = finding?.strength ?? 0;
      assert.deepEqual(
        SENSITIVITIES.filter((one) => strength >= taxRule.threshold(thresholdsOf(one), one)),
        alerted,
      );
    });
  }
});
