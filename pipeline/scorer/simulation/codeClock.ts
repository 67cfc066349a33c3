import type { Hex } from '../../../shared/chain/block.ts';
import { disassemble } from '../contract/disassemble.ts';

/** What a contract tells the time by. */
export type ClockKind = 'time' | 'number';

/** The times of a block, hexadecimal quantities. */
interface BlockTimes {
  readonly number: Hex;
  readonly time: Hex;
}

/** A contract whose clock can be put forward. */
export interface ClockedContract {
  /** The contract whose balance shows the time. */
  readonly shownBy: Hex;
  /** The contract whose code is replaced: the same, or the implementation behind it. */
  readonly runs: Hex;
  readonly code: Hex;
}

/** A clock of the simulation's own. */
export interface Clock {
  readonly at: (block: BlockTimes) => bigint;
  readonly contracts: readonly ClockedContract[];
}

const OPCODE: Readonly<Record<ClockKind, number>> = { time: 0x42, number: 0x43 };
const SELFBALANCE = '47';
/** Characters of `0x`. */
const DIGITS_FROM = 2;

/** Whether code asks for the time of its block, or for its number. */
export const readsClock = (code: Hex, kind: ClockKind): boolean =>
  disassemble(code).some(({ opcode }) => opcode === OPCODE[kind]);

/**
 * The code with each look at the clock replaced by one at the contract's own balance of ether. Within one
 * `eth_call` the time stands still, while a balance can be raised: that is how days pass there. Both
 * instructions are one byte and take nothing from the stack, so that all jumps stay where they are.
 */
export const withOwnClock = (code: Hex, kind: ClockKind): Hex => {
  const parts: string[] = [];
  let from = 0;
  for (const { at, opcode } of disassemble(code)) {
    if (opcode !== OPCODE[kind]) continue;
    parts.push(code.slice(from, DIGITS_FROM + 2 * at), SELFBALANCE);
    from = DIGITS_FROM + 2 * at + SELFBALANCE.length;
  }
  return `${parts.join('')}${code.slice(from)}` as Hex;
};

/** The clock of this kind. */
export const clockOf = (kind: ClockKind, contracts: readonly ClockedContract[]): Clock => ({
  at: (block) => BigInt(block[kind]),
  contracts,
});
