import type { Hex } from '../../../shared/chain/block.ts';
import { instructionsOf, pushBytes } from '../contract/codePatterns.ts';

/** Mnemonics by opcode, as of the London fork; numbered families are added below. */
const MNEMONICS: Readonly<Record<number, readonly string[]>> = {
  0x00: ['STOP', 'ADD', 'MUL', 'SUB', 'DIV', 'SDIV', 'MOD', 'SMOD', 'ADDMOD', 'MULMOD', 'EXP'],
  0x0b: ['SIGNEXTEND'],
  0x10: ['LT', 'GT', 'SLT', 'SGT', 'EQ', 'ISZERO', 'AND', 'OR', 'XOR', 'NOT', 'BYTE', 'SHL'],
  0x1c: ['SHR', 'SAR'],
  0x20: ['SHA3'],
  0x30: ['ADDRESS', 'BALANCE', 'ORIGIN', 'CALLER', 'CALLVALUE', 'CALLDATALOAD', 'CALLDATASIZE'],
  0x37: ['CALLDATACOPY', 'CODESIZE', 'CODECOPY', 'GASPRICE', 'EXTCODESIZE', 'EXTCODECOPY'],
  0x3d: ['RETURNDATASIZE', 'RETURNDATACOPY', 'EXTCODEHASH', 'BLOCKHASH', 'COINBASE', 'TIMESTAMP'],
  0x43: ['NUMBER', 'DIFFICULTY', 'GASLIMIT', 'CHAINID', 'SELFBALANCE', 'BASEFEE'],
  0x50: ['POP', 'MLOAD', 'MSTORE', 'MSTORE8', 'SLOAD', 'SSTORE', 'JUMP', 'JUMPI', 'PC', 'MSIZE'],
  0x5a: ['GAS', 'JUMPDEST'],
  0xb0: ['UNOFFICIAL_PUSH', 'UNOFFICIAL_DUP', 'UNOFFICIAL_SWAP'],
  0xf0: ['CREATE', 'CALL', 'CALLCODE', 'RETURN', 'DELEGATECALL', 'CREATE2'],
  0xfa: ['STATICCALL'],
  0xfd: ['REVERT'],
  0xff: ['SELFDESTRUCT'],
};
const FAMILIES = [
  { name: 'PUSH', from: 0x60, first: 1, count: 32 },
  { name: 'DUP', from: 0x80, first: 1, count: 16 },
  { name: 'SWAP', from: 0x90, first: 1, count: 16 },
  { name: 'LOG', from: 0xa0, first: 0, count: 5 },
] as const;
const PUSH1 = 0x60;
const PUSH32 = 0x7f;

const mnemonics = (): string[] => {
  const names = Array.from({ length: 256 }, (_, opcode) => `UNKNOWN_0x${opcode.toString(16)}`);
  for (const [from, known] of Object.entries(MNEMONICS)) {
    names.splice(Number(from), known.length, ...known);
  }
  for (const { name, from, first, count } of FAMILIES) {
    for (let i = 0; i < count; i += 1) names[from + i] = `${name}${first + i}`;
  }
  return names;
};

/** A PUSH whose operand is cut off by the end of the code is not counted as PUSH but by its opcode. */
const cutPush = (opcode: number): string => `INVALID_0x${opcode.toString(16)}`;

/**
 * Names of opcodes: first the 256 by number, then PUSHes cut off by the end of the code. The order is that of
 * `opcodeHistogram`, and part of the contract model.
 */
export const OPCODE_NAMES: readonly string[] = [
  ...mnemonics(),
  ...Array.from({ length: PUSH32 - PUSH1 + 1 }, (_, i) => cutPush(PUSH1 + i)),
];

/**
 * The input of the contract model: each count as a share of all. The length of code says little about what it does,
 * and copies differ in length.
 */
export const opcodeShares = (histogram: Float64Array): Float64Array => {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  return histogram.map((count) => (total > 0 ? count / total : 0));
};

/**
 * Number of each opcode in a contract's code, in the order of `OPCODE_NAMES`. PUSH operands are skipped; metadata
 * after the code is read like code, as in the recorded histograms.
 */
export const opcodeHistogram = (code: Hex): Float64Array => {
  const counts = new Float64Array(OPCODE_NAMES.length);
  for (const { opcode, pushed } of instructionsOf(code)) {
    const isCut = pushed.length < 2 * pushBytes(opcode);
    const column = isCut ? 256 + opcode - PUSH1 : opcode;
    counts[column] = (counts[column] ?? 0) + 1;
  }
  return counts;
};
