import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scamOutcome } from './scamOutcome.ts';

describe('scamOutcome', () => {
  const cases: [string, string[], boolean?][] = [
    ['rug_pull', ['sell_simulation'], true],
    ['rug_pull', ['liquidity_drained', 'sell_simulation']],
    ['honeypot', ['sell_simulation', 'look_alike']],
    ['impersonation', ['look_alike', 'holder_concentration']],
    ['dump', ['holder_concentration']],
    ['dump', ['insider_sales']],
    ['serial_spam', []],
  ];
  for (const [outcome, failed, isDrained] of cases) {
    it(`is ${outcome} where ${failed.join(' and ') || 'nothing'} failed${isDrained ? ' and the liquidity left' : ''}`, () => {
      assert.equal(scamOutcome(failed, isDrained), outcome);
    });
  }
});
