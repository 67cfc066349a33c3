import type { Hex } from '../../../shared/chain/block.ts';
import type { Instruction } from './disassemble.ts';

/** What instructions show without being run. Offsets are bytes in the code. */
export interface CodePatterns {
  /** Where the contract can destroy itself. */
  readonly selfDestructAt: number | null;
  /** Where it runs the code of another contract. */
  readonly delegateCallAt: number | null;
  /** Addresses in the code that the caller is compared with: privileges that no owner() shows. */
  readonly comparedCallers: readonly Hex[];
}

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

/** Code after an end and before the next jump destination never runs: most of it is data. */
const live = (instructions: readonly Instruction[]): Instruction[] => {
  let isLive = true;
  return instructions.filter(({ opcode }) => {
    if (opcode === OPCODE.jumpdest) isLive = true;
    const keep = isLive;
    if (ENDS.has(opcode)) isLive = false;
    return keep;
  });
};

/** An address that code carries: neither a mask nor a small number. */
const addressIn = ({ opcode, pushed }: Instruction): Hex | undefined => {
  const digits =
    opcode === OPCODE.push32 && pushed.startsWith('0'.repeat(24)) ? pushed.slice(24) : pushed;
  if (opcode !== OPCODE.push20 && opcode !== OPCODE.push32) return undefined;
  if (digits.length !== 40 || /^(?:f{40}|0{20})/.test(digits)) return undefined;
  return `0x${digits}`;
};

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

/** Looks for instructions that give someone power over others' tokens. */
export const codePatterns = (instructions: readonly Instruction[]): CodePatterns => {
  const running = live(instructions);
  const first = (opcodes: readonly number[]): number | null =>
    running.find(({ opcode }) => opcodes.includes(opcode))?.at ?? null;
  return {
    selfDestructAt: first([OPCODE.selfdestruct]),
    delegateCallAt: first([OPCODE.delegatecall, OPCODE.callcode]),
    comparedCallers: comparedCallers(running),
  };
};
