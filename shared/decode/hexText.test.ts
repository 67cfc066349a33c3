import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isLowerHex, numberOf } from './hex.ts';

describe('isLowerHex', () => {
  it('accepts 0x and lower-case digits of the length asked for', () => {
    for (const text of ['0x', '0x0123456789abcdef']) assert.ok(isLowerHex(text), text);
    assert.ok(isLowerHex('0x12', 4));
  });

  it('refuses everything else', () => {
    for (const text of [
      '',
      '0',
      '1x00',
      '0xA',
      '0xg',
      '0x ',
      '0x1\u0661',
      '0x0\n',
      7,
      null,
      undefined,
      ['0x'],
    ]) {
      assert.ok(!isLowerHex(text), String(text));
    }
    assert.ok(!isLowerHex('0x123', 4));
  });
});

describe('numberOf', () => {
  it('reads quantities of either case', () => {
    assert.equal(numberOf('0x0'), 0);
    assert.equal(numberOf('0x1aF'), 431);
    assert.equal(numberOf('0x001fffffffffffff'), Number.MAX_SAFE_INTEGER);
  });

  it('answers NaN for what is no exact number', () => {
    for (const text of ['0x', '12', '0xg', '0x20000000000000', '0x00000000000000001', 5, null]) {
      assert.ok(Number.isNaN(numberOf(text)), String(text));
    }
  });
});
