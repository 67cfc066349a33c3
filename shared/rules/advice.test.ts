import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Check } from '../messages/verdictDoc.ts';
import { writeSentence } from '../sentences/writeSentence.ts';
import { adviceOf, adviceSentence, reasonsOf } from './advice.ts';

const check = (id: string, status: Check['status'], change: Partial<Check> = {}): Check => ({
  id,
  status,
  severity: 'warning',
  reason: `${id} says so`,
  ...change,
});
const idsOf = (checks: readonly Check[]): string[] => checks.map(({ id }) => id);

describe('advice', () => {
  it('calls nothing safe that is not clear', () => {
    const answers = [
      ['SCAM', 0.98, 'clear', 'avoid'],
      ['SCAM', 0.69, 'unclear', 'avoid'],
      ['LEGIT', 0.51, 'unclear', 'wait'],
      ['LEGIT', 0.699, 'unclear', 'wait'],
      ['LEGIT', 0.7, 'clear', 'no_finding'],
    ] as const;
    for (const [prediction, confidence, certainty, advice] of answers) {
      assert.deepEqual(adviceOf({ prediction, confidence }), { certainty, advice });
    }
  });

  it('says in words that a finding of nothing is no guarantee', () => {
    const sentence = adviceSentence({ prediction: 'LEGIT', confidence: 0.9 });
    assert.equal(
      writeSentence(sentence, 'en'),
      'Nothing was found against it. That is no guarantee.',
    );
  });

  it('rests on proof first, then on what weighs most, and never on what only informs', () => {
    const checks = [
      check('owner_renounced', 'fail', { severity: 'info' }),
      check('mint_power', 'fail'),
      check('trade_tax', 'fail'),
      check('look_alike', 'fail'),
      check('sell_simulation', 'fail', { severity: 'critical' }),
    ];
    const shap_values = { 'check:mint_power': 0.4, 'check:trade_tax': 1.8, 'check:look_alike': 3 };
    assert.deepEqual(idsOf(reasonsOf({ checks, shap_values }, 'avoid')), [
      'sell_simulation',
      'look_alike',
      'trade_tax',
    ]);
  });

  it('names a sale that could not be tried as a reason to wait, else the market, and what passed where nothing was found', () => {
    const untried = check('sell_simulation', 'unknown', { severity: 'critical' });
    const waiting = reasonsOf({ checks: [untried], shap_values: {} }, 'wait');
    // The outcome of holders is reported even if the token may not be to blame.
    const robbed = check('holder_sales', 'unknown', { severity: 'critical', value: 9 });
    const few = check('holder_sales', 'unknown', { value: 9 });
    const doubts = reasonsOf({ checks: [robbed, untried], shap_values: {} }, 'wait');
    assert.deepEqual(idsOf(doubts), ['holder_sales', 'sell_simulation']);
    assert.deepEqual(idsOf(reasonsOf({ checks: [few, untried], shap_values: {} }, 'wait')), [
      'sell_simulation',
    ]);
    assert.deepEqual(idsOf(waiting), ['sell_simulation']);
    const sells = check('sell_simulation', 'pass', { severity: 'critical' });
    const known = check('listed', 'pass', { severity: 'info' });
    const market = check('market_pattern', 'pass');
    const young = reasonsOf({ checks: [sells, market], shap_values: {} }, 'wait');
    assert.deepEqual(idsOf(young), ['market_pattern']);
    const checks = [check('mint_power', 'fail'), sells, known];
    const fine = reasonsOf({ checks, shap_values: {} }, 'no_finding');
    assert.deepEqual(idsOf(fine), ['listed', 'sell_simulation']);
  });
});
