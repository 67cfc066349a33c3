import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { OPCODE_NAMES, opcodeHistogram, opcodeShares } from './opcodeHistogram.ts';

const counts = (code: Hex): Record<string, number> => {
  const histogram = opcodeHistogram(code);
  return Object.fromEntries(
    OPCODE_NAMES.flatMap((name, i) => (histogram[i] ? [[name, histogram[i]]] : [])),
  );
};

it('counts opcodes and skips the data of PUSHes', () => {
  assert.deepEqual(counts('0x6080604052348015f3'), {
    PUSH1: 2,
    MSTORE: 1,
    CALLVALUE: 1,
    DUP1: 1,
    ISZERO: 1,
    RETURN: 1,
  });
  assert.deepEqual(counts('0x61f3f35ff4fe0c'), {
    PUSH2: 1,
    UNKNOWN_0x5f: 1,
    DELEGATECALL: 1,
    UNKNOWN_0xfe: 1,
    UNKNOWN_0xc: 1,
  });
});

it('counts a PUSH that the end cuts off by its opcode', () => {
  assert.deepEqual(counts('0x0063aabb'), { STOP: 1, INVALID_0x63: 1 });
  assert.deepEqual(counts('0x63aabbccdd'), { PUSH4: 1 });
  assert.deepEqual(counts('0x'), {});
});

it('names every column once', () => {
  assert.equal(new Set(OPCODE_NAMES).size, OPCODE_NAMES.length);
});

it('takes counts as shares of all opcodes, of no code zeros', () => {
  const shares = opcodeShares(opcodeHistogram('0x6080604052348015f3'));
  assert.equal(shares[OPCODE_NAMES.indexOf('PUSH1')], 2 / 7);
  assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-12);
  assert.ok(opcodeShares(opcodeHistogram('0x')).every((share) => share === 0));
});
