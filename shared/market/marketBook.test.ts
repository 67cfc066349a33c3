import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ZERO_ADDRESS } from '../chain/block.ts';
import { createRandom, PROPERTY_RUNS, PROPERTY_SEED, type Random } from '../testing/random.ts';
import { amountOut, bookOf, depthOf, type MarketBook, spotPrice } from './marketBook.ts';
import { SQRT_PRICE_MAX, SQRT_PRICE_MIN, sqrtPriceAtTick, TICK_MIN } from './tickMath.ts';

const FEE = 3_000n;
const SCALE = 1_000_000n;
const WHOLE = 10n ** 18n;

/** Raw amounts of all sizes. */
const someAmount = (random: Random): bigint => {
  let amount = 1n;
  for (let digits = random.below(26); digits > 0; digits -= 1) amount *= 10n;
  return amount + BigInt(random.below(1_000_000_000));
};
const productBook = (random: Random): Extract<MarketBook, { kind: 'product' }> => ({
  kind: 'product',
  feePips: Number(FEE),
  reserve0: someAmount(random),
  reserve1: someAmount(random),
});
/** Reserves of two tokens of equal value: balanced within a factor of fifty. */
const stableBook = (random: Random): Extract<MarketBook, { kind: 'stable' }> => {
  const digits = { digits0: random.pick([6, 8, 18]), digits1: random.pick([6, 8, 18]) };
  const whole = BigInt(1 + random.below(10_000_000));
  const other = (whole * BigInt(1 + random.below(50))) / BigInt(1 + random.below(50)) + 1n;
  return {
    kind: 'stable',
    digits,
    reserve0: whole * 10n ** BigInt(digits.digits0),
    reserve1: other * 10n ** BigInt(digits.digits1),
  };
};

describe('a sale in a pool whose product stays', () => {
  it('takes out the most that the pool lets go: one unit more and the product would fall', () => {
    const random = createRandom(PROPERTY_SEED);
    for (let run = 0; run < PROPERTY_RUNS; run += 1) {
      const book = productBook(random);
      const paid = someAmount(random);
      const out = amountOut(book, paid, true) ?? -1n;
      // `UniswapV2Pair.swap`: the balances, without the fee on the input, against the reserves.
      const product = (taken: bigint): bigint =>
        ((book.reserve0 + paid) * SCALE - paid * FEE) * (book.reserve1 - taken) -
        book.reserve0 * book.reserve1 * SCALE;
      assert.ok(out >= 0n && product(out) >= 0n && product(out + 1n) < 0n, `run ${run}`);
    }
  });

  it('takes out more the more is sold, never all there is, and nothing for nothing', () => {
    const random = createRandom(PROPERTY_SEED + 1);
    for (let run = 0; run < PROPERTY_RUNS; run += 1) {
      const book = productBook(random);
      const [less, more] = [1n, 5n].map((times) => someAmount(random) * times).toSorted(byValue);
      const outs = [less ?? 0n, more ?? 0n].map((amount) => amountOut(book, amount, false) ?? -1n);
      assert.ok((outs[0] ?? 0n) <= (outs[1] ?? 0n) && (outs[1] ?? 0n) < book.reserve0);
      assert.ok(Number(outs[1]) <= depthOf(book, false));
      assert.equal(amountOut(book, 0n, false), 0n);
    }
  });

  it('costs its price where it is small', () => {
    const book = { kind: 'product', feePips: 0, reserve0: 10n ** 24n, reserve1: 2n * 10n ** 12n };
    const pool = book as MarketBook;
    assert.equal(amountOut(pool, 10n ** 18n, true), 1_999_998n);
    assert.equal(spotPrice(pool, true), 2e-12);
    assert.equal(spotPrice(pool, false), 5e11);
    assert.equal(spotPrice({ ...pool, reserve0: 0n } as MarketBook, true), null);
  });
});

const byValue = (a: bigint, b: bigint): number => (a < b ? -1 : 1);

describe('a sale on a curve', () => {
  it('follows from what the curve started with, and takes out no more than it raised', () => {
    const start = { reserve0: 1_000_000n, reserve1: 6_000n };
    const book: MarketBook = {
      kind: 'curve',
      lastPrice: null,
      start,
      reserve0: 750_000n,
      reserve1: 2_000n,
    };
    // With 8,000, a product of 6,000,000,000 leaves 7,894.7.
    assert.equal(amountOut(book, 10_000n, true), 106n);
    assert.equal(amountOut(book, 250_000n, true), 2_000n);
    assert.equal(amountOut(book, 10n ** 30n, true), 2_000n);
    assert.equal(amountOut(book, 2_000n, false), 150_000n);
    assert.equal(spotPrice(book, true), 8_000 / 750_000);
    assert.equal(
      amountOut({ ...book, start: undefined }, 10_000n, true),
      null,
      'a formula of its own',
    );
  });
});

describe('a sale in a stable pool', () => {
  const inWhole = (raw: bigint, digits: number): number => Number(raw) / 10 ** digits;
  const invariant = (x: number, y: number): number => x ** 3 * y + x * y ** 3;

  it('keeps x³y + xy³ of whole tokens, whatever decimals they have', () => {
    const random = createRandom(PROPERTY_SEED + 2);
    for (let run = 0; run < PROPERTY_RUNS; run += 1) {
      const book = stableBook(random);
      const { digits0, digits1 } = book.digits ?? { digits0: 0, digits1: 0 };
      const paid = (book.reserve0 * BigInt(1 + random.below(1_000))) / 1_000n;
      const out = amountOut(book, paid, true) ?? -1n;
      assert.ok(out >= 0n && out < book.reserve1, `run ${run}`);
      const [x, y] = [inWhole(book.reserve0, digits0), inWhole(book.reserve1, digits1)];
      const left = inWhole(book.reserve1 - out, digits1);
      const after = invariant(x + inWhole(paid, digits0), left);
      // Rounding error: one unit of the token with the fewest decimals.
      const most = invariant(x + inWhole(paid, digits0), left + 2 * 10 ** -digits1);
      const before = invariant(x, y);
      assert.ok(after >= before * (1 - 1e-12) && before >= after - (most - after) - before * 1e-12);
    }
  });

  it('gives nearly as much as is paid while both sides are even, which a product would not', () => {
    const even = { reserve0: 1_000_000n * WHOLE, reserve1: 1_000_000n * 10n ** 6n };
    const digits = { digits0: 18, digits1: 6 };
    const stable = amountOut({ kind: 'stable', digits, ...even }, 100_000n * WHOLE, true) ?? 0n;
    const product = amountOut({ kind: 'product', feePips: 0, ...even }, 100_000n * WHOLE, true);
    assert.ok(stable > 99_900n * 10n ** 6n && stable < 100_000n * 10n ** 6n, `${stable}`);
    assert.equal(product, 90_909_090_909n);
  });

  it('is not known while decimals are not', () => {
    const book: MarketBook = { kind: 'stable', digits: undefined, reserve0: 5n, reserve1: 5n };
    assert.equal(amountOut(book, 1n, true), null);
    assert.equal(spotPrice(book, true), null);
    assert.equal(depthOf(book, true), 5);
  });
});

describe('a pool with liquidity between ticks', () => {
  const WORTH = 10n ** 18n;
  const range = (lower: number, upper: number, liquidity: bigint) => [
    { tick: lower, gross: liquidity, net: liquidity },
    { tick: upper, gross: liquidity, net: -liquidity },
  ];
  const at = (sqrtPriceX96: bigint, tick: number) => ({ sqrtPriceX96, tick });
  const bookWith = (
    { fee = 3_000, tickSpacing = 60 },
    price = at(2n ** 96n, 0),
    ticks = range(-600, 600, WORTH),
  ) =>
    bookOf(
      {
        protocol: 'uniswap_v4',
        terms: { fee, tickSpacing, stable: false, hooks: ZERO_ADDRESS },
        firstPrice: undefined,
      },
      { price, ticks },
      undefined,
    );

  it('that keeps all that is paid in gives nothing, with and without liquidity', () => {
    for (const ticks of [range(-600, 600, WORTH), []]) {
      const book = bookWith({ fee: 1_000_000 }, undefined, ticks);
      assert.ok(book);
      assert.deepEqual([amountOut(book, WORTH, true), amountOut(book, WORTH, false)], [0n, 0n]);
    }
  });

  it('has a price at the edges of all prices', () => {
    for (const price of [at(SQRT_PRICE_MIN, TICK_MIN), at(SQRT_PRICE_MAX - 1n, -TICK_MIN - 1)]) {
      const book = bookWith({ tickSpacing: 1 }, price, []);
      assert.ok(book && (spotPrice(book, true) ?? 0) > 0);
      assert.deepEqual([amountOut(book, WORTH, true), amountOut(book, WORTH, false)], [0n, 0n]);
    }
  });

  it('may stand on a tick that a sale has just crossed', () => {
    assert.ok(bookWith({}, at(sqrtPriceAtTick(60), 59)));
  });

  it('is none where what was logged of it can be of no pool', () => {
    const impossible: readonly (readonly [string, ReturnType<typeof bookWith>])[] = [
      ['a fee above all that is paid', bookWith({ fee: 1_000_001 })],
      ['no spacing of ticks', bookWith({ tickSpacing: 0 })],
      ['a negative spacing', bookWith({ tickSpacing: -60 })],
      ['a spacing no pool has', bookWith({ tickSpacing: 40_000 })],
      ['a price below all', bookWith({}, at(1n, 0))],
      ['a price above all', bookWith({}, at(2n ** 160n - 1n, 0))],
      ['a tick beside its price', bookWith({}, at(2n ** 96n, 1))],
      ['more taken than added', bookWith({}, undefined, range(-600, 600, -WORTH))],
    ];
    for (const [what, book] of impossible) assert.equal(book, undefined, what);
  });
});
