import type { Hex } from '../../../shared/chain/block.ts';
import { keccakOf } from '../../../shared/encode/evmCode.ts';
import type { Instruction } from './disassemble.ts';

/** What remains of code when everything that differs between two deployments is left out. */
export interface CodeSketch {
  /**
   * Hash of the opcodes alone: contracts made from one source with other constants, addresses or
   * metadata agree in it.
   */
  readonly skeleton: Hex;
  /** MinHash signature of the basic blocks: 32 unsigned numbers of 32 bits. */
  readonly minima: readonly number[];
}

const JUMPDEST = 0x5b;
const MINIMA = 32;
const UINT32 = 2 ** 32;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** Blocks shorter than this occur in every contract. */
const BLOCK_OPCODES_MIN = 6;

/** FNV-1a of 32 bits. */
const hashOpcodes = (opcodes: readonly number[]): number => {
  let hash = FNV_OFFSET;
  for (const opcode of opcodes) hash = Math.imul(hash ^ opcode, FNV_PRIME);
  return hash >>> 0;
};

/** The i-th of a family of hash functions: an odd multiple, mixed. Murmur3's finalizer. */
const remix = (hash: number, i: number): number => {
  let mixed = Math.imul(hash ^ Math.imul(i + 1, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

const basicBlocks = (opcodes: readonly number[]): number[][] => {
  const blocks: number[][] = [[]];
  for (const opcode of opcodes) {
    if (opcode === JUMPDEST) blocks.push([]);
    blocks.at(-1)?.push(opcode);
  }
  return blocks.filter((block) => block.length >= BLOCK_OPCODES_MIN);
};

/** Pushes count by their opcode only where the compiler does not choose it by the value. */
const PUSH0 = 0x5f;
const PUSH32 = 0x7f;
const normalised = ({ opcode }: Instruction): number =>
  opcode >= PUSH0 && opcode <= PUSH32 ? PUSH0 : opcode;

/** Sketches code so that copies of it are found. */
export const codeSketch = (instructions: readonly Instruction[]): CodeSketch => {
  const opcodes = instructions.map(normalised);
  const blocks = [...new Set(basicBlocks(opcodes).map(hashOpcodes))];
  const minima = Array.from({ length: MINIMA }, (_, i) =>
    blocks.reduce((least, hash) => Math.min(least, remix(hash, i)), UINT32 - 1),
  );
  return { skeleton: keccakOf(Uint8Array.from(opcodes)), minima };
};

/** Estimated share of basic blocks that two contracts have in common (Jaccard), 0 to 1. */
export const similarity = (a: readonly number[], b: readonly number[]): number =>
  a.filter((value, i) => value === b[i]).length / MINIMA;
