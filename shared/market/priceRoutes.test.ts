import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../chain/block.ts';
import { addressesOf } from '../testing/evmData.ts';
import { type BasePrices, ROUTE_DEPTH_USD_MIN } from './basePrices.ts';
import { type RouteMarket, routeDepthUsd, routedPrices } from './priceRoutes.ts';

const [USDC, AERO, MEME, FAR, WIDE, NARROW] = addressesOf(1, 2, 3, 4, 5, 6);
const BASES: BasePrices = new Map([
  [USDC, { decimals: 6, priceUsd: 1, priceNative: 1 / 2_000, route: [] }],
]);
const DECIMALS = new Map([
  [AERO, 18],
  [MEME, 9],
  [FAR, 18],
]);

/** A market that pays at most `usd` dollars; `price` per whole token. */
const market = (
  name: Hex,
  [from, to]: [Hex, Hex],
  { price, pays }: { price: number; pays: number },
): RouteMarket => {
  const digits = new Map([...DECIMALS, [USDC, 6]]);
  const [own, other] = [digits.get(from) ?? 0, digits.get(to) ?? 0];
  return {
    protocol: 'solidly',
    market: name,
    from,
    to,
    price: price * 10 ** (other - own),
    depth: pays * 10 ** other,
  };
};
const near = (actual: number | undefined, expected: number): void =>
  assert.ok(Math.abs((actual ?? Number.NaN) / expected - 1) < 1e-9, `${actual}`);

describe('routes to US dollars', () => {
  it('lead through another token, whatever decimals the tokens have', () => {
    const routes = [
      market(WIDE, [AERO, USDC], { price: 0.5, pays: 50_000 }),
      market(NARROW, [MEME, AERO], { price: 8, pays: 40_000 }),
    ];
    const meme = routedPrices(routes, BASES, DECIMALS).get(MEME);
    near(meme?.priceUsd, 4);
    near(meme?.priceNative, 4 / 2_000);
    assert.deepEqual(
      meme?.route.map(({ from, to }) => [from, to]),
      [
        [MEME, AERO],
        [AERO, USDC],
      ],
    );
    near(meme && routeDepthUsd(meme), 20_000);
  });

  it('are the widest ones', () => {
    const routes = [
      market(NARROW, [AERO, USDC], { price: 9, pays: 11_000 }),
      market(WIDE, [AERO, USDC], { price: 0.5, pays: 50_000 }),
    ];
    assert.equal(routedPrices(routes, BASES, DECIMALS).get(AERO)?.priceUsd, 0.5);
  });

  it('do not lead through a market that pays too little, however dear it makes a token', () => {
    const pays = ROUTE_DEPTH_USD_MIN - 1;
    const routes = [market(NARROW, [AERO, USDC], { price: 1e9, pays })];
    assert.equal(routedPrices(routes, BASES, DECIMALS).size, 0);
  });

  it('do not lead in circles, nor through tokens of unknown decimals, nor through more than two markets', () => {
    const circle = [
      market(WIDE, [AERO, MEME], { price: 1, pays: 1e9 }),
      market(NARROW, [MEME, AERO], { price: 1, pays: 1e9 }),
    ];
    assert.equal(routedPrices(circle, BASES, DECIMALS).size, 0);
    const chain = [
      market(WIDE, [AERO, USDC], { price: 1, pays: 1e6 }),
      market(WIDE, [MEME, AERO], { price: 1, pays: 1e6 }),
      market(WIDE, [FAR, MEME], { price: 1, pays: 1e6 }),
    ];
    assert.deepEqual([...routedPrices(chain, BASES, DECIMALS).keys()], [AERO, MEME]);
    assert.deepEqual([...routedPrices(chain, BASES, new Map([[MEME, 9]])).keys()], []);
  });

  it('leave the price of a base token alone', () => {
    const routes = [market(WIDE, [USDC, AERO], { price: 7, pays: 1e9 })];
    assert.equal(routedPrices(routes, BASES, DECIMALS).has(USDC), false);
  });
});
