import {
  asCondition,
  type Expression,
  type Expressions,
  earlierOf,
  isClock,
} from './expressions.ts';
import type { Decision, Path, StorageWrite } from './paths.ts';
import { placeOf, storageRead } from './storage.ts';

/** A value with other values put in the place of some of its parts, simplified anew. */
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

/** How a condition of a later call stands once a write has happened; undefined where that depends on what is not known. */
export const testAfter = (
  test: Expression,
  { slot, value }: StorageWrite,
  expressions: Expressions,
): { after: Expression; holds: boolean | undefined } => {
  const { name } = placeOf(slot);
  const written = substitute(value, (part) => earlierOf(part, expressions), expressions);
  const replace = (part: Expression) =>
    part.operator === 'sload' && storageRead(part).name === name ? written : undefined;
  const [after, is] = asCondition(substitute(test, replace, expressions), expressions);
  return { after, holds: after.value === undefined ? undefined : (after.value !== 0n) === is };
};

/** Whether a condition asks for a variable to be zero still. */
export const asksForZero = ({ test, is }: Decision): boolean => {
  const field = test.operator === 'and' ? (test.operands[0] ?? test) : test;
  return !is && field.operator === 'sload';
};

/** Whether a condition compares something with the time or height of the block: what was written then is a record, and closes nothing. */
const asksForTime = ({ operator, operands }: Expression): boolean =>
  operator === 'lt' && operands.some(isClock);

/**
 * How often a path can be taken that makes one of its own conditions fail, because a flag is set or a
 * number is written that had to be zero: once in all, or once for each account. Undefined for all others.
 */
export const onceFor = (
  path: Path,
  decisions: readonly Decision[],
  expressions: Expressions,
): 'contract' | 'account' | undefined => {
  const closing = path.writes.filter((write) =>
    decisions.some((one) => {
      const { after, holds } = testAfter(one.test, write, expressions);
      if (after === one.test || asksForTime(one.test)) return false;
      return holds === undefined ? asksForZero(one) : holds !== one.is;
    }),
  );
  if (closing.length === 0) return undefined;
  return closing.some(({ slot }) => placeOf(slot).keys.length === 0) ? 'contract' : 'account';
};
