import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { thresholdsOf } from '../../../shared/messages/settingsMessage.ts';
import { SENSITIVITIES } from '../../../shared/messages/watchMessage.ts';
import { score } from '../testing/otherMessages.ts';
import { taxChange, taxThreshold } from './taxChange.ts';

/** `told`: from which sensitivity on. */
const CASES = [
  { before: 0, after: 0.005, told: [], severity: undefined },
  { before: 0, after: 0.02, told: ['high'], severity: 'info' },
  { before: 0.02, after: 0.08, told: ['medium', 'high'], severity: 'info' },
  { before: 0.02, after: 0.25, told: ['low', 'medium', 'high'], severity: 'warning' },
  { before: 0.05, after: 0.99, told: ['low', 'medium', 'high'], severity: 'critical' },
  { before: 0.25, after: 0.05, told: ['low', 'medium', 'high'], severity: 'info' },
] as const;

describe('taxChange', () => {
  for (const { before, after, told, severity } of CASES) {
    it(`tells ${told.join(', ') || 'nobody'} of ${before} → ${after}`, () => {
      const finding = taxChange(score(), before, after);
      assert.equal(finding?.severity, severity);
      const strength = finding?.strength ?? 0;
      assert.deepEqual(
        SENSITIVITIES.filter((one) => strength >= taxThreshold(thresholdsOf(one), one)),
        told,
      );
    });
  }
});
