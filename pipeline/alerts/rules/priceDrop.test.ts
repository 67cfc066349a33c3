import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  address,
  type Blocks,
  block,
  blocksOf,
  burn,
  CREATOR,
  findingsIn,
  hash,
  POOL,
  pairCreated,
  sale,
  sync,
  TOKEN,
  transfer,
} from '../testing/chainBuilder.ts';
import { priceDrop } from './priceDrop.ts';
import type { Finding } from './rule.ts';

/** A block every 12 seconds: an hour is 300 blocks. */
const findingsAfter = (blocks: Blocks, openedWith = 100): Finding[] => {
  const opened = block(1, [pairCreated(), sync('open', 1000, openedWith)]);
  return findingsIn(priceDrop, [opened, ...blocksOf(blocks)]);
};

/** Before block 2 a token costs a tenth of a coin. */
const CASES: readonly (readonly [
  name: string,
  blocks: Blocks,
  change: number | null,
  severity?: Finding['severity'],
])[] = [
  [
    'a sale to a quarter of the price',
    { 2: [sync('s', 2000, 50), sale('s', 1000, 50, CREATOR)] },
    -0.75,
    'warning',
  ],
  ['a fifth', { 2: [sync('s', 1000, 80)] }, -0.2, 'info'],
  ['nearly everything', { 2: [sync('s', 100_000, 1)] }, -0.9999, 'critical'],
  [
    'steps that add up within an hour',
    { 2: [sync('a', 1000, 90)], 150: [sync('b', 1000, 75)], 290: [sync('c', 1000, 60)] },
    -0.4,
    'info',
  ],
  [
    'only what fell within the hour',
    { 2: [sync('a', 1000, 90)], 1000: [sync('b', 1000, 45)] },
    -0.5,
    'warning',
  ],
  ['half a percent', { 2: [sync('s', 1000, 99.5)] }, null],
  ['a rise', { 2: [sync('s', 900, 110)] }, null],
  ['liquidity taken out evenly', { 2: [sync('b', 10, 1), burn('b', 990, 99)] }, null],
  ['a price moved and moved back', { 2: [sync('a', 100_000, 1), sync('b', 1000, 100)] }, null],
  ['a recovery in part', { 2: [sync('a', 1000, 20)], 3: [sync('b', 1000, 40)] }, null],
  ['a pool emptied of tokens', { 2: [sync('s', 0, 50)] }, null],
];

describe('priceDrop', () => {
  for (const [name, blocks, change, severity] of CASES) {
    it(`${change === null ? 'is silent about' : 'finds'} ${name}`, () => {
      const [finding, ...others] = findingsAfter(blocks);
      assert.deepEqual(others, []);
      assert.equal(finding?.details['price_change'] ?? null, change);
      assert.equal(finding?.severity, severity);
    });
  }

  it('names who sold, in which transaction', () => {
    const seller = address('seller');
    const paid = transfer('s', TOKEN, seller, POOL);
    const [finding] = findingsAfter({
      2: [paid, sync('s', 2000, 50), sale('s', 1000, 50, seller)],
    });
    assert.deepEqual(finding?.wallets, [seller]);
    assert.equal(finding?.txHash, hash('s'));
    assert.equal(finding?.details['liquidity_usd'], 200_000);
  });

  it('is silent about pools that hold next to nothing', () => {
    assert.deepEqual(findingsAfter({ 2: [sync('s', 1000, 0.001)] }, 0.04), []);
  });
});
