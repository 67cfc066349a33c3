import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fact } from '../../../shared/chain/fact.ts';
import {
  address,
  block,
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
const findingsAfter = (
  blocks: readonly { number: number; facts: readonly Fact[] }[],
  openedWith = 100,
): Finding[] =>
  findingsIn(priceDrop, [
    block(1, [pairCreated(), sync('open', 1000, openedWith)]),
    ...blocks.map(({ number, facts }) => block(number, facts)),
  ]);

/** Before block 2 a token costs a tenth of a coin. */
const CASES: readonly {
  name: string;
  blocks: readonly { number: number; facts: readonly Fact[] }[];
  change: number | null;
  severity?: Finding['severity'];
}[] = [
  {
    name: 'a sale to a quarter of the price',
    blocks: [{ number: 2, facts: [sync('s', 2000, 50), sale('s', 1000, 50, CREATOR)] }],
    change: -0.75,
    severity: 'warning',
  },
  {
    name: 'a fifth',
    blocks: [{ number: 2, facts: [sync('s', 1000, 80)] }],
    change: -0.2,
    severity: 'info',
  },
  {
    name: 'nearly everything',
    blocks: [{ number: 2, facts: [sync('s', 100_000, 1)] }],
    change: -0.9999,
    severity: 'critical',
  },
  {
    name: 'steps that add up within an hour',
    blocks: [
      { number: 2, facts: [sync('a', 1000, 90)] },
      { number: 150, facts: [sync('b', 1000, 75)] },
      { number: 290, facts: [sync('c', 1000, 60)] },
    ],
    change: -0.4,
    severity: 'info',
  },
  {
    name: 'only what fell within the hour',
    blocks: [
      { number: 2, facts: [sync('a', 1000, 90)] },
      { number: 1000, facts: [sync('b', 1000, 45)] },
    ],
    change: -0.5,
    severity: 'warning',
  },
  { name: 'half a percent', blocks: [{ number: 2, facts: [sync('s', 1000, 99.5)] }], change: null },
  { name: 'a rise', blocks: [{ number: 2, facts: [sync('s', 900, 110)] }], change: null },
  {
    name: 'liquidity taken out evenly',
    blocks: [{ number: 2, facts: [sync('b', 10, 1), burn('b', 990, 99)] }],
    change: null,
  },
  {
    name: 'a price moved and moved back in one block',
    blocks: [{ number: 2, facts: [sync('a', 100_000, 1), sync('b', 1000, 100)] }],
    change: null,
  },
  {
    name: 'a recovery that is not complete',
    blocks: [
      { number: 2, facts: [sync('a', 1000, 20)] },
      { number: 3, facts: [sync('b', 1000, 40)] },
    ],
    change: null,
  },
  {
    name: 'a pool emptied of tokens',
    blocks: [{ number: 2, facts: [sync('s', 0, 50)] }],
    change: null,
  },
];

describe('priceDrop', () => {
  for (const { name, blocks, change, severity } of CASES) {
    it(`${change === null ? 'is silent about' : 'finds'} ${name}`, () => {
      const [finding, ...others] = findingsAfter(blocks);
      assert.deepEqual(others, []);
      assert.equal(finding?.details['price_change'] ?? null, change);
      assert.equal(finding?.severity, severity);
    });
  }

  it('names who sold, in which transaction', () => {
    const seller = address('seller');
    const [finding] = findingsAfter([
      {
        number: 2,
        facts: [
          transfer('s', TOKEN, seller, POOL),
          sync('s', 2000, 50),
          sale('s', 1000, 50, seller),
        ],
      },
    ]);
    assert.deepEqual(finding?.wallets, [seller]);
    assert.equal(finding?.txHash, hash('s'));
    assert.equal(finding?.details['liquidity_usd'], 200_000);
  });

  it('is silent about pools that hold next to nothing', () => {
    assert.deepEqual(findingsAfter([{ number: 2, facts: [sync('s', 1000, 0.001)] }], 0.04), []);
  });
});
