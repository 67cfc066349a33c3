import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  address,
  block,
  burn,
  CREATOR,
  GENESIS_S,
  PRICING,
  sale,
  sync,
  TOKEN,
  transfer,
  WETH,
} from '../testing/chainBuilder.ts';
import {
  createTickMarket,
  FACTORY,
  ofSolidly,
  PANCAKE,
  SLIPSTREAM,
  SOLIDLY,
  solidlyCreated,
  V3,
  V4,
} from '../testing/marketBuilder.ts';
import { MarketStates } from './marketStates.ts';

/** Ranges on both sides of a price of one. */
const BELOW = { lower: -6_000, upper: -600 };
const ABOVE = { lower: 600, upper: 6_000 };
const FAR_BELOW = { lower: -180_000, upper: -120_000 };
const FAR_ABOVE = { lower: 120_000, upper: 180_000 };
const near = (value: number | undefined): number => Math.round((value ?? 0) / 1e14) / 1e4;

for (const kind of [V3, PANCAKE, SLIPSTREAM, V4]) {
  const baseOnly = kind === V4 ? ABOVE : BELOW;
  const tokensOnly = kind === V4 ? BELOW : ABOVE;

  describe(`MarketStates, ${kind.protocol}`, () => {
    const setup = () => {
      const states = new MarketStates('others', PRICING);
      const market = createTickMarket(kind);
      states.apply(block(1, [...market.create('create'), market.mint('open', 100)]));
      return { states, market };
    };

    it('takes for depth what a sale of everything takes out', () => {
      const { states, market } = setup();
      const [change] = states.apply(block(2, [market.burn('rug', 90)]));
      assert.deepEqual([change?.token, change?.base, change?.pool], [TOKEN, WETH, kind.pool]);
      assert.deepEqual([near(change?.peak), near(change?.after)], [99, 9.9]);
      assert.deepEqual(
        change?.steps.map((step) => [step.kind, near(step.paid)]),
        [['burn', 89.1]],
      );
    });

    it('knows who sold, for how much, and what it did to the price', () => {
      const { states, market } = setup();
      const holder = kind.manager ?? kind.pool;
      const sold = market.swap('s', 100, address('buyer'));
      const [change] = states.apply(block(2, [transfer('s', TOKEN, CREATOR, holder), sold]));
      const [step] = change?.steps ?? [];
      assert.equal(step?.kind, 'swap');
      assert.deepEqual(step?.wallets, [CREATOR, address('buyer')]);
      // Half of the base, minus the fee of 0.3 %.
      assert.deepEqual([near(step?.received), near(step?.paid)], [100, 49.9249]);
      assert.ok(Math.abs((change?.price.before ?? 0) - 1) < 1e-9);
      assert.ok(Math.abs((change?.price.after ?? 0) - 0.2507) < 1e-4);
    });

    it('does not count liquidity that is single-sided, or bid far below', () => {
      const { states, market } = setup();
      const moved = [
        market.burn('move', 100),
        market.mint('move', 100_000, tokensOnly),
        market.mint('move', 100, kind === V4 ? FAR_ABOVE : FAR_BELOW),
      ];
      const [change] = states.apply(block(2, moved));
      assert.deepEqual([near(change?.peak), near(change?.after)], [99, 0]);
    });

    it('counts bids beside the price', () => {
      const { states, market } = setup();
      const [change] = states.apply(block(2, [market.mint('bid', 100, baseOnly)]));
      assert.ok((change?.after ?? 0) > (change?.before ?? 0));
    });

    it('believes no one else, and asks for what it does not know', () => {
      const market = createTickMarket(kind);
      const created = market.create('create');
      const states = new MarketStates('others', PRICING, new Set([address('another')]));
      const facts = [...created, market.mint('open', 100)];
      assert.deepEqual(states.unknown(facts, GENESIS_S), [kind.pool]);
      states.learn([kind.pool], [], GENESIS_S);
      assert.deepEqual(states.unknown(facts, GENESIS_S), []);
      assert.deepEqual(states.apply(block(1, facts)), []);
      const trusting = new MarketStates('others', PRICING, new Set([kind.factory]));
      assert.deepEqual(trusting.unknown(facts, GENESIS_S), []);
      assert.equal(trusting.apply(block(1, facts)).length, 1);
    });
  });
}

describe('MarketStates, events of a manager', () => {
  it('are those that the manager itself logs', () => {
    const states = new MarketStates('others', PRICING);
    const market = createTickMarket(V4);
    states.apply(block(1, [...market.create('create'), market.mint('open', 100)]));
    const burned = market.burn('fake', 100);
    const fake = { ...burned, manager: address('liar') };
    assert.deepEqual(states.apply(block(2, [fake])), []);
  });
});

describe('MarketStates, solidly', () => {
  const opened = (stable: boolean) => [
    solidlyCreated('create', stable),
    ofSolidly(sync('o', 1000, 100)),
  ];

  it('reads reserves like those of Uniswap V2', () => {
    const states = new MarketStates('others', PRICING);
    states.apply(block(1, opened(false)));
    const [change] = states.apply(
      block(2, [
        transfer('s', TOKEN, CREATOR, SOLIDLY),
        ofSolidly(sync('s', 1250, 80)),
        ofSolidly(sale('s', 250, 20, address('buyer'))),
        ofSolidly(sync('b', 125, 8)),
        ofSolidly(burn('b', 1125, 72)),
      ]),
    );
    assert.deepEqual([change?.peak, change?.before, change?.after], [100e18, 100e18, 8e18]);
    assert.deepEqual(
      change?.steps.map((step) => [step.kind, step.paid, step.wallets]),
      [
        ['swap', 20e18, [CREATOR, address('buyer')]],
        ['burn', 72e18, [CREATOR]],
      ],
    );
    assert.deepEqual([change?.price.before, change?.price.after], [0.1, 0.064]);
    states.rollBack(1);
    const [again] = states.apply(block(2, [ofSolidly(sync('again', 1000, 50))]));
    assert.deepEqual([again?.before, again?.after], [100e18, 50e18]);
  });

  it('prices a stable pool by its curve, once decimals are known', () => {
    const states = new MarketStates('others', PRICING);
    const facts = opened(true);
    states.apply(block(1, facts));
    assert.deepEqual(states.unknownDecimals(states.touchedBy(facts)), [TOKEN]);
    const [unpriced] = states.apply(block(2, [ofSolidly(sync('a', 1000, 99))]));
    assert.equal(unpriced?.price.after, 0);
    states.learnDecimals(new Map([[TOKEN, 18]]));
    assert.deepEqual(states.unknownDecimals(states.touchedBy(facts)), []);
    states.apply(block(3, [ofSolidly(sync('b', 200, 100))]));
    const [change] = states.apply(block(4, [ofSolidly(sync('c', 150, 150))]));
    // (3x²y + y³) / (x³ + 3xy²) at 200 and 100, and when balanced.
    assert.equal(change?.price.before, 13 / 14);
    assert.equal(change?.price.after, 1);
  });

  it('counts nothing of a factory that is not known', () => {
    const states = new MarketStates('others', PRICING, new Set([FACTORY]));
    assert.deepEqual(states.apply(block(1, opened(false))), []);
  });
});
