import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { codeSketch, disassemble, similarity } from './codePatterns.ts';

const sketchOf = (code: Hex) => codeSketch(disassemble(code));
/** Blocks of ten instructions that differ from one another. */
const block = (i: number): string =>
  `5b${Array.from({ length: 9 }, (_, k) => (0x01 + ((i * 7 + k * (i + 3)) % 10)).toString(16).padStart(2, '0')).join('')}`;
const blocks = (from: number, to: number): Hex =>
  `0x${Array.from({ length: to - from }, (_, i) => block(from + i)).join('')}`;

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
