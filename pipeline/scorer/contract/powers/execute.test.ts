import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../../shared/chain/block.ts';
import { execute } from './execute.ts';
import { createExpressions, type Expression } from './expressions.ts';
import { prepareCode } from './machine.ts';
import { decisionsOf, type Path } from './paths.ts';
import { placeOf } from './storage.ts';

const OPCODES: Readonly<Record<string, string>> = {
  STOP: '00',
  ADD: '01',
  MUL: '02',
  SUB: '03',
  DIV: '04',
  LT: '10',
  GT: '11',
  EQ: '14',
  ISZERO: '15',
  AND: '16',
  OR: '17',
  NOT: '19',
  SHL: '1b',
  SHR: '1c',
  SHA3: '20',
  CALLER: '33',
  CALLVALUE: '34',
  CALLDATALOAD: '35',
  CALLDATACOPY: '37',
  POP: '50',
  MLOAD: '51',
  MSTORE: '52',
  SLOAD: '54',
  SSTORE: '55',
  JUMP: '56',
  JUMPI: '57',
  JUMPDEST: '5b',
  DUP1: '80',
  SWAP1: '90',
  RETURN: 'f3',
  CALL: 'f1',
  REVERT: 'fd',
};

/** Assembles opcode names; a number is pushed, `:name` marks a position and `@name` pushes it. */
const assemble = (text: string): Hex => {
  const places = new Map<string, number>();
  const write = (word: string): string => {
    if (word.startsWith(':')) return '5b';
    if (word.startsWith('@'))
      return `61${(places.get(word.slice(1)) ?? 0).toString(16).padStart(4, '0')}`;
    const opcode = OPCODES[word];
    if (opcode) return opcode;
    const digits = BigInt(word).toString(16);
    const even = digits.padStart(digits.length + (digits.length % 2), '0');
    return `${(0x5f + even.length / 2).toString(16)}${even}`;
  };
  const words = text.trim().split(/\s+/);
  let at = 0;
  for (const word of words) {
    if (word.startsWith(':')) places.set(word.slice(1), at);
    at += write(word).length / 2;
  }
  return `0x${words.map(write).join('')}`;
};

const SELECTOR = 0xa9059cbbn;

const run = (text: string, stepsMax = 10_000) => {
  const expressions = createExpressions();
  const program = prepareCode(assemble(text));
  return { ...execute({ program, expressions, selector: SELECTOR, stepsMax }), ...expressions };
};

const shown = (one: Expression | undefined): string => {
  if (!one) return '?';
  if (one.value !== undefined) return one.value.toString();
  return one.operands.length === 0
    ? one.operator
    : `${one.operator}(${one.operands.map(shown).join(' ')})`;
};

const written = ({ writes }: Path): string[] =>
  writes.map(({ slot, value }) => `${shown(slot)} = ${shown(value)}`);

const conditions = (path: Path): string[] =>
  decisionsOf(path)
    .toReversed()
    .map(({ test, is }) => `${is ? '' : 'not '}${shown(test)}`);

describe('execute', () => {
  it('goes both ways where a condition is not known, and remembers which', () => {
    const { paths, dropped } = run(`
      CALLER 0 SLOAD EQ @owner JUMPI 0 0 REVERT
      :owner 1 7 SSTORE STOP`);
    assert.deepEqual(paths.map(conditions), [['eq(caller sload(0))']]);
    assert.deepEqual(paths.map(written), [['7 = 1']]);
    assert.deepEqual(dropped, []);
  });

  it('does not go where an earlier decision forbids', () => {
    const { paths } = run(`
      0 SLOAD @set JUMPI 1 1 SSTORE STOP
      :set 0 SLOAD ISZERO @never JUMPI 2 1 SSTORE STOP
      :never 3 1 SSTORE STOP`);
    assert.deepEqual(paths.flatMap(written).toSorted(), ['1 = 1', '1 = 2']);
  });

  it('knows that a value cannot be two numbers', () => {
    const { paths } = run(`
      0 SLOAD 5 EQ @five JUMPI STOP
      :five 0 SLOAD 6 EQ @six JUMPI 1 1 SSTORE STOP
      :six 2 1 SSTORE STOP`);
    assert.deepEqual(paths.flatMap(written), ['1 = 1']);
  });

  it('reads back what it has written, and the same name for the same mapping', () => {
    const { paths } = run(`
      4 CALLDATALOAD 0 MSTORE 3 32 MSTORE
      9 64 0 SHA3 SSTORE
      64 0 SHA3 SLOAD 1 SSTORE STOP`);
    const [path] = paths;
    assert.ok(path);
    assert.deepEqual(written(path), ['keccak(calldata(4) 3) = 9', '1 = 9']);
    const [write] = path.writes;
    assert.ok(write);
    const place = placeOf(write.slot);
    assert.equal(place.name, 'mapping(3)');
    assert.deepEqual(place.keys.map(shown), ['calldata(4)']);
  });

  for (const [compiler, code] of Object.entries({
    'a shift': '0 CALLDATALOAD 224 SHR',
    'a division': `${2n ** 224n} 0 CALLDATALOAD DIV 0xffffffff AND`,
    'bytes copied to the end of a word': '4 0 28 CALLDATACOPY 0 MLOAD',
    'a word stored at the end of another': '0 CALLDATALOAD 28 MSTORE 0 MLOAD',
  })) {
    it(`finds the function by ${compiler}`, () => {
      const { paths, sides } = run(`${code}
        DUP1 ${SELECTOR} EQ @found JUMPI 0x12345678 EQ @other JUMPI 0 0 REVERT
        :found 1 1 SSTORE STOP
        :other 2 1 SSTORE STOP`);
      assert.deepEqual(paths.map(written), [['1 = 1']]);
      assert.deepEqual(sides, []);
    });
  }

  it('finds an end behind both sides of a condition, however many conditions follow', () => {
    const forks = Array.from(
      { length: 12 },
      (_, i) =>
        `${i + 1} SLOAD @no${i} JUMPI 1 100 SSTORE :no${i} ${i + 50} SLOAD @end${i} JUMPI 0 0 REVERT :end${i}`,
    );
    const { paths, dropped } = run(`0 SLOAD @other JUMPI :other ${forks.join(' ')} STOP`, 40_000);
    const first = new Set(paths.map((path) => conditions(path)[0]));
    assert.deepEqual(first, new Set(['sload(0)', 'not sload(0)']));
    assert.ok(dropped.length > 0);
  });

  it('leaves loops whose length is not known, and says that it left out some', () => {
    const { paths, dropped } = run(`
      0 :again DUP1 0 SLOAD GT @body JUMPI STOP
      :body 1 ADD @again JUMP`);
    assert.ok(paths.length >= 3, `${paths.length} paths`);
    assert.ok(dropped.length > 0);
  });

  it('runs loops whose length is known to their end', () => {
    const { paths, dropped } = run(`
      0 :again 1 ADD DUP1 40 GT @again JUMPI 5 SSTORE STOP`);
    assert.equal(paths.length, 1);
    assert.deepEqual(dropped, []);
  });

  it('comes out of a loop of known length with a condition in it', () => {
    const { paths } = run(`
      0 :again DUP1 SLOAD @next JUMPI
      :next 1 ADD DUP1 40 GT @again JUMPI 1 99 SSTORE STOP`);
    assert.ok(paths.length > 0);
    assert.ok(paths.every((path) => written(path).includes('99 = 1')));
  });

  it('stops at its limit of steps, with what it has', () => {
    const { steps, dropped } = run(':again @again JUMP', 1_000);
    assert.equal(steps, 1_000);
    assert.ok(dropped.length > 0);
  });

  it('does not follow a jump to a place that the call names', () => {
    const { paths, dropped } = run('4 CALLDATALOAD JUMP');
    assert.deepEqual(paths, []);
    assert.ok(dropped.length > 0);
  });

  it('takes the answers of others as unknown, and keeps what they were asked', () => {
    const { paths } = run(`
      0xa9059cbb 224 SHL 0 MSTORE CALLER 4 MSTORE 7 36 MSTORE
      32 0 68 0 0 1 SLOAD 50000 CALL POP
      0 MLOAD 2 SSTORE STOP`);
    const [path] = paths;
    assert.ok(path);
    const [call] = path.calls;
    assert.equal(call?.kind, 'call');
    assert.equal(shown(call?.to), 'sload(1)');
    assert.deepEqual(call?.sent.slice(1, 3).map(shown), ['caller', '7']);
    assert.match(written(path)[0] ?? '', /^2 = returned/);
  });
});
