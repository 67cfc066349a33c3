import type { Hex } from '../../../../shared/chain/block.ts';
import { instructionsOf, pushBytes } from '../codePatterns.ts';
import { type Expression, type Expressions, splitSum } from './expressions.ts';
import type { Decision, ForeignCall, Log, StorageWrite } from './paths.ts';

/** Code prepared for execution: its bytes, the operand of each PUSH, and valid jump destinations. */
export interface Program {
  readonly bytes: Uint8Array;
  readonly pushed: ReadonlyMap<number, bigint>;
  readonly destinations: ReadonlySet<number>;
}

/** Constants of one function's execution. */
export interface Machine {
  readonly program: Program;
  readonly expressions: Expressions;
  /** First four bytes of the calldata; if absent, the calldata is empty. */
  readonly selector: bigint | undefined;
  readonly zero: Expression;
}

/** The state of one path. */
export interface State {
  /** Byte offset of the next instruction. */
  at: number;
  stack: Expression[];
  memory: Map<string, Expression>;
  /** Whether some words overlap: unwritten memory is then not known to be zero. */
  isRagged: boolean;
  storage: Map<number, StorageWrite>;
  /** Conditions by their numbers. */
  decided: Map<number, boolean>;
  /** Values known to equal one number, by what they were compared with. */
  equal: Map<number, Expression>;
  decisions: Decision | undefined;
  /** How often each undecided branch was visited, by call context, and which side was taken last. */
  met: Map<string, { readonly times: number; readonly is: boolean }>;
  calls: readonly ForeignCall[];
  logs: readonly Log[];
  /** Length of the last call's returned data. */
  returnedBytes: bigint;
}

export const WORD_BYTES = 32n;
const COPIED_WORDS_MAX = 16;
const JUMPDEST = 0x5b;

export const prepareCode = (code: Hex): Program => {
  const pushed = new Map<number, bigint>();
  const destinations = new Set<number>();
  for (const { at, opcode, pushed: digits } of instructionsOf(code)) {
    if (opcode === JUMPDEST) destinations.add(at);
    const size = pushBytes(opcode);
    if (size > 0) pushed.set(at, BigInt(`0x${digits.padEnd(2 * size, '0')}`));
  }
  return { bytes: Uint8Array.from(Buffer.from(code.slice(2), 'hex')), pushed, destinations };
};

export const startState = (): State => ({
  at: 0,
  stack: [],
  memory: new Map(),
  isRagged: false,
  storage: new Map(),
  decided: new Map(),
  equal: new Map(),
  decisions: undefined,
  met: new Map(),
  calls: [],
  logs: [],
  returnedBytes: 0n,
});

export const forkState = (state: State): State => ({
  ...state,
  stack: [...state.stack],
  memory: new Map(state.memory),
  storage: new Map(state.storage),
  decided: new Map(state.decided),
  equal: new Map(state.equal),
  met: new Map(state.met),
});

/** Pops the stack; zero if it is empty, which only happens in broken code. */
export const pop = ({ zero }: Machine, state: State): Expression => state.stack.pop() ?? zero;

/** Memory location of a word: known offsets count from zero, others from an unknown base. */
const placeOf = (address: Expression, plus = 0n): string => {
  const { base, offset } = splitSum(address);
  return `${base?.id ?? ''}:${BigInt.asUintN(256, offset + plus)}`;
};

const isAligned = (address: Expression): boolean => {
  const { base, offset } = splitSum(address);
  return base === undefined && offset % WORD_BYTES === 0n;
};

/** @param plus bytes after the address */
export const readMemory = (
  { zero }: Machine,
  state: State,
  address: Expression,
  plus = 0n,
): Expression | undefined => {
  const found = state.memory.get(placeOf(address, plus));
  if (found) return found;
  return isAligned(address) && !state.isRagged ? zero : undefined;
};

/** @param plus bytes after the address */
export const writeMemory = (
  state: State,
  address: Expression,
  value: Expression,
  plus = 0n,
): void => {
  if (!isAligned(address)) state.isRagged = true;
  state.memory.set(placeOf(address, plus), value);
};

/** After a single byte was written, its word is unknown. */
export const forgetMemory = (state: State, address: Expression): void => {
  state.isRagged = true;
  state.memory.delete(placeOf(address));
};

/** Memory words from an address on. @param skipped bytes by which all but the first begin earlier */
export const wordsAt = (
  machine: Machine,
  state: State,
  [address, size]: readonly [Expression, Expression],
  wordsMax: number,
  skipped = 0n,
): (Expression | undefined)[] => {
  const count = size.value === undefined ? wordsMax : Number((size.value + 31n) / WORD_BYTES);
  return Array.from({ length: Math.min(count, wordsMax) }, (_, i) =>
    readMemory(machine, state, address, i === 0 ? 0n : WORD_BYTES * BigInt(i) - skipped),
  );
};

/** Writes words to memory; if they are long, or of unknown length, only the first ones. */
export const copyWords = (
  state: State,
  to: Expression,
  size: Expression,
  wordAt: (offset: bigint) => Expression,
): void => {
  const words =
    size.value === undefined ? COPIED_WORDS_MAX : Number((size.value + 31n) / WORD_BYTES);
  for (let i = 0n; i < Math.min(words, COPIED_WORDS_MAX); i += 1n) {
    writeMemory(state, to, wordAt(WORD_BYTES * i), WORD_BYTES * i);
  }
};

/** A word of the calldata. */
export const callData = (
  { selector, expressions: { make, constant }, zero }: Machine,
  offset: Expression,
): Expression => {
  if (selector === undefined) return zero;
  if (offset.value === 0n) return make('or', [make('callDataRest'), constant(selector << 224n)]);
  return splitSum(offset).base?.operator === 'calldatasize' ? zero : make('calldata', [offset]);
};

/** A word of the code itself. */
export const codeWord = (
  { program: { bytes }, expressions: { constant }, zero }: Machine,
  offset: bigint,
): Expression => {
  if (offset > BigInt(bytes.length)) return zero;
  const word = Buffer.alloc(Number(WORD_BYTES));
  Buffer.from(bytes.subarray(Number(offset), Number(offset + WORD_BYTES))).copy(word);
  return constant(BigInt(`0x${word.toString('hex')}`));
};
