import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeFunctionData, parseAbi, toFunctionSelector } from 'viem';
import { word } from '../../../shared/testing/evmData.ts';
import { addressInWord, decodeWords, encodeCall } from './evmCode.ts';
import { encodeBuy, encodeSell, encodeSettle } from './simulateParams.ts';

const ADDRESS = '0x00112233445566778899aabbccddeeff00112233';

describe('encodeCall', () => {
  it('encodes as the ABI says', () => {
    const abi = parseAbi(['function transfer(address to, uint256 value)']);
    const amount = 2n ** 255n + 7n;
    assert.equal(
      encodeCall(toFunctionSelector('transfer(address,uint256)'), ADDRESS, amount),
      encodeFunctionData({ abi, functionName: 'transfer', args: [ADDRESS, amount] }),
    );
  });

  it('encodes the calls of the simulated router', () => {
    const market = {
      kind: 'reserves',
      pool: ADDRESS,
      token: `0x${'1'.repeat(40)}`,
      base: `0x${'2'.repeat(40)}`,
    } as const;
    const abi = parseAbi([
      'struct Market { address pool; address token; address base; }',
      'function buy(Market market, uint256 share)',
      'function sell(Market market, uint256 amount)',
      'function settle(Market market)',
    ]);
    assert.deepEqual(
      [encodeBuy(market, 5n), encodeSell(market, 6n), encodeSettle(market)],
      [
        encodeFunctionData({ abi, functionName: 'buy', args: [market, 5n] }),
        encodeFunctionData({ abi, functionName: 'sell', args: [market, 6n] }),
        encodeFunctionData({ abi, functionName: 'settle', args: [market] }),
      ],
    );
  });
});

describe('decodeWords', () => {
  it('reads the words asked for and ignores more', () => {
    assert.deepEqual(decodeWords(`0x${word(1n)}${word(2n ** 256n - 1n)}ff`, 2), [
      1n,
      2n ** 256n - 1n,
    ]);
  });

  it('reads nothing from less, from other text, or from an empty answer', () => {
    for (const answer of ['', '0x', `0x${word(1n)}`, `0x${'z'.repeat(128)}`, 'x'.repeat(130)]) {
      assert.equal(decodeWords(answer, 2), undefined, answer);
    }
  });
});

describe('addressInWord', () => {
  it('reads an address, and nothing where there is none', () => {
    const digits = 'be'.repeat(20);
    assert.equal(addressInWord(`0x${'0'.repeat(24)}${digits.toUpperCase()}`), `0x${digits}`);
    for (const word of [`0x${'0'.repeat(64)}`, `0x${'1'.repeat(64)}`, '0x', undefined, 7]) {
      assert.equal(addressInWord(word), undefined);
    }
  });
});
