import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { codePatterns, codeSketch, disassemble } from './codePatterns.ts';

describe('disassemble', () => {
  it('reads instructions with what they push', () => {
    assert.deepEqual(disassemble('0x6001610203f4'), [
      { at: 0, opcode: 0x60, pushed: '01' },
      { at: 2, opcode: 0x61, pushed: '0203' },
      { at: 5, opcode: 0xf4, pushed: '' },
    ]);
  });

  it('takes no data of a push for an instruction', () => {
    assert.deepEqual(
      disassemble('0x61fff4').map(({ opcode }) => opcode),
      [0x61],
    );
  });

  it('leaves out the metadata of the compiler, which is no code', () => {
    const metadata = `a264${'ff'.repeat(8)}000a`;
    assert.deepEqual(disassemble(`0x6001${metadata}`), [{ at: 0, opcode: 0x60, pushed: '01' }]);
  });

  it('keeps code that only ends like metadata', () => {
    assert.equal(disassemble('0x5b5b0002').length, 4);
  });

  it('cuts a push that the end of the code cuts', () => {
    assert.deepEqual(disassemble('0x63aabb'), [{ at: 0, opcode: 0x63, pushed: 'aabb' }]);
    assert.deepEqual(disassemble('0x'), []);
  });
});

const sketchOf = (code: Hex) => codeSketch(disassemble(code));
/** Blocks of ten instructions that differ from one another. */
const block = (i: number): string =>
  `5b${Array.from({ length: 9 }, (_, k) => (0x01 + ((i * 7 + k * (i + 3)) % 10)).toString(16).padStart(2, '0')).join('')}`;
const blocks = (from: number, to: number): Hex =>
  `0x${Array.from({ length: to - from }, (_, i) => block(from + i)).join('')}`;

/** Share of equal minima: the same as in the SQL of the contract store. */
const similarity = (a: readonly number[], b: readonly number[]): number =>
  a.filter((value, i) => value === b[i]).length / a.length;

describe('codeSketch', () => {
  it('leaves constants out: their values, and how many bytes they take', () => {
    const one = sketchOf('0x6001600201');
    assert.equal(sketchOf('0x60ff61020301').skeleton, one.skeleton);
    assert.notEqual(sketchOf('0x6001600202').skeleton, one.skeleton);
  });

  it('gives the same code the same minima, and other code others', () => {
    const whole = sketchOf(blocks(0, 10));
    assert.equal(similarity(whole.minima, sketchOf(blocks(0, 10)).minima), 1);
    assert.ok(similarity(whole.minima, sketchOf('0x600160020100').minima) < 0.1);
  });

  it('finds code with one block more nearly the same', () => {
    const near = similarity(sketchOf(blocks(0, 10)).minima, sketchOf(blocks(0, 9)).minima);
    assert.ok(near > 0.6, String(near));
  });

  it('has 32 minima of 32 bits, also for no code', () => {
    for (const code of ['0x', blocks(0, 5)] as const) {
      const { minima } = sketchOf(code);
      assert.equal(minima.length, 32);
      assert.ok(minima.every((one) => Number.isInteger(one) && one >= 0 && one < 2 ** 32));
    }
  });
});

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
