import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import type { HolderTrade } from '../features/holderSalesStore.ts';
import { holdersExperience } from '../features/holdersExperience.ts';
import { haveHoldersSold } from './holderSales.ts';

const wallet = (i: number): Hex => `0x${i.toString(16).padStart(40, '0')}`;
const CREATOR = wallet(999);
let next = 0;
const trade = (trader: Hex, isSale = false): HolderTrade => {
  next += 1;
  return {
    blockNumber: next,
    timestampS: 12 * next,
    trader,
    isSale,
    txHash: `0x${next.toString(16).padStart(64, '0')}`,
  };
};
const purchases = (count: number, from = 0): HolderTrade[] =>
  Array.from({ length: count }, (_one, i) => trade(wallet(from + i)));
const experienceOf = (trades: readonly HolderTrade[], insiders: readonly Hex[] = [CREATOR]) =>
  holdersExperience({ trades, insiders: new Set(insiders) });

describe('what holders experienced', () => {
  it('is a trap where two dozen bought and nobody sold, but those behind the token', () => {
    const trades = [...purchases(30), trade(CREATOR, true), trade(wallet(500), true)];
    const experience = experienceOf(trades);
    assert.deepEqual(
      [experience.buyers, experience.sellers, experience.buyersSinceSale],
      [30, 0, 30],
    );
    assert.equal(haveHoldersSold(experience), false);
    assert.equal(experience.lastSaleS, undefined);
    assert.equal(experience.purchases.length, 5);
  });

  it('is no evidence of wallets that the creator paid', () => {
    const paid = Array.from({ length: 6 }, (_one, i) => wallet(i));
    const trades = [...purchases(30), ...paid.map((one) => trade(one, true))];
    assert.equal(haveHoldersSold(experienceOf(trades)), true);
    assert.equal(haveHoldersSold(experienceOf(trades, [CREATOR, ...paid])), false);
  });

  it('is freedom where holders sold, and no longer where many bought since', () => {
    const sold = [...purchases(30), ...[0, 1, 2, 3, 4, 5].map((i) => trade(wallet(i), true))];
    const free = experienceOf(sold);
    assert.deepEqual([free.sellers, free.buyersSinceSale, haveHoldersSold(free)], [6, 0, true]);
    const later = experienceOf([...sold, ...purchases(25, 100)]);
    assert.deepEqual([later.buyersSinceSale, haveHoldersSold(later)], [25, false]);
  });

  it('asks for a tenth of the buyers: a few who can sell are no proof for the others', () => {
    const some = [0, 1, 2, 3, 4].map((i) => trade(wallet(i), true));
    assert.equal(haveHoldersSold(experienceOf([...purchases(60), ...some])), false);
    assert.equal(haveHoldersSold(experienceOf([...purchases(40), ...some])), true);
  });
});
