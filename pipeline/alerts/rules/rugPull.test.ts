import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import { thresholdsOf } from '../../../shared/messages/settingsMessage.ts';
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
  PRICING,
  PROFILE,
  pairCreated,
  sale,
  sync,
  TOKEN,
  transfer,
} from '../testing/chainBuilder.ts';
import { rugPull } from './rugPull.ts';
import type { Finding } from './rule.ts';

const findingsAfter = (blocks: readonly BlockFacts[], pricing = PRICING): Finding[] => {
  const least = rugPull.threshold(thresholdsOf('high'), 'high');
  return findingsIn(rugPull, blocks, pricing).filter(({ strength }) => strength >= least);
};
const opened = block(1, [pairCreated(), sync('open', 1000, 100)]);

/** The pool after block 1 holds 100 WETH at 2,000 USD. */
const CASES: readonly (readonly [
  name: string,
  blocks: Blocks,
  drop: number | null,
  cause?: string,
])[] = [
  ['a Burn of all', { 2: [sync('rug', 10, 1), burn('rug', 990, 99)] }, 0.99, 'burn'],
  ['a drain no log explains', { 2: [sync('drain', 1000, 2)] }, 0.98, 'sync'],
  [
    'a sale of minted tokens',
    { 2: [sync('d', 1e5, 1), sale('d', 99e3, 99, CREATOR)] },
    0.99,
    'swap',
  ],
  ['a fifth', { 2: [sync('sale', 1250, 80)] }, null],
  [
    'steps that add up within ten minutes',
    { 2: [sync('s1', 1100, 85)], 30: [sync('s2', 1200, 70)], 50: [sync('s3', 1400, 60)] },
    0.4,
    'sync',
  ],
  ['steps over hours', { 2: [sync('s1', 1100, 85)], 1000: [sync('s2', 1200, 70)] }, null],
  ['a drain long after the last change', { 5000: [sync('late', 1000, 5)] }, 0.95, 'sync'],
  [
    'liquidity lent for one block',
    { 2: [sync('lend', 10_000, 1000), sync('back', 1000, 100), burn('back', 9000, 900)] },
    null,
  ],
  ['a drain restored in the block', { 2: [sync('loan', 1000, 1), sync('pay', 1000, 100)] }, null],
  ['growth after a drain', { 2: [sync('rug', 1000, 5)], 3: [sync('buy', 900, 6)] }, null],
];

describe('rugPull', () => {
  for (const [name, blocks, drop, cause] of CASES) {
    it(`${drop === null ? 'is silent about' : 'finds'} ${name}`, () => {
      const [finding, ...others] = findingsAfter([opened, ...blocksOf(blocks)]);
      assert.deepEqual(others, []);
      assert.equal(finding?.details['liquidity_change'] ?? null, drop === null ? null : -drop);
      assert.equal(finding?.details['cause'], cause);
    });
  }

  it('reports what changed, who did it, and what to do', () => {
    const [finding] = findingsAfter([
      opened,
      block(2, [
        transfer('rug', POOL, CREATOR, POOL),
        sync('rug', 10, 1),
        burn('rug', 990, 99, address('router')),
      ]),
    ]);
    assert.equal(finding?.token, TOKEN);
    assert.equal(finding?.severity, 'critical');
    assert.equal(finding?.recommendation, 'SELL_IMMEDIATELY');
    assert.deepEqual(finding?.wallets, [CREATOR, address('router')]);
    assert.equal(finding?.logIndex, 1);
    assert.deepEqual(finding?.details, {
      liquidity_change: -0.99,
      liquidity_before_usd: 400_000,
      liquidity_after_usd: 4_000,
      cause: 'burn',
      pool: POOL,
      tx_hash: hash('rug'),
      block_number: 2,
    });
    const lit = finding?.withProfile?.(PROFILE, 'token');
    assert.equal(lit?.details['creator_sold_usd'], 198_000);
    const stranger = finding?.withProfile?.({ ...PROFILE, creator: address('other') }, 'token');
    assert.equal(stranger?.details['creator_sold_usd'], 0);
  });

  it('warns below nine tenths', () => {
    const [finding] = findingsAfter([opened, block(2, [sync('half', 1000, 45)])]);
    assert.equal(finding?.severity, 'warning');
    assert.equal(finding?.recommendation, 'REDUCE_EXPOSURE');
  });

  it('needs no earlier Sync where a Burn carries the amounts', () => {
    const [finding] = findingsAfter([
      block(1, [pairCreated()]),
      block(2, [sync('rug', 10, 1), burn('rug', 990, 99)]),
    ]);
    assert.equal(finding?.details['liquidity_change'], -0.99);
  });

  it('is silent about pools that never held money', () => {
    assert.deepEqual(
      findingsAfter([
        block(1, [pairCreated(), sync('open', 1000, 0.04)]),
        block(2, [sync('rug', 1, 0.0001)]),
      ]),
      [],
    );
  });

  it('alerts without dollars where no price is known', () => {
    const [finding] = findingsAfter([opened, block(2, [sync('rug', 1000, 1)])], {
      ...PRICING,
      nativePriceUsd: 0,
    });
    assert.equal(finding?.details['liquidity_before_usd'], null);
    assert.equal(finding?.withProfile?.(PROFILE, 'token')?.details['creator_sold_usd'], null);
    assert.equal(finding?.severity, 'critical');
  });

  it('is silent about pools without a base token', () => {
    const other = address('other');
    assert.deepEqual(
      findingsAfter([
        block(1, [pairCreated('create', POOL, TOKEN, other), sync('open', 1000, 100)]),
        block(2, [sync('rug', 1, 1)]),
      ]),
      [],
    );
  });
});
