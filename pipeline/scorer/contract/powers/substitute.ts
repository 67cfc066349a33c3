import { asCondition, type Expression, type Expressions } from './expressions.ts';
import type { Decision, Path, StorageWrite } from './paths.ts';
import { placeOf } from './places.ts';
import { storageRead } from './token.ts';

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

/** How a condition stands once a write has happened; undefined where that depends on what is not known. */
export const testAfter = (
  test: Expression,
  { slot, value }: StorageWrite,
  expressions: Expressions,
): { after: Expression; holds: boolean | undefined } => {
  const { name } = placeOf(slot);
  const replace = (part: Expression) =>
    part.operator === 'sload' && storageRead(part).name === name ? value : undefined;
  const [after, is] = asCondition(substitute(test, replace, expressions), expressions);
  return { after, holds: after.value === undefined ? undefined : (after.value !== 0n) === is };
};

/** Whether a path makes one of its own conditions fail, so that it can be taken once only. */
export const isOnce = (
  path: Path,
  decisions: readonly Decision[],
  expressions: Expressions,
): boolean =>
  path.writes.some((write) =>
    decisions.some(({ test, is }) => {
      const { after, holds } = testAfter(test, write, expressions);
      return after !== test && holds !== undefined && holds !== is;
    }),
  );
