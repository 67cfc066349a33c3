import { type Expression, SELECTOR_SHIFT } from './expressions.ts';
import {
  callData,
  codeWord,
  copyWords,
  forgetMemory,
  type Machine,
  pop,
  readMemory,
  type State,
  WORD_BYTES,
  wordsAt,
  writeMemory,
} from './machine.ts';
import { partsOf } from './storage.ts';

/** Success of a call that only sends coins. */
export const PAID = 'paid';

const HASHED_WORDS_MAX = 8;
const COPIED_WORDS_MAX = 16;
const SENT_WORDS_MAX = 5;
/** Arguments follow a 4-byte selector, so their words begin 28 bytes before the next word boundary. */
const SELECTOR_GAP_BYTES = 28n;
/** Returned data is assumed to be long enough for every read. */
const RETURNED_BYTES = 4_096n;
const PUSH0 = 0x5f;
const PUSH32 = 0x7f;

const BINARY: Readonly<Record<number, string>> = {
  0x01: 'add',
  0x02: 'mul',
  0x03: 'sub',
  0x04: 'div',
  0x05: 'sdiv',
  0x06: 'mod',
  0x07: 'smod',
  0x0a: 'exp',
  0x0b: 'signextend',
  0x10: 'lt',
  0x12: 'slt',
  0x14: 'eq',
  0x16: 'and',
  0x17: 'or',
  0x18: 'xor',
  0x1a: 'byte',
  0x1d: 'sar',
};

/** Opcodes that push an input of the call, the block or the contract. */
const SURROUNDINGS: Readonly<Record<number, string>> = {
  0x30: 'self',
  0x32: 'origin',
  0x33: 'caller',
  0x34: 'callvalue',
  0x36: 'calldatasize',
  0x38: 'codesize',
  0x3a: 'gasprice',
  0x41: 'coinbase',
  0x42: 'timestamp',
  0x43: 'number',
  0x44: 'prevrandao',
  0x45: 'gaslimit',
  0x46: 'chainid',
  0x47: 'selfbalance',
  0x48: 'basefee',
  0x4a: 'blobbasefee',
  0x58: 'pc',
  0x59: 'msize',
  0x5a: 'gas',
};

/** Opcodes with one operand. */
const ASKED: Readonly<Record<number, string>> = {
  0x31: 'balance',
  0x3b: 'extcodesize',
  0x3f: 'extcodehash',
  0x40: 'blockhash',
  0x49: 'blobhash',
  0x5c: 'tload',
};

/** An instruction that neither jumps nor ends. @returns false if the opcode is of another kind */
type Run = (machine: Machine, state: State, opcode: number) => boolean;

const stackOnly: Run = ({ program, expressions }, state, opcode) => {
  const { stack } = state;
  if (opcode >= PUSH0 && opcode <= PUSH32) {
    stack.push(expressions.constant(program.pushed.get(state.at) ?? 0n));
    state.at += opcode - PUSH0;
  } else if (opcode >= 0x80 && opcode <= 0x8f) {
    const copied = stack[stack.length - (opcode - 0x7f)];
    if (!copied) return false;
    stack.push(copied);
  } else if (opcode >= 0x90 && opcode <= 0x9f) {
    const top = stack.length - 1;
    const other = top - (opcode - 0x8f);
    const [upper, lower] = [stack[top], stack[other]];
    if (!upper || !lower) return false;
    stack[top] = lower;
    stack[other] = upper;
  } else if (opcode === 0x50) stack.pop();
  else return opcode === 0x5b;
  return true;
};

/** Shifts by a known number of bits are treated as products and quotients, as older compilers wrote them. */
const shift = (machine: Machine, state: State, isLeft: boolean): Expression => {
  const { make, constant } = machine.expressions;
  const [bits, value] = [pop(machine, state), pop(machine, state)];
  if (bits.value === undefined) return make(isLeft ? 'shl' : 'shr', [bits, value]);
  if (bits.value > 255n) return machine.zero;
  return make(isLeft ? 'mul' : 'div', [value, constant(1n << bits.value)]);
};

const arithmetic: Run = (machine, state, opcode) => {
  const { make } = machine.expressions;
  const { stack } = state;
  const operator = BINARY[opcode];
  if (operator) stack.push(make(operator, [pop(machine, state), pop(machine, state)]));
  else if (opcode === 0x08 || opcode === 0x09) {
    const sum = make(opcode === 0x08 ? 'add' : 'mul', [pop(machine, state), pop(machine, state)]);
    stack.push(make('mod', [sum, pop(machine, state)]));
  } else if (opcode === 0x11 || opcode === 0x13) {
    const [a, b] = [pop(machine, state), pop(machine, state)];
    stack.push(make(opcode === 0x11 ? 'lt' : 'slt', [b, a]));
  } else if (opcode === 0x15) stack.push(make('iszero', [pop(machine, state)]));
  else if (opcode === 0x19) stack.push(make('not', [pop(machine, state)]));
  else if (opcode === 0x1b || opcode === 0x1c) stack.push(shift(machine, state, opcode === 0x1b));
  else return false;
  return true;
};

/**
 * How Vyper reads the selector: calldata is copied so that its first bytes are the last ones of the first word.
 */
const SELECTOR_PLACE = 28n;

const writeSelector = ({ selector, expressions, zero }: Machine, state: State): void =>
  writeMemory(state, zero, expressions.constant(selector ?? 0n));

const copyData = (machine: Machine, state: State, opcode: number): void => {
  const { make, constant } = machine.expressions;
  if (opcode === 0x3c) pop(machine, state);
  const [to, from, size] = [pop(machine, state), pop(machine, state), pop(machine, state)];
  const { at } = state;
  if (opcode === 0x37 && from.value === 0n && size.value === 4n && to.value === SELECTOR_PLACE) {
    writeSelector(machine, state);
  } else if (opcode === 0x37) {
    const wordAt = (offset: bigint) => callData(machine, make('add', [from, constant(offset)]));
    copyWords(state, to, size, wordAt);
  } else if (opcode === 0x39 && from.value !== undefined) {
    const start = from.value;
    copyWords(state, to, size, (offset) => codeWord(machine, start + offset));
  } else {
    copyWords(state, to, size, (offset) => make('copied', [], `${at}.${offset}`));
  }
};

const surroundings: Run = (machine, state, opcode) => {
  const { make, constant } = machine.expressions;
  const { stack } = state;
  const brought = SURROUNDINGS[opcode];
  const asked = ASKED[opcode];
  if (opcode === 0x36 && machine.selector === undefined) stack.push(machine.zero);
  else if (brought) stack.push(make(brought));
  else if (asked) stack.push(make(asked, [pop(machine, state)]));
  else if (opcode === 0x35) stack.push(callData(machine, pop(machine, state)));
  else if (opcode === 0x3d) stack.push(constant(state.returnedBytes));
  else if (opcode === 0x37 || opcode === 0x39 || opcode === 0x3c || opcode === 0x3e) {
    copyData(machine, state, opcode);
  } else return false;
  return true;
};

const hash = (machine: Machine, state: State): Expression => {
  const { make } = machine.expressions;
  const [from, size] = [pop(machine, state), pop(machine, state)];
  const words = size.value === undefined ? 0n : size.value / WORD_BYTES;
  if (size.value === undefined || size.value !== words * WORD_BYTES || words === 0n) {
    return make('hash', [readMemory(machine, state, from) ?? machine.zero, size], `${state.at}`);
  }
  const parts = wordsAt(machine, state, [from, size], HASHED_WORDS_MAX);
  return make(
    'keccak',
    parts.map((part, i) => part ?? make('memory', [], `${state.at}.${i}`)),
  );
};

const memory: Run = (machine, state, opcode) => {
  const { make, constant } = machine.expressions;
  if (opcode === 0x51) {
    const from = pop(machine, state);
    const known = readMemory(machine, state, from);
    state.stack.push(known ?? make('memory', [from], `${state.at}`));
  } else if (opcode === 0x52) {
    const [to, value] = [pop(machine, state), pop(machine, state)];
    writeMemory(state, to, value);
    const isCallData = machine.selector !== undefined && value === callData(machine, machine.zero);
    if (isCallData && to.value === SELECTOR_PLACE) writeSelector(machine, state);
  } else if (opcode === 0x53) {
    forgetMemory(state, pop(machine, state));
    pop(machine, state);
  } else if (opcode === 0x5e) {
    const [to, from, size] = [pop(machine, state), pop(machine, state), pop(machine, state)];
    const words = wordsAt(machine, state, [from, size], COPIED_WORDS_MAX);
    for (const [i, word] of words.entries()) {
      const offset = WORD_BYTES * BigInt(i);
      const read = () => make('memory', [make('add', [from, constant(offset)])], `${state.at}`);
      writeMemory(state, to, word ?? read(), offset);
    }
  } else return false;
  return true;
};

const storage: Run = (machine, state, opcode) => {
  const { make } = machine.expressions;
  if (opcode === 0x54) {
    const slot = pop(machine, state);
    state.stack.push(state.storage.get(slot.id)?.value ?? make('sload', [slot]));
  } else if (opcode === 0x55) {
    const slot = pop(machine, state);
    state.storage.set(slot.id, { slot, value: pop(machine, state) });
  } else if (opcode === 0x5d) {
    pop(machine, state);
    pop(machine, state);
  } else return false;
  return true;
};

/**
 * First words of a call's data: its selector, if known, then the arguments. If a message was copied from the place
 * where it was built, as libraries of safe transfers do, its arguments straddle the copied words: they are read from
 * the original place.
 */
const sentWords = (
  machine: Machine,
  state: State,
  message: readonly [Expression, Expression],
): (Expression | undefined)[] => {
  const { make, constant } = machine.expressions;
  const [first, ...others] = wordsAt(machine, state, message, SENT_WORDS_MAX, SELECTOR_GAP_BYTES);
  const selector = first && make('div', [first, constant(SELECTOR_SHIFT)]).value;
  const copiedAt = (i: number): Expression | undefined => {
    const word = readMemory(machine, state, message[0], WORD_BYTES * BigInt(i));
    const sources = (word ? partsOf(word) : [])
      .filter(({ operator }) => operator.startsWith('memory'))
      .flatMap(({ operands: [source] }) => source ?? []);
    return sources.flatMap(
      (source) => readMemory(machine, state, source, -SELECTOR_GAP_BYTES) ?? [],
    )[0];
  };
  return [
    selector === undefined ? first : constant(selector * SELECTOR_SHIFT),
    ...others.map((word, i) => word ?? copiedAt(i + 1)),
  ];
};

const callOther = (machine: Machine, state: State, opcode: number): void => {
  const { make } = machine.expressions;
  pop(machine, state);
  const to = pop(machine, state);
  const value = opcode === 0xf1 || opcode === 0xf2 ? pop(machine, state) : undefined;
  const [from, size] = [pop(machine, state), pop(machine, state)];
  const [out, outSize] = [pop(machine, state), pop(machine, state)];
  const kind = opcode === 0xf1 ? 'call' : opcode === 0xfa ? 'staticcall' : 'delegatecall';
  const sent = sentWords(machine, state, [from, size]);
  const label = `${state.at}.${state.calls.length}`;
  state.calls = [...state.calls, { kind, to, value, sent }];
  state.returnedBytes = RETURNED_BYTES;
  if (outSize.value !== 0n) {
    copyWords(state, out, outSize, (offset) => make('returned', [], `${label}.${offset}`));
  }
  state.stack.push(make(size.value === 0n ? PAID : 'success', [to], label));
};

const effects: Run = (machine, state, opcode) => {
  const { make } = machine.expressions;
  if (opcode === 0x20) state.stack.push(hash(machine, state));
  else if (opcode >= 0xa0 && opcode <= 0xa4) {
    pop(machine, state);
    pop(machine, state);
    const topics = Array.from({ length: opcode - 0xa0 }, () => pop(machine, state));
    state.logs = [...state.logs, { topics }];
  } else if (opcode === 0xf0 || opcode === 0xf5) {
    for (let i = 0; i < (opcode === 0xf0 ? 3 : 4); i += 1) pop(machine, state);
    state.stack.push(make('created', [], `${state.at}`));
  } else if (opcode === 0xf1 || opcode === 0xf2 || opcode === 0xf4 || opcode === 0xfa) {
    callOther(machine, state, opcode);
  } else return false;
  return true;
};

const KINDS: readonly Run[] = [stackOnly, arithmetic, surroundings, memory, storage, effects];

/** Executes an instruction that neither jumps nor ends. @returns false for an unknown opcode */
export const runInstruction: Run = (machine, state, opcode) => {
  if (!KINDS.some((run) => run(machine, state, opcode))) return false;
  state.at += 1;
  return true;
};
