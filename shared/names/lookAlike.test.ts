import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { knownTokens } from './knownTokens.ts';
import { confusableSkeleton, lookAlike } from './lookAlike.ts';

const ADDRESS = `0x${'1'.repeat(40)}` as const;
const kindOf = (chainId: number, name: string, symbol: string) =>
  lookAlike({ chainId, address: ADDRESS, name, symbol })?.kind;

describe('confusableSkeleton', () => {
  for (const [written, known] of [
    ['USD\u0422', 'USDT'],
    ['US\u200bDC', 'USDC'],
    ['\uff35\uff33\uff24\uff34', 'USDT'],
    ['W\u0415TH', 'WETH'],
    ['PEP\u00c9', 'PEPE'],
    ['SH1B', 'SHIB'],
  ] as const) {
    it(`reads ${JSON.stringify(written)} as ${known}`, () => {
      assert.equal(confusableSkeleton(written), confusableSkeleton(known));
    });
  }

  it('distinguishes texts that look different', () => {
    const texts = ['USDT', 'USDC', 'DAI', 'WETH', 'UNI', 'LINK', ''];
    assert.equal(new Set(texts.map(confusableSkeleton)).size, texts.length);
  });
});

describe('lookAlike', () => {
  for (const [chainId, name, symbol, kind] of [
    [1, 'Tether USD', 'USD\u0422', 'disguised'],
    [31_337, 'T\u0435ther USD', 'TUSDX', 'disguised'],
    [1, 'Tether USD', 'USDT', 'sameChain'],
    [1, 'tether  usd', 'usdt', 'sameChain'],
    [56, 'Binance-Peg Pepe', 'PEPE', 'symbolOnly'],
    [31_337, 'Tether USD', 'USDT', 'symbolOnly'],
    [1, 'Dai Stablecoin', 'DAl', 'disguised'],
    [1, 'Shiba', 'SH1B', 'disguised'],
    [1, 'Some Pepe', '$PEPE', 'symbolOnly'],
    // Separate listed tokens, one letter away from a known one.
    [56, 'Interstellar Domain Order', 'IDO', undefined],
    [56, 'DAOLaunch', 'DAL', undefined],
    [1, 'YFLink', 'YFL', undefined],
    [56, 'Tiger grow', '$TG', undefined],
    [1, 'Honest Hen', 'HEN', undefined],
    [1, '', '', undefined],
    [1, '\u200b', '\u0300', undefined],
  ] as const) {
    it(`${name} (${symbol}) on chain ${chainId}: ${kind ?? 'none'}`, () => {
      assert.equal(kindOf(chainId, name, symbol), kind);
    });
  }

  it('takes no known token for a look-alike of itself or of another', () => {
    for (const chainId of [1, 56, 137, 8453, 42_161]) {
      assert.ok(knownTokens(chainId).length >= 50, String(chainId));
      const addresses = knownTokens(chainId).map(({ address }) => address);
      assert.equal(new Set(addresses).size, addresses.length);
      for (const known of knownTokens(chainId)) {
        assert.match(known.address, /^0x[0-9a-f]{40}$/);
        assert.equal(lookAlike({ chainId, ...known }), undefined);
      }
    }
  });
});
