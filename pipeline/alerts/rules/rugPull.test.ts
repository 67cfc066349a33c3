import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { thresholdsOf } from '../../../shared/messages/settingsMessage.ts';
import {
  address,
  block,
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
const CASES: readonly {
  name: string;
  blocks: readonly { number: number; facts: readonly Fact[] }[];
  drop: number | null;
  cause?: string;
}[] = [
  {
    name: 'a Burn of all',
    blocks: [{ number: 2, facts: [sync('rug', 10, 1), burn('rug', 990, 99)] }],
    drop: 0.99,
    cause: 'burn',
  },
  {
    name: 'a drain no log explains',
    blocks: [{ number: 2, facts: [sync('drain', 1000, 2)] }],
    drop: 0.98,
    cause: 'sync',
  },
  {
    name: 'a sale of minted tokens',
    blocks: [{ number: 2, facts: [sync('dump', 100_000, 1), sale('dump', 99_000, 99, CREATOR)] }],
    drop: 0.99,
    cause: 'swap',
  },
  { name: 'a fifth', blocks: [{ number: 2, facts: [sync('sale', 1250, 80)] }], drop: null },
  {
    name: 'steps that add up within ten minutes',
    blocks: [
      { number: 2, facts: [sync('s1', 1100, 85)] },
      { number: 30, facts: [sync('s2', 1200, 70)] },
      { number: 50, facts: [sync('s3', 1400, 60)] },
    ],
    drop: 0.4,
    cause: 'sync',
  },
  {
    name: 'the same steps over hours',
    blocks: [
      { number: 2, facts: [sync('s1', 1100, 85)] },
      { number: 1000, facts: [sync('s2', 1200, 70)] },
    ],
    drop: null,
  },
  {
    name: 'a drain long after the last change',
    blocks: [{ number: 5000, facts: [sync('late', 1000, 5)] }],
    drop: 0.95,
    cause: 'sync',
  },
  {
    name: 'liquidity lent for one block',
    blocks: [
      {
        number: 2,
        facts: [sync('lend', 10_000, 1000), sync('back', 1000, 100), burn('back', 9000, 900)],
      },
    ],
    drop: null,
  },
  {
    name: 'a drain restored within the block',
    blocks: [{ number: 2, facts: [sync('loan', 1000, 1), sync('pay', 1000, 100)] }],
    drop: null,
  },
  {
    name: 'growth after a drain',
    blocks: [
      { number: 2, facts: [sync('rug', 1000, 5)] },
      { number: 3, facts: [sync('buy', 900, 6)] },
    ],
    drop: null,
  },
];

describe('rugPull', () => {
  for (const { name, blocks, drop, cause } of CASES) {
    it(`${drop === null ? 'is silent about' : 'finds'} ${name}`, () => {
      const rest = blocks.map(({ number, facts }) => block(number, facts));
      const [finding, ...others] = findingsAfter([opened, ...rest]);
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
