import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CheckInput, TradeSimulation } from './checkInput.ts';
import { sellSimulation, tradeTax } from './sellSimulation.ts';
import { checkInputOf } from './testing/checkInputOf.ts';

const inputOf = (simulation: TradeSimulation): CheckInput => checkInputOf({ simulation });
const traded = (buyTax: number, sellTax: number, sellableAfterS = 12): TradeSimulation => ({
  kind: 'traded',
  blockNumber: 7,
  buyTax,
  sellTax,
  sellableAfterS,
});
const outcomeOf = (simulation: TradeSimulation) => {
  const { status, reason } = sellSimulation(inputOf(simulation));
  return [status, reason];
};

describe('sellSimulation', () => {
  it('passes where a sale works, and says how long a buyer must wait', () => {
    assert.deepEqual(outcomeOf(traded(0, 0)), ['pass', 'A bought token can be sold.']);
    assert.deepEqual(outcomeOf(traded(0, 0, 3_600)), [
      'pass',
      'A bought token can be sold 3600 s after its purchase, but not in the next block.',
    ]);
  });

  it('fails where a sale fails or is confiscated', () => {
    const failing = { kind: 'sellFails', blockNumber: 7, reason: 'it reverts' } as const;
    assert.deepEqual(outcomeOf(failing), ['fail', 'A bought token cannot be sold: it reverts.']);
    assert.deepEqual(outcomeOf(traded(0, 0.5)), ['fail', 'A sale keeps 50.0 % of the amount.']);
    assert.equal(outcomeOf(traded(0, 0.499))[0], 'pass');
  });

  it('does not know where nothing can be bought or simulated', () => {
    const closed = { kind: 'buyFails', blockNumber: 7, reason: 'it reverts' } as const;
    assert.equal(outcomeOf(closed)[0], 'unknown');
    assert.deepEqual(outcomeOf({ kind: 'unknown', reason: 'No node.' }), ['unknown', 'No node.']);
  });
});

describe('tradeTax', () => {
  it('warns of the higher tax from 10 % on', () => {
    const check = tradeTax(inputOf(traded(0.1, 0.02)));
    assert.deepEqual([check.status, check.value], ['fail', 0.1]);
    assert.equal(tradeTax(inputOf(traded(0.099, 0.02))).status, 'pass');
  });

  it('does not know a tax where no trade was simulated', () => {
    assert.equal(tradeTax(inputOf({ kind: 'unknown', reason: 'No node.' })).status, 'unknown');
  });
});
