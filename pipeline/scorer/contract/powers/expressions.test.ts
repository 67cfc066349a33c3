import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  asCondition,
  createExpressions,
  type Expression,
  type Expressions,
  earlierOf,
  WORD_MAX,
} from './expressions.ts';
import { substitute } from './substitute.ts';

/** A sum of small parts stays below the width of every type, so that the assumptions hold. */
const VALUES = [0n, 1n, 2n, 5n, 200n];
const LEAVES = ['a', 'b'] as const;
type Leaf = (typeof LEAVES)[number];

type Tree = bigint | Leaf | readonly [string, ...Tree[]];

const leafOf = (name: Leaf): fc.Arbitrary<Tree> => fc.constant(name);
const operator = fc.constantFrom('add', 'mul', 'and', 'or', 'xor', 'eq', 'lt');
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Tree>(...VALUES),
    leafOf('a'),
    leafOf('b'),
    fc.tuple(operator, tie('tree'), tie('tree')),
    fc.tuple(fc.constant('iszero'), tie('tree')),
    fc.tuple(fc.constantFrom('div', 'mul'), tie('tree'), fc.constantFrom<Tree>(2n, 256n, 65_536n)),
  ) as fc.Arbitrary<Tree>,
}));

const build = (
  one: Tree,
  known: Readonly<Record<Leaf, Expression>>,
  all: Expressions,
): Expression => {
  if (typeof one === 'bigint') return all.constant(one);
  if (typeof one === 'string') return known[one];
  const [name, ...operands] = one;
  return all.make(
    name,
    operands.map((operand) => build(operand, known, all)),
  );
};

describe('createExpressions', () => {
  it('simplifies unknown values to what the known ones would give', () => {
    const values = fc.constantFrom(...VALUES);
    fc.assert(
      fc.property(tree, values, values, (one, a, b) => {
        const all = createExpressions();
        const unknown = { a: all.make('callvalue'), b: all.make('gasprice') };
        const known = { a: all.constant(a), b: all.constant(b) };
        const replace = (part: Expression) => {
          if (part === unknown.a) return known.a;
          return part === unknown.b ? known.b : undefined;
        };
        const later = substitute(build(one, unknown, all), replace, all);
        assert.equal(later.value, build(one, known, all).value);
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });

  it('makes equal values one object', () => {
    const { make, constant } = createExpressions();
    const [x, y] = [make('caller'), make('sload', [constant(1n)])];
    assert.equal(make('add', [x, y]), make('add', [y, x]));
    assert.equal(
      make('add', [make('add', [x, constant(1n)]), constant(2n)]),
      make('add', [x, constant(3n)]),
    );
    assert.equal(make('sub', [make('add', [x, y]), y]), x);
  });

  it('reads a packed field in one shape, by shift or by division, before or after the mask', () => {
    const { make, constant } = createExpressions();
    const word = make('sload', [constant(0n)]);
    const [shift, byte] = [constant(1n << 160n), constant(0xffn)];
    const after = make('and', [make('div', [word, shift]), byte]);
    const before = make('div', [make('and', [word, constant(0xffn << 160n)]), shift]);
    assert.equal(after, before);
  });

  it('finds in a packed word what was just written to a field, and zero beside it', () => {
    const { make, constant } = createExpressions();
    const word = make('sload', [constant(0n)]);
    const kept = make('and', [word, constant(WORD_MAX ^ (0xffn << 160n))]);
    const flag = make('iszero', [make('calldata', [constant(4n)])]);
    const updated = make('or', [kept, make('mul', [flag, constant(1n << 160n)])]);
    const read = (value: Expression) =>
      make('and', [make('div', [value, constant(1n << 160n)]), constant(0xffn)]);
    assert.equal(read(updated), flag);
    assert.equal(read(kept).value, 0n);
  });

  it('finds nothing of one field of a packed word in another', () => {
    const { make, constant } = createExpressions();
    const fee = make('and', [make('calldata', [constant(4n)]), constant(0xffffn)]);
    const word = make('mul', [fee, constant(1n << 168n)]);
    const field = (shift: bigint, mask: bigint) =>
      make('and', [make('div', [word, constant(1n << shift)]), constant(mask)]);
    assert.equal(field(160n, 0xffn).value, 0n);
    assert.equal(field(168n, 0xffffn), fee);
  });

  it('passes the checks that compilers add to sums, differences and products', () => {
    const { make, constant } = createExpressions();
    const [x, y] = [make('caller'), make('callvalue')];
    assert.equal(make('lt', [make('add', [x, y]), x]).value, 0n);
    assert.equal(make('lt', [make('sub', [x, constant(1n)]), x]).value, 1n);
    assert.equal(make('eq', [make('div', [make('mul', [x, y]), x]), y]).value, 1n);
    assert.equal(make('lt', [make('not', [x]), y]).value, 0n);
    const narrow = constant(2n ** 64n - 1n);
    assert.equal(make('lt', [narrow, make('add', [x, y])]).value, 0n);
    assert.equal(make('lt', [narrow, make('mul', [x, y])]).value, 0n);
    assert.equal(make('lt', [narrow, make('sub', [x, y])]).value, undefined);
    assert.equal(make('lt', [constant(10n ** 18n), make('add', [x, y])]).value, undefined);
    const product = make('mul', [x, y]);
    const cut = (mask: bigint) => make('eq', [product, make('and', [product, constant(mask)])]);
    assert.equal(cut((1n << 128n) - 1n).value, 1n);
    assert.equal(cut(0xff00n).value, undefined);
    assert.equal(
      make('slt', [make('sub', [make('calldatasize'), constant(4n)]), constant(64n)]).value,
      0n,
    );
  });

  it('knows that time, height, caller and the contract itself are no zero, whole or in a field', () => {
    const all = createExpressions();
    for (const name of ['timestamp', 'number', 'caller', 'origin', 'self']) {
      assert.equal(all.make('iszero', [all.make(name)]).value, 0n);
      assert.equal(asCondition(all.make(name), all)[0].value, 1n);
    }
    const [time, field] = [all.make('timestamp'), all.constant((1n << 64n) - 1n)];
    assert.equal(all.make('and', [time, field]), time);
    assert.notEqual(all.make('and', [time, all.constant(0xffn)]), time);
  });

  it('knows that time does not go back, and not that it stands still', () => {
    const all = createExpressions();
    const now = all.make('timestamp');
    const then = earlierOf(now, all);
    assert(then);
    assert.equal(all.make('lt', [now, then]).value, 0n);
    assert.equal(all.make('lt', [then, now]).value, undefined);
    assert.equal(all.make('iszero', [then]).value, 0n);
    assert.equal(earlierOf(all.make('caller'), all), undefined);
  });

  it('takes the negations off a condition in whatever form compilers write it', () => {
    const all = createExpressions();
    const [x, zero] = [all.make('callvalue'), all.constant(0n)];
    // Not zero: as a difference from zero, by double negation, or directly.
    const forms = [all.make('sub', [zero, x]), all.make('iszero', [all.make('iszero', [x])]), x];
    for (const form of forms) assert.deepEqual(asCondition(form, all), [x, true]);
    assert.deepEqual(asCondition(all.make('eq', [zero, x]), all), [x, false]);
  });

  it('knows that what a number was added to is more than nothing', () => {
    const { make, constant } = createExpressions();
    const more = make('add', [make('sload', [constant(6n)]), constant(1n)]);
    assert.equal(make('lt', [constant(0n), more]).value, 1n);
    const less = make('add', [make('sload', [constant(6n)]), constant(WORD_MAX)]);
    assert.equal(make('lt', [constant(0n), less]).value, undefined);
  });
});

describe('asCondition', () => {
  it('takes a difference that is not zero for two values that differ, also from a number that the code has', () => {
    const expressions = createExpressions();
    const { make, constant } = expressions;
    const [caller, account] = [make('caller'), constant(0xabcdn << 100n)];
    const differ = [make('eq', [caller, account]), false];
    assert.deepEqual(asCondition(make('sub', [caller, account]), expressions), differ);
    assert.deepEqual(asCondition(make('xor', [caller, account]), expressions), differ);
    const equal = asCondition(make('iszero', [make('sub', [caller, account])]), expressions);
    assert.deepEqual(equal, [differ[0], true]);
  });
});
