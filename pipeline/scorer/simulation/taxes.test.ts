import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buyTaxOf, sellTaxOf } from './readOutcomes.ts';

describe('buyTaxOf', () => {
  it('is what did not arrive of what was bought', () => {
    assert.equal(buyTaxOf({ bought: 1_000n, arrived: 1_000n }), 0);
    assert.equal(buyTaxOf({ bought: 1_000n, arrived: 900n }), 0.1);
    assert.equal(buyTaxOf({ bought: 1_000n, arrived: 0n }), 1);
  });

  it('is nothing where more arrived', () => {
    assert.equal(buyTaxOf({ bought: 1_000n, arrived: 2n ** 255n }), 0);
  });
});

describe('sellTaxOf', () => {
  const sale = { amount: 1_000n, received: 1_000n, earned: 500n, arrived: 500n };

  it('is nothing where all arrives', () => {
    assert.equal(sellTaxOf(sale), 0);
  });

  it('joins what is lost on the way in and on the way out', () => {
    assert.equal(sellTaxOf({ ...sale, received: 750n }), 0.25);
    assert.equal(sellTaxOf({ ...sale, arrived: 250n }), 0.5);
    assert.equal(sellTaxOf({ ...sale, received: 500n, arrived: 250n }), 0.75);
  });

  it('does not let a surplus on one side hide a loss on the other', () => {
    assert.equal(sellTaxOf({ ...sale, received: 4_000n, arrived: 250n }), 0.5);
    assert.equal(sellTaxOf({ ...sale, received: 500n, arrived: 5_000n }), 0.5);
  });
});
