import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { codePatterns, disassemble } from './codePatterns.ts';

const patternsOf = (code: Hex) => codePatterns(disassemble(code));
const SOMEONE = 'be'.repeat(20);

describe('codePatterns', () => {
  it('finds where a contract destroys itself or runs foreign code', () => {
    assert.equal(patternsOf('0x6001ff').selfDestructAt, 2);
    assert.equal(patternsOf('0x6001f4').delegateCallAt, 2);
    assert.equal(patternsOf('0x6001f2').delegateCallAt, 2);
  });

  it('sees nothing in what is pushed, and nothing in data behind the code', () => {
    const none = { selfDestructAt: null, delegateCallAt: null, comparedCallers: [] };
    assert.deepEqual(patternsOf('0x61fff4'), none);
    assert.deepEqual(patternsOf('0x00fff4'), none);
    assert.equal(patternsOf('0x005bff').selfDestructAt, 2);
  });

  it('finds an address that the caller or the sender is compared with', () => {
    for (const code of [
      `0x3373${SOMEONE}14`,
      `0x73${SOMEONE}3314`,
      `0x3273${SOMEONE}14`,
    ] as const) {
      assert.deepEqual(patternsOf(code).comparedCallers, [`0x${SOMEONE}`]);
    }
  });

  it('takes neither masks nor small numbers nor other addresses for callers', () => {
    for (const code of [
      `0x3373${'ff'.repeat(20)}1614`,
      `0x3373${'00'.repeat(19)}0114`,
      `0x3373${SOMEONE}16`,
      `0x73${SOMEONE}14`,
    ] as const) {
      assert.deepEqual(patternsOf(code).comparedCallers, []);
    }
  });
});
