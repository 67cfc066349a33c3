import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../chain/block.ts';
import { addressesOf } from '../testing/evmData.ts';
import { basePricesOf, type NativeMarket } from './basePrices.ts';

const [WETH, USDC, POOL, FAKE, DEEP] = addressesOf(1, 2, 3, 4, 5);
const pricing = { weth: WETH, stables: [USDC], nativePriceUsd: 1_500 };

const market = (name: Hex, coins: number, usd: number, isTrusted = true): NativeMarket => ({
  protocol: 'uniswap_v3',
  market: name,
  stable: USDC,
  isTrusted,
  stableOut: coins * usd * 1e6,
  native: coins * 1e18,
});
const nativeOf = (...markets: NativeMarket[]) =>
  basePricesOf({ pricing, decimals: new Map([[USDC, 6]]), markets }).get(WETH);

describe('the price of the native coin', () => {
  it('is that of the deepest market, and says which one it is', () => {
    const native = nativeOf(market(POOL, 10, 2_000), market(DEEP, 20, 2_100));
    assert.equal(native?.priceUsd, 2_100);
    assert.deepEqual(native?.route, [
      { protocol: 'uniswap_v3', market: DEEP, from: WETH, to: USDC, depthUsd: 42_000 },
    ]);
  });

  it('is not that of an unknown contract, however much it says it holds', () => {
    assert.equal(nativeOf(market(FAKE, 1e6, 9, false), market(POOL, 10, 2_000))?.priceUsd, 2_000);
  });

  it('is not moved by a trusted market of less than 10,000 dollars while a deeper one stands', () => {
    const native = nativeOf(market(POOL, 4, 2_000), market(DEEP, 100, 2_100, false));
    assert.equal(native?.priceUsd, 2_100);
  });

  it('is what is configured where all markets are noise', () => {
    const native = nativeOf(market(POOL, 0.9, 2_000));
    assert.deepEqual([native?.priceUsd, native?.route], [1_500, []]);
  });

  it('values stable tokens of known decimals only', () => {
    const prices = basePricesOf({ pricing, decimals: new Map(), markets: [market(POOL, 9, 9)] });
    assert.equal(prices.has(USDC), false);
    assert.equal(prices.get(WETH)?.priceUsd, 1_500);
  });
});
