import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { word } from '../../../shared/testing/evmData.ts';
import { decodeDecimals, decodeText, decodeUint } from './decodeAnswer.ts';

const digits = (text: string): string => Buffer.from(text).toString('hex');
const abiString = (text: string, offset = 32, length = Buffer.byteLength(text)): string =>
  `0x${word(offset)}${word(length)}${digits(text).padEnd(Math.ceil(digits(text).length / 64) * 64, '0')}`;

describe('text answers', () => {
  it('are ABI strings', () => {
    assert.equal(decodeText(abiString('Wrapped Ether')), 'Wrapped Ether');
    assert.equal(decodeText(abiString('')), '');
    assert.equal(decodeText(abiString('ünï')), 'ünï');
  });

  it('are 32 bytes padded with zeros', () => {
    assert.equal(decodeText(`0x${digits('MKR').padEnd(64, '0')}`), 'MKR');
  });

  it('are read up to a bound', () => {
    assert.equal(decodeText(abiString('A'.repeat(1_000_000)))?.length, 1_024);
  });

  const nothing: [string, string][] = [
    ['nothing', '0x'],
    ['half a byte', '0x123'],
    ['no hexadecimal', 'hello'],
    ['an offset outside', `0x${word(2n ** 255n)}${word(1)}${word(0)}`],
    ['an offset that is no word', abiString('abc', 33)],
    ['a length outside', abiString('abc', 32, 4_000)],
    ['a length past any number', `0x${word(32)}${'f'.repeat(64)}${word(0)}`],
    ['less than a word', '0x1234'],
  ];
  for (const [what, answer] of nothing) {
    it(`of ${what} say nothing`, () => assert.equal(decodeText(answer), undefined));
  }
});

describe('number answers', () => {
  it('are one word', () => {
    assert.equal(decodeUint(`0x${word(2n ** 256n - 1n)}`), `0x${'f'.repeat(64)}`);
    assert.equal(decodeUint(`0x${word(0)}`), '0x0');
    for (const answer of ['0x', '0x12', `0x${word(1)}${word(2)}`, 'x'.repeat(66)]) {
      assert.equal(decodeUint(answer), undefined);
    }
  });

  it('hold decimals up to 255', () => {
    assert.equal(decodeDecimals(`0x${word(18)}`), 18);
    assert.equal(decodeDecimals(`0x${word(0)}`), 0);
    assert.equal(decodeDecimals(`0x${word(255)}`), 255);
    assert.equal(decodeDecimals(`0x${word(256)}`), undefined);
    assert.equal(decodeDecimals('0x'), undefined);
  });
});
