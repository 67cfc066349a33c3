import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom, PROPERTY_SEED } from '../testing/random.ts';
import { type ConcentratedPool, changeLiquidity, swapExactIn } from './concentratedPool.ts';
import { saleDepth } from './saleDepth.ts';
import { sqrtPriceAtTick } from './tickMath.ts';

const SPACING = 200;
/** More than any pool here can take. */
const ALL = 1n << 200n;
const UNIT = 10n ** 18n;

const at = (tick: number): ConcentratedPool => ({
  sqrtPriceX96: (sqrtPriceAtTick(tick) * 1_001n) / 1_000n,
  tick: tick + 19,
  liquidity: 0n,
  feePips: 10_000,
  tickSpacing: SPACING,
  ticks: new Map(),
});
const isNear = (actual: number, expected: number): boolean =>
  Math.abs(actual - expected) <= expected * 1e-9;

describe('saleDepth', () => {
  it('is what a sale of everything takes out, to nine digits', () => {
    const random = createRandom(PROPERTY_SEED);
    for (let n = 0; n < 100; n += 1) {
      const tick = (random.below(1_000) - 500) * SPACING;
      let pool = at(tick);
      for (let positions = 1 + random.below(6); positions > 0; positions -= 1) {
        // Within a factor of 21 of the price, so that a full sale ends before the cut-off.
        const lower = tick + (random.below(200) - 150) * SPACING;
        const upper = lower + (1 + random.below(100)) * SPACING;
        const change = UNIT * BigInt(1 + random.below(1_000));
        pool = changeLiquidity(pool, { lower, upper, change });
      }
      for (const isToken0 of [true, false]) {
        const { amountOut } = swapExactIn(pool, ALL, isToken0);
        assert.ok(isNear(saleDepth(pool, isToken0), Number(amountOut)), `pool ${n}`);
      }
    }
  });

  it('counts nothing that holds only what is sold', () => {
    const above = changeLiquidity(at(0), { lower: 400, upper: 800, change: UNIT });
    assert.equal(saleDepth(above, true), 0);
    assert.ok(saleDepth(above, false) > 0);
  });

  it('counts nothing that is bid for next to nothing', () => {
    const parked = changeLiquidity(at(0), { lower: -200_000, upper: -100_000, change: UNIT });
    assert.equal(saleDepth(parked, true), 0);
  });

  it('is nothing without a price, or without liquidity', () => {
    assert.equal(saleDepth(at(0), true), 0);
    assert.equal(saleDepth({ ...at(0), sqrtPriceX96: 0n, liquidity: UNIT }, true), 0);
  });

  it('is nearly the reserve where liquidity has no edges', () => {
    const pool = changeLiquidity(
      { ...at(0), sqrtPriceX96: 1n << 96n, tick: 0 },
      { lower: -887_200, upper: 887_200, change: 100n * UNIT },
    );
    assert.ok(isNear(saleDepth(pool, true), 99e18));
    assert.ok(isNear(saleDepth(pool, false), 99e18));
  });
});
