import {
  asCondition,
  type Expression,
  type Expressions,
  earlierOf,
  isClock,
} from './expressions.ts';
import type { Decision, Path, StorageWrite } from './paths.ts';
import { placeOf, storageRead } from './storage.ts';

/** A value with some parts replaced by other values, simplified again. */
export const substitute = (
  root: Expression,
  replace: (part: Expression) => Expression | undefined,
  { make }: Expressions,
): Expression => {
  const done = new Map<Expression, Expression>();
  const rebuild = (one: Expression): Expression => {
    const known = done.get(one) ?? replace(one);
    if (known) return known;
    const operands = one.operands.map(rebuild);
    const isSame = operands.every((operand, i) => operand === one.operands[i]);
    const built = isSame ? one : make(one.operator, operands);
    done.set(one, built);
    return built;
  };
  return rebuild(root);
};

/**
 * The outcome of a condition in a later call after a write; undefined if it depends on unknown values.
 * @param isLater whether time has passed since
 */
export const testAfter = (
  test: Expression,
  { slot, value }: StorageWrite,
  expressions: Expressions,
  isLater = true,
): { after: Expression; holds: boolean | undefined } => {
  const { name } = placeOf(slot);
  const written = isLater
    ? substitute(value, (part) => earlierOf(part, expressions), expressions)
    : value;
  const replace = (part: Expression) =>
    part.operator === 'sload' && storageRead(part).name === name ? written : undefined;
  const [after, is] = asCondition(substitute(test, replace, expressions), expressions);
  return { after, holds: after.value === undefined ? undefined : (after.value !== 0n) === is };
};

/** Whether a condition requires a variable to be still zero. */
export const asksForZero = ({ test, is }: Decision): boolean => {
  const field = test.operator === 'and' ? (test.operands[0] ?? test) : test;
  return !is && field.operator === 'sload';
};

/** Whether a condition requires a future time: what was written then is a record, and closes nothing. */
const asksForFuture = ({ test, is }: Decision): boolean =>
  is && test.operator === 'lt' && test.operands[0] !== undefined && isClock(test.operands[0]);

/**
 * How often a path can be taken that makes one of its own conditions fail, by setting a flag or writing a number that
 * had to be zero: once in total, or once per account. Undefined for all others.
 * @param isLater whether a path that can be repeated after some time counts as repeatable
 */
export const onceFor = (
  path: Path,
  decisions: readonly Decision[],
  expressions: Expressions,
  isLater = true,
): 'contract' | 'account' | undefined => {
  const closing = path.writes.filter((write) =>
    decisions.some((one) => {
      const { after, holds } = testAfter(one.test, write, expressions, isLater);
      if (after === one.test || asksForFuture(one)) return false;
      return holds === undefined ? asksForZero(one) : holds !== one.is;
    }),
  );
  if (closing.length === 0) return undefined;
  return closing.some(({ slot }) => placeOf(slot).keys.length === 0) ? 'contract' : 'account';
};
