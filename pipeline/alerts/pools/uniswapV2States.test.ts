import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PoolCreatedFact } from '../../../shared/chain/fact.ts';
import {
  address,
  block,
  burn,
  CREATOR,
  GENESIS_S,
  POOL,
  PRICING,
  pairCreated,
  sale,
  sync,
  TOKEN,
  transfer,
  USD,
  WETH,
} from '../testing/chainBuilder.ts';
import { ASK_AGAIN_S, knownPool, MarketStates } from './marketStates.ts';
import { REORG_BLOCKS_MAX } from './poolSeries.ts';

const setup = (poolsMax?: number): MarketStates => {
  const states = new MarketStates('uniswapV2', PRICING, null, poolsMax);
  states.apply(block(1, [pairCreated(), sync('open', 1000, 100)]));
  return states;
};

describe('MarketStates, Uniswap V2', () => {
  it('reports peak, reserves before and after, and who was paid', () => {
    const states = setup();
    states.apply(block(2, [sync('add', 2000, 200)]));
    const [change] = states.apply(
      block(3, [
        transfer('s', TOKEN, CREATOR, POOL),
        sync('s', 2500, 160),
        sale('s', 500, 40, address('buyer')),
        sync('t', 2000, 150),
      ]),
    );
    assert.equal(change?.token, TOKEN);
    assert.equal(change?.base, WETH);
    assert.deepEqual([change?.peak, change?.before, change?.after], [200e18, 200e18, 150e18]);
    assert.deepEqual(change?.payouts, [{ wallets: [CREATOR, address('buyer')], amount: 40e18 }]);
    assert.deepEqual(
      change?.steps.map(({ kind, before, after }) => [kind, before, after]),
      [
        ['swap', 200e18, 160e18],
        ['sync', 160e18, 150e18],
      ],
    );
  });

  it('keeps the tokens of a pool, whoever logs that it was created for others', () => {
    const fake = { ...pairCreated(), factory: address('fake'), token0: address('other') } as const;
    const states = setup();
    const [change] = states.apply(block(2, [fake, sync('s', 1, 1)]));
    assert.deepEqual([change?.token, change?.after], [TOKEN, 1e18]);
  });

  it('believes a factory that it knows rather than a log before it', () => {
    const created = pairCreated() as PoolCreatedFact;
    const fake = { ...created, factory: address('fake'), token0: address('other') } as const;
    const states = new MarketStates('uniswapV2', PRICING, new Set([created.factory]));
    states.apply(block(1, [fake]));
    const [change] = states.apply(block(2, [created, sync('open', 1000, 100)]));
    assert.equal(change?.token, TOKEN);
  });

  it('asks for pools it does not know, and again after a while', () => {
    const states = setup();
    const other = address('other');
    const facts = [sync('a', 1, 1), sync('a', 1, 1, other)];
    assert.deepEqual(states.unknown(facts, GENESIS_S), [other]);
    states.learn([other], [], GENESIS_S);
    assert.deepEqual(states.unknown(facts, GENESIS_S + ASK_AGAIN_S - 1), []);
    assert.deepEqual(states.unknown(facts, GENESIS_S + ASK_AGAIN_S), [other]);
    const reserves = { amount0: 1e18, amount1: 50e18 };
    states.learn([other], [knownPool(other, [TOKEN, WETH], reserves)], GENESIS_S);
    assert.deepEqual(states.unknown(facts, GENESIS_S + ASK_AGAIN_S), []);
    const [change] = states.apply(block(2, [sync('b', 1, 2, other)]));
    assert.deepEqual([change?.before, change?.after], [50e18, 2e18]);
  });

  it('does not ask for pools created in the same message', () => {
    const states = new MarketStates('uniswapV2', PRICING);
    assert.deepEqual(states.unknown([pairCreated(), sync('open', 1, 1)], GENESIS_S), []);
  });

  it('forgets the blocks of a reorg, and nothing before them', () => {
    const states = setup();
    states.apply(block(2, [sync('a', 500, 500)]));
    states.apply(block(3, [sync('b', 900, 900)]));
    states.rollBack(2);
    const [change] = states.apply(block(3, [sync('c', 400, 400)]));
    assert.deepEqual([change?.peak, change?.before], [500e18, 500e18]);
  });

  it('remembers the peak for reorgs that reach back behind the window', () => {
    const states = setup();
    states.apply(block(2, [sync('peak', 900, 900)]));
    for (let number = 3; number < REORG_BLOCKS_MAX; number += 1) {
      states.apply(block(number, [sync(`s${number}`, 100, 100)]));
    }
    states.rollBack(2);
    const [change] = states.apply(block(3, [sync('again', 100, 100)]));
    assert.equal(change?.peak, 900e18);
  });

  it('evicts the pools touched longest ago, and counts them', () => {
    const states = setup(2);
    states.apply(block(2, [pairCreated('c', address('p2')), sync('a', 1, 1, address('p2'))]));
    states.apply(block(3, [pairCreated('c', address('p3')), sync('a', 1, 1, address('p3'))]));
    assert.deepEqual(states.counts(), { held: 2, evicted: 1, pointsDropped: 0 });
    assert.deepEqual(states.unknown([sync('a', 1, 1)], GENESIS_S), [POOL]);
  });

  it('knows reserves before a Burn from the Burn itself', () => {
    const states = new MarketStates('uniswapV2', PRICING);
    const [change] = states.apply(
      block(2, [pairCreated(), sync('rug', 10, 1), burn('rug', 990, 99)]),
    );
    assert.deepEqual([change?.before, change?.after], [100e18, 1e18]);
  });

  it('takes the native price from the deepest pool against a stable token', () => {
    const states = setup();
    const near = (usd: number | null): number => Math.round((usd ?? 0) * 1e18);
    assert.equal(near(states.usdPerUnit(WETH)), 2_000);
    const [small, deep] = [address('small'), address('deep')];
    states.apply(block(2, [pairCreated('c', small, WETH, USD), sync('a', 0.5, 9_000, small)]));
    assert.equal(near(states.usdPerUnit(WETH)), 2_000);
    states.apply(block(3, [pairCreated('c', deep, WETH, USD), sync('a', 100, 300_000, deep)]));
    assert.equal(near(states.usdPerUnit(WETH)), 3_000);
    states.rollBack(2);
    assert.equal(near(states.usdPerUnit(WETH)), 2_000);
    assert.equal(near(states.usdPerUnit(USD)), 1);
    assert.equal(states.usdPerUnit(TOKEN), null);
  });
});
