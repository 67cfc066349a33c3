import type { Hex } from '../../../shared/chain/block.ts';
import { keccakOf } from '../simulation/evmCode.ts';
import type { ContractProfile } from './contractProfile.ts';

/** One instruction of EVM code. */
export interface Instruction {
  /** Byte offset in the code. */
  readonly at: number;
  readonly opcode: number;
  /**
   * The operand of a PUSH: hexadecimal digits without 0x, fewer at the end of the code; empty for everything else.
   */
  readonly pushed: string;
}

/** EIP-170 limits deployed code to 24,576 bytes; chains that allow more stay below this. */
const CODE_BYTES_MAX = 65_536;
const PUSH0 = 0x5f;
const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/**
 * The CBOR metadata that Solidity and Vyper append: its last two bytes give its length, and it begins with a small
 * map. Solidity documentation, “Encoding of the Metadata Hash in the Bytecode”.
 */
const withoutMetadata = (digits: string): string => {
  const bytes = Number.parseInt(digits.slice(-4), 16);
  const start = digits.length - 4 - 2 * bytes;
  if (!(bytes > 0) || start < 0) return digits;
  return /^a[1-4]/.test(digits.slice(start, start + 2)) ? digits.slice(0, start) : digits;
};

/** Operand bytes of an opcode. */
export const pushBytes = (opcode: number): number =>
  opcode >= PUSH1 && opcode <= PUSH32 ? opcode - PUSH0 : 0;

/** The instructions of deployed code in order, without metadata. */
export const disassemble = (code: Hex): Instruction[] =>
  instructionsOf(`0x${withoutMetadata(code.slice(2, 2 + 2 * CODE_BYTES_MAX))}`);

/** The contents of code, in order. Data sections are read as code, so a single instruction proves nothing. */
export const instructionsOf = (code: Hex): Instruction[] => {
  const digits = code.slice(2);
  const instructions: Instruction[] = [];
  for (let at = 0; 2 * at + 2 <= digits.length; ) {
    const opcode = Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16);
    const size = pushBytes(opcode);
    const pushed = digits.slice(2 * (at + 1), 2 * (at + 1 + size));
    instructions.push({ at, opcode, pushed });
    at += 1 + size;
  }
  return instructions;
};

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

/** The i-th of a family of hash functions: an odd multiple, then Murmur3's finalizer. */
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

/** Pushes count by opcode only if the compiler does not choose it by the value. */
const normalised = ({ opcode }: Instruction): number =>
  opcode >= PUSH0 && opcode <= PUSH32 ? PUSH0 : opcode;

/** Computes the sketch by which copies of code are found: what two deployments of one source have in common. */
export const codeSketch = (
  instructions: readonly Instruction[],
): Pick<ContractProfile, 'skeleton' | 'minima'> => {
  const opcodes = instructions.map(normalised);
  const blocks = [...new Set(basicBlocks(opcodes).map(hashOpcodes))];
  const minima = Array.from({ length: MINIMA }, (_, i) =>
    blocks.reduce((least, hash) => Math.min(least, remix(hash, i)), UINT32 - 1),
  );
  return { skeleton: keccakOf(Uint8Array.from(opcodes)), minima };
};

const OPCODE = {
  stop: 0x00,
  eq: 0x14,
  sub: 0x03,
  xor: 0x18,
  origin: 0x32,
  caller: 0x33,
  jump: 0x56,
  jumpdest: 0x5b,
  push20: 0x73,
  push32: 0x7f,
  callcode: 0xf2,
  return: 0xf3,
  delegatecall: 0xf4,
  revert: 0xfd,
  invalid: 0xfe,
  selfdestruct: 0xff,
} as const;

const ENDS: ReadonlySet<number> = new Set([
  OPCODE.stop,
  OPCODE.jump,
  OPCODE.return,
  OPCODE.revert,
  OPCODE.invalid,
  OPCODE.selfdestruct,
]);

/** Instructions between a caller and the address it is compared with: masks and pushes of masks. */
const COMPARISON_WINDOW = 8;
const COMPARED_MAX = 8;

/** Code after a terminating instruction and before the next jump destination never runs: most of it is data. */
export const live = (instructions: readonly Instruction[]): Instruction[] => {
  let isLive = true;
  return instructions.filter(({ opcode }) => {
    if (opcode === OPCODE.jumpdest) isLive = true;
    const keep = isLive;
    if (ENDS.has(opcode)) isLive = false;
    return keep;
  });
};

/** An address in code: neither a mask nor a small number. */
const addressIn = ({ opcode, pushed }: Instruction): Hex | undefined => {
  const digits =
    opcode === OPCODE.push32 && pushed.startsWith('0'.repeat(24)) ? pushed.slice(24) : pushed;
  if (opcode !== OPCODE.push20 && opcode !== OPCODE.push32) return undefined;
  if (digits.length !== 40 || /^(?:f{40}|0{20})/.test(digits)) return undefined;
  return `0x${digits}`;
};

/** Addresses in code, for any purpose. */
export const namedAddresses = (instructions: readonly Instruction[]): Hex[] => [
  ...new Set(live(instructions).flatMap((one) => addressIn(one) ?? [])),
];

const comparedCallers = (instructions: readonly Instruction[]): Hex[] => {
  const found = new Set<Hex>();
  for (const [i, { opcode }] of instructions.entries()) {
    if (opcode !== OPCODE.caller && opcode !== OPCODE.origin) continue;
    const near = instructions.slice(Math.max(0, i - COMPARISON_WINDOW), i + COMPARISON_WINDOW + 1);
    const compares = near.some(
      (one) => one.opcode === OPCODE.eq || one.opcode === OPCODE.sub || one.opcode === OPCODE.xor,
    );
    if (!compares) continue;
    for (const one of near) {
      const address = addressIn(one);
      if (address) found.add(address);
    }
  }
  return [...found].slice(0, COMPARED_MAX);
};

/** Finds instructions that give someone power over others' tokens. */
export const codePatterns = (instructions: readonly Instruction[]): ContractProfile['patterns'] => {
  const running = live(instructions);
  const first = (opcodes: readonly number[]): number | null =>
    running.find(({ opcode }) => opcodes.includes(opcode))?.at ?? null;
  return {
    selfDestructAt: first([OPCODE.selfdestruct]),
    delegateCallAt: first([OPCODE.delegatecall, OPCODE.callcode]),
    comparedCallers: comparedCallers(running),
  };
};
