import type { Hex } from '../../../shared/chain/block.ts';

/** One instruction of EVM code. */
export interface Instruction {
  /** Byte offset in the code. */
  readonly at: number;
  readonly opcode: number;
  /** What a PUSH puts on the stack: hexadecimal digits without 0x; empty for everything else. */
  readonly pushed: string;
}

/** EIP-170 bounds deployed code to 24,576 bytes; chains that allow more stay below this. */
const CODE_BYTES_MAX = 65_536;
const PUSH0 = 0x5f;
const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/**
 * The CBOR metadata that Solidity and Vyper append: its last two bytes say its length, and it begins
 * with a small map. Solidity documentation, “Encoding of the Metadata Hash in the Bytecode”.
 */
const withoutMetadata = (digits: string): string => {
  const bytes = Number.parseInt(digits.slice(-4), 16);
  const start = digits.length - 4 - 2 * bytes;
  if (!(bytes > 0) || start < 0) return digits;
  return /^a[1-4]/.test(digits.slice(start, start + 2)) ? digits.slice(0, start) : digits;
};

/** Whether an opcode carries data with it. */
const pushBytes = (opcode: number): number =>
  opcode >= PUSH1 && opcode <= PUSH32 ? opcode - PUSH0 : 0;

/**
 * The instructions of deployed code in order, metadata left out. Data sections are read as if they
 * were code: what follows from an instruction must therefore never rest on one alone.
 */
export const disassemble = (code: Hex): Instruction[] => {
  const digits = withoutMetadata(code.slice(2, 2 + 2 * CODE_BYTES_MAX));
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
