import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NAME_WEIGHTS } from './artifacts/nameWeights.ts';
import { nameFeatures } from './nameFeatures.ts';
import { isInvitation, scoreName } from './nameModel.ts';

const ADDRESS = `0x${'1'.repeat(40)}` as const;
const tokenOf = (name: string, symbol: string, chainId = 1) => ({
  chainId,
  address: ADDRESS,
  name,
  symbol,
});

describe('scoreName', () => {
  for (const [name, symbol, isSpam] of [
    ['! 5eth.vip', 'Visit https://5eth.vip to claim Airdrop', true],
    ['\u2705$ARB Airdrop', 'ARB | t.me/s/claimarb | get reward', true],
    ['Tether US\u0414', 'US\u0421\u0422', true],
    ['AVAX', 'AVAXVOUCHER.COM SWAP NOW', true],
    ['Honest Hen', 'HEN', false],
    ['Jarvis Reward Token', 'JRT', false],
    ['Collab.Land', 'COLLAB', false],
    ['Wrapped Ether', 'WETH9', false],
    ['\u667a\u6295\u94fe', 'IIC', false],
  ] as const) {
    it(`${name} (${symbol}) is ${isSpam ? 'spam' : 'nothing of the kind'}`, () => {
      const { probability } = scoreName(tokenOf(name, symbol));
      assert.equal(probability >= NAME_WEIGHTS.alarmFrom, isSpam, String(probability));
    });
  }

  it('does not know the chain, nor what the address looks like', () => {
    const facts = [0, 10, 100, 8453].map((chainId) =>
      nameFeatures({ ...tokenOf('Claim at x.top', 'X', chainId), address: `0x${'0'.repeat(40)}` }),
    );
    for (const each of facts) assert.deepEqual(each, facts[0]);
  });

  it('reads a text that a list cut off as one without dots', () => {
    assert.deepEqual(
      nameFeatures(tokenOf('Renewable En...', 'RET')),
      nameFeatures(tokenOf(' Renewable En ', 'RET')),
    );
  });
});

describe('isInvitation', () => {
  for (const [name, symbol, expected] of [
    ['! 5eth.vip', 'Visit https://5eth.vip to claim Airdrop', true],
    ['\u2705$ARB Airdrop', 'ARB | t.me/s/claimarb | get reward', true],
    // A website alone asks for nothing, and a request alone leads nowhere.
    ['\u{1f3a8} Nifty.Ink', '\u{1f3a8}', false],
    ['wenAIRDROP', 'AIRDROP', false],
    // Both, in a name that is otherwise that of a listed token.
    ['Swap.io Free Trade', 'SWF', false],
  ] as const) {
    it(`${name} (${symbol}): ${expected}`, () => {
      assert.equal(isInvitation(scoreName(tokenOf(name, symbol))), expected);
    });
  }
});
