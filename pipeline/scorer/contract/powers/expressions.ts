/**
 * A partly unknown EVM value: a number, an input of the call, a storage location, or an operation on such values.
 * Equal values are one object, so `===` compares.
 */
export interface Expression {
  /** Order of creation: the same code gives the same numbers. */
  readonly id: number;
  readonly operator: string;
  readonly operands: readonly Expression[];
  /** The number itself, for `const` only. */
  readonly value?: bigint;
  /** Depth of the expression tree. */
  readonly depth: number;
}

/**
 * Creates values, and simplifies them so that the different forms in which compilers write the same thing become
 * equal.
 */
export interface Expressions {
  readonly constant: (value: bigint) => Expression;
  /** @param label distinguishes values without operands, such as two unknown values */
  readonly make: (operator: string, operands?: readonly Expression[], label?: string) => Expression;
}

const WORD_BITS = 256n;
const MODULUS = 1n << WORD_BITS;
export const WORD_MAX = MODULUS - 1n;
const ADDRESS_MAX = (1n << 160n) - 1n;
/** The factor that moves a selector to the first four bytes of a word. */
export const SELECTOR_SHIFT = 1n << 224n;
/** Shifts that extract bytes from a byte string begin here. */
const BYTES_SHIFT_MIN = 1n << 216n;
/** Assumed calldata length, longer than the arguments of any function, so that every length check passes. */
const CALL_DATA_BYTES = 4_096n;
const EXPONENT_BITS_MAX = 64n;
/** A more deeply nested value, from loops that add up, is only known to be equal to itself. */
const DEPTH_MAX = 200;

const wrap = (value: bigint): bigint => BigInt.asUintN(256, value);
const signed = (value: bigint): bigint => BigInt.asIntN(256, value);
const flag = (is: boolean): bigint => (is ? 1n : 0n);

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = wrap(result * square);
    square = wrap(square * square);
  }
  return result;
};

const signExtend = (bytes: bigint, value: bigint): bigint =>
  bytes > 30n ? value : wrap(BigInt.asIntN(Number(8n * bytes + 8n), value));

/** The result for two known numbers. Division by zero is zero (yellow paper, appendix H). */
const FOLD: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  add: (a, b) => wrap(a + b),
  mul: (a, b) => wrap(a * b),
  sub: (a, b) => wrap(a - b),
  div: (a, b) => (b === 0n ? 0n : a / b),
  sdiv: (a, b) => (b === 0n ? 0n : wrap(signed(a) / signed(b))),
  mod: (a, b) => (b === 0n ? 0n : a % b),
  smod: (a, b) => (b === 0n ? 0n : wrap(signed(a) % signed(b))),
  exp: power,
  signextend: signExtend,
  lt: (a, b) => flag(a < b),
  slt: (a, b) => flag(signed(a) < signed(b)),
  eq: (a, b) => flag(a === b),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  byte: (a, b) => (a > 31n ? 0n : (b >> (8n * (31n - a))) & 0xffn),
  sar: (a, b) => wrap(signed(b) >> (a > 255n ? 255n : a)),
};

const COMMUTATIVE: ReadonlySet<string> = new Set(['add', 'mul', 'and', 'or', 'xor', 'eq']);
const BOOLEAN: ReadonlySet<string> = new Set(['lt', 'slt', 'eq', 'iszero', 'success']);
const ADDRESSES: ReadonlySet<string> = new Set(['caller', 'origin', 'self', 'coinbase']);
const CLOCKS: ReadonlySet<string> = new Set(['timestamp', 'number']);
const CLOCK_MAX = (1n << 32n) - 1n;
/** The value of a clock when something was written. */
const EARLIER = 'earlier';
/** No block with time or height zero calls a contract, and no transaction comes from address zero. */
const NEVER_ZERO: ReadonlySet<string> = new Set([...CLOCKS, EARLIER, 'caller', 'origin', 'self']);

const isNeverZero = ({ operator }: Expression): boolean => NEVER_ZERO.has(operator);

const isBoolean = (one: Expression): boolean =>
  BOOLEAN.has(one.operator) ||
  (one.operator === 'const' && (one.value === 0n || one.value === 1n)) ||
  ((one.operator === 'and' || one.operator === 'or') && one.operands.every(isBoolean));

export const isPowerOfTwo = (value: bigint): boolean => value > 0n && (value & (value - 1n)) === 0n;

/** An operation on values that are not both known. Undefined if it cannot be simplified. */
type Rule = (
  a: Expression,
  b: Expression,
  make: Expressions['make'],
  constant: Expressions['constant'],
) => Expression | undefined;

/** The value, and the number added to it. */
export const splitSum = (one: Expression): { base: Expression | undefined; offset: bigint } => {
  if (one.value !== undefined) return { base: undefined, offset: one.value };
  const [a, b] = one.operands;
  if (one.operator === 'add' && b?.value !== undefined) return { base: a, offset: b.value };
  return { base: one, offset: 0n };
};

const add: Rule = (a, b, make, constant) => {
  if (b.value === 0n) return a;
  const left = splitSum(a);
  const right = splitSum(b);
  if (left.base && left.offset !== 0n) {
    const rest = right.base ? make('add', [left.base, right.base]) : left.base;
    return make('add', [rest, constant(wrap(left.offset + right.offset))]);
  }
  if (right.base && right.offset !== 0n) {
    return make('add', [make('add', [a, right.base]), constant(right.offset)]);
  }
  if (a.operator === 'sub' && a.operands[1] === b) return a.operands[0];
  if (b.operator === 'sub' && b.operands[1] === a) return b.operands[0];
  return undefined;
};

const sub: Rule = (a, b, make, constant) => {
  if (b.value !== undefined) return make('add', [a, constant(wrap(-b.value))]);
  const left = splitSum(a);
  const right = splitSum(b);
  if (left.base === right.base) return constant(wrap(left.offset - right.offset));
  if (a.operator === 'add' && a.operands[0] === b) return a.operands[1];
  if (a.operator === 'add' && a.operands[1] === b) return a.operands[0];
  return undefined;
};

const mul: Rule = (a, b) => {
  if (b.value === 0n) return b;
  return b.value === 1n ? a : undefined;
};

/** A possible address has at most 160 bits: masks of arguments are dropped, see `isClean`. */
const isAddress = ({ operator }: Expression): boolean =>
  ADDRESSES.has(operator) || operator === 'calldata';

/** Right shifts move inward and masks outward, so that a packed field always has the same form. */
const div: Rule = (a, b, make, constant) => {
  if (b.value === undefined) return undefined;
  if (b.value === 0n) return b;
  if (b.value === 1n) return a;
  if (!isPowerOfTwo(b.value)) return undefined;
  const [x, y] = a.operands;
  if (a.operator === 'callDataRest' && b.value === SELECTOR_SHIFT) return constant(0n);
  if (isAddress(a) && b.value > ADDRESS_MAX && b.value < BYTES_SHIFT_MIN) return constant(0n);
  if (!x || !y) return undefined;
  if (a.operator === 'or') return make('or', [make('div', [x, b]), make('div', [y, b])]);
  if (y.value === undefined) return undefined;
  if (a.operator === 'and') return make('and', [make('div', [x, b]), constant(y.value / b.value)]);
  if (a.operator === 'div' && isPowerOfTwo(y.value)) {
    return make('div', [x, constant(wrap(y.value * b.value))]);
  }
  if (a.operator !== 'mul' || !isPowerOfTwo(y.value)) return undefined;
  // A field of a packed word that was just written, read from another field.
  return y.value >= b.value
    ? make('mul', [x, constant(y.value / b.value)])
    : make('div', [x, constant(b.value / y.value)]);
};

/** Whether a mask leaves a block's time or height unchanged: both fit in 32 bits until 2106. */
const keepsClock = ({ operator }: Expression, mask: bigint): boolean =>
  (CLOCKS.has(operator) || operator === EARLIER) && mask >= CLOCK_MAX && isPowerOfTwo(mask + 1n);

const isClean = (one: Expression, mask: bigint): boolean =>
  (mask === ADDRESS_MAX && isAddress(one)) ||
  ((mask & 1n) === 1n && isBoolean(one)) ||
  keepsClock(one, mask);

const and: Rule = (a, b, make, constant) => {
  if (a === b) return a;
  if (b.value === undefined) return undefined;
  if (b.value === 0n) return b;
  if (b.value === WORD_MAX || isClean(a, b.value)) return a;
  if (a.operator === 'callDataRest' && b.value % SELECTOR_SHIFT === 0n) return constant(0n);
  const [x, y] = a.operands;
  if (!x || !y) return undefined;
  if (a.operator === 'and' && y.value !== undefined) {
    return make('and', [x, constant(y.value & b.value)]);
  }
  if (a.operator === 'or') return make('or', [make('and', [x, b]), make('and', [y, b])]);
  const isBelow = a.operator === 'mul' && y.value && isPowerOfTwo(y.value) && b.value < y.value;
  return isBelow ? constant(0n) : undefined;
};

const or: Rule = (a, b) => {
  if (b.value === 0n || a === b) return a;
  return b.value === 1n && isBoolean(a) ? b : undefined;
};

const xor: Rule = (a, b, make, constant) => {
  if (a === b) return constant(0n);
  if (b.value === 0n) return a;
  return b.value === WORD_MAX ? make('not', [a]) : undefined;
};

/** Whether b is the remaining factor after a is divided out of a product of two. */
const isProductCheck = (a: Expression, b: Expression): boolean => {
  const [product, factor] = a.operands;
  if (a.operator !== 'div' || product?.operator !== 'mul' || !factor) return false;
  return product.operands.includes(factor) && product.operands.includes(b);
};

/**
 * Whether a is b truncated to the width of its type: callers pass clean arguments, and sums and products do not
 * overflow.
 */
const isCleanCheck = (a: Expression, b: Expression): boolean => {
  const [x, y] = a.operands;
  const isCut = a.operator === 'and' && x === b && y?.value !== undefined;
  if (isCut && (b.operator === 'add' || b.operator === 'mul')) return isPowerOfTwo(y.value + 1n);
  if (b.operator !== 'calldata') return false;
  if (isCut) return true;
  return a.operator === 'iszero' && x?.operator === 'iszero' && x.operands[0] === b;
};

const eq: Rule = (a, b, make, constant) => {
  if (a === b) return constant(1n);
  if (b.value === 0n) return make('iszero', [a]);
  if (b.value === 1n && isBoolean(a)) return a;
  if (isProductCheck(a, b) || isProductCheck(b, a)) return constant(1n);
  if (isCleanCheck(a, b) || isCleanCheck(b, a)) return constant(1n);
  return undefined;
};

const isCallDataLength = (one: Expression): boolean =>
  splitSum(one).base?.operator === 'calldatasize';

/** Subtracting a number is adding its complement. */
export const isNegativeNumber = ({ value }: Expression): boolean =>
  value !== undefined && value >= 1n << 255n;

const isPositiveNumber = (one: Expression | undefined): boolean =>
  one?.value !== undefined && one.value > 0n && !isNegativeNumber(one);

/** Whether a number is the maximum of a type of at least 32 bits. */
const isTypeMax = ({ value }: Expression): boolean =>
  value !== undefined && value >= CLOCK_MAX && isPowerOfTwo(value + 1n);

/**
 * Sums, differences and products are assumed not to overflow: the checks for it pass, and the last index is less than
 * the length.
 */
const lt: Rule = (a, b, make, constant) => {
  if (a === b || b.value === 0n || a.value === WORD_MAX) return constant(0n);
  if (isCallDataLength(a) && b.value !== undefined && b.value < CALL_DATA_BYTES)
    return constant(0n);
  if (a.value === 0n && b.operator === 'add' && isPositiveNumber(b.operands[1]))
    return constant(1n);
  if (b.operator === EARLIER && b.operands[0] === a) return constant(0n);
  if (a.operator === 'add' && a.operands.includes(b)) {
    return constant(flag(a.operands.some(isNegativeNumber)));
  }
  if (a.operator === 'not') return constant(0n);
  if (isTypeMax(a) && (b.operator === 'add' || b.operator === 'mul')) return constant(0n);
  if (a.operator === 'div' && a.operands[0]?.value === WORD_MAX) return constant(0n);
  const [minuend, subtrahend] = b.operands;
  if (b.operator === 'sub' && minuend === a && subtrahend) return make('lt', [a, subtrahend]);
  return undefined;
};

const slt: Rule = (a, b, _make, constant) => {
  if (a === b) return constant(0n);
  const isLength = isCallDataLength(a) && b.value !== undefined && b.value < CALL_DATA_BYTES;
  return isLength ? constant(0n) : undefined;
};

const RULES: Readonly<Record<string, Rule>> = { add, sub, mul, div, and, or, xor, eq, lt, slt };

const simplifyUnary = (
  operator: string,
  a: Expression,
  { make, constant }: Expressions,
): Expression | undefined => {
  if (operator === 'not') {
    if (a.value !== undefined) return constant(WORD_MAX ^ a.value);
    return a.operator === 'not' ? a.operands[0] : undefined;
  }
  if (operator !== 'iszero') return undefined;
  if (a.value !== undefined) return constant(flag(a.value === 0n));
  if (isCallDataLength(a) || isNeverZero(a)) return constant(0n);
  const [inner] = a.operands;
  if (a.operator === 'sub' || a.operator === 'xor') return make('eq', a.operands);
  return a.operator === 'iszero' && inner && isBoolean(inner) ? inner : undefined;
};

const inOrder = (operator: string, a: Expression, b: Expression): [Expression, Expression] => {
  if (!COMMUTATIVE.has(operator)) return [a, b];
  if (a.value !== undefined) return [b, a];
  return b.value === undefined && a.id > b.id ? [b, a] : [a, b];
};

const simplifyBinary = (
  operator: string,
  [first, second]: readonly [Expression, Expression],
  { make, constant }: Expressions,
): Expression | undefined => {
  const [a, b] = inOrder(operator, first, second);
  const fold = FOLD[operator];
  if (a.value !== undefined && b.value !== undefined && fold) {
    if (operator === 'exp' && a.value > 1n << EXPONENT_BITS_MAX) return undefined;
    return constant(fold(a.value, b.value));
  }
  const simpler = RULES[operator]?.(a, b, make, constant);
  if (simpler || a === first) return simpler;
  return make(operator, [a, b]);
};

/** The values of one contract's execution. */
export const createExpressions = (): Expressions => {
  const known = new Map<bigint, Expression>();
  const made = new Map<string, Expression>();
  let count = 0;
  const constant = (value: bigint): Expression => {
    const found = known.get(value);
    if (found) return found;
    const one: Expression = { id: count++, operator: 'const', operands: [], value, depth: 0 };
    known.set(value, one);
    return one;
  };
  const make: Expressions['make'] = (operator, operands = [], label = '') => {
    const [a, b] = operands;
    const all = { make, constant };
    if (a && operands.length === 1) {
      const simpler = simplifyUnary(operator, a, all);
      if (simpler) return simpler;
    } else if (a && b && operands.length === 2) {
      const simpler = simplifyBinary(operator, [a, b], all);
      if (simpler) return simpler;
    }
    let key = `${operator}${label}`;
    for (const { id } of operands) key += `,${id}`;
    const found = made.get(key);
    if (found) return found;
    const depth = operands.reduce((most, operand) => Math.max(most, operand.depth + 1), 0);
    const one: Expression =
      depth > DEPTH_MAX
        ? { id: count++, operator: 'deep', operands: [], depth: 0 }
        : { id: count++, operator: operator + label, operands, depth };
    made.set(key, one);
    return one;
  };
  return { constant, make };
};

/** The time or the height of a block. */
export const isClock = ({ operator }: Expression): boolean => CLOCKS.has(operator);

/** The value of a clock in an earlier call, which is at most the current one; undefined for other values. */
export const earlierOf = (one: Expression, { make }: Expressions): Expression | undefined =>
  isClock(one) ? make(EARLIER, [one]) : undefined;

const isNumber = ({ value }: Expression): boolean => value !== undefined;

/** A condition without its negations: `is` is the outcome for which the whole is true. */
export const asCondition = (
  one: Expression,
  { make, constant }: Expressions,
): [Expression, boolean] => {
  let test = isCallDataLength(one) ? constant(1n) : one;
  let is = true;
  while (test.operator === 'iszero') {
    const [inner] = test.operands;
    if (!inner) break;
    test = inner;
    is = !is;
  }
  if (test.operator === 'sub' || test.operator === 'xor') {
    const [equal, holds] = asCondition(make('eq', test.operands), { make, constant });
    return [equal, holds !== is];
  }
  // A number was subtracted: a sum is zero for one number only.
  const number = test.operator === 'add' ? test.operands.find(isNumber) : undefined;
  const other = test.operands.find((operand) => operand !== number);
  if (number?.value !== undefined && other && test.operands.length === 2) {
    return [make('eq', [other, constant(MODULUS - number.value)]), !is];
  }
  return [isNeverZero(test) ? constant(1n) : test, is];
};
