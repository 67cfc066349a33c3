import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom, PROPERTY_RUNS, PROPERTY_SEED } from '../testing/random.ts';
import {
  SQRT_PRICE_MAX,
  SQRT_PRICE_MIN,
  sqrtPriceAtTick,
  TICK_MAX,
  TICK_MIN,
  tickAtSqrtPrice,
} from './tickMath.ts';

describe('prices at ticks', () => {
  it('are those of the contract at its ends and in the middle', () => {
    // MIN_SQRT_RATIO and MAX_SQRT_RATIO of TickMath in @uniswap/v3-core 1.0.0.
    assert.equal(SQRT_PRICE_MIN, 4_295_128_739n);
    assert.equal(
      SQRT_PRICE_MAX,
      1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n,
    );
    assert.equal(sqrtPriceAtTick(0), 1n << 96n);
  });

  it('lead back to their tick, and so does every price up to the next', () => {
    const random = createRandom(PROPERTY_SEED);
    for (let run = 0; run < PROPERTY_RUNS; run += 1) {
      const tick = TICK_MIN + random.below(TICK_MAX - TICK_MIN);
      assert.equal(tickAtSqrtPrice(sqrtPriceAtTick(tick)), tick);
      assert.equal(tickAtSqrtPrice(sqrtPriceAtTick(tick + 1) - 1n), tick);
    }
  });

  it('do not exist beyond the ends', () => {
    for (const tick of [TICK_MIN - 1, TICK_MAX + 1, 0.5, Number.NaN]) {
      assert.throws(() => sqrtPriceAtTick(tick), RangeError);
    }
    for (const price of [SQRT_PRICE_MIN - 1n, SQRT_PRICE_MAX]) {
      assert.throws(() => tickAtSqrtPrice(price), RangeError);
    }
  });
});
