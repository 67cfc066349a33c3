import { type Expression, isPowerOfTwo } from './expressions.ts';
import type { StorageWrite } from './paths.ts';
import { partsOf } from './places.ts';

/** What a write does to a number in storage. */
export interface Change {
  readonly kind: 'increase' | 'decrease' | 'set' | 'same';
  /** What is added, taken away or stored. */
  readonly amounts: readonly Expression[];
}

/** Adds up to more terms in no code that people write. */
const TERMS_MAX = 32;

interface Term {
  readonly term: Expression;
  readonly isNegative: boolean;
}

const isStored = (term: Expression, slot: Expression): boolean =>
  term.operator === 'sload' && term.operands[0] === slot;

/** Whether what was in a slot is a part of a value. */
const keeps = (value: Expression, slot: Expression): boolean =>
  partsOf(value).some((part) => isStored(part, slot));

/**
 * What is added to, and taken from, the number in a slot on the way to a new value. Masks and shifts of a
 * packed field are looked through. Undefined where the new value does not rest on the old one.
 */
const termsOf = (root: Expression, slot: Expression): Term[] | undefined => {
  const terms: Term[] = [];
  let value = root;
  while (!isStored(value, slot)) {
    if (terms.length > TERMS_MAX) return undefined;
    const [a, b] = value.operands;
    const next = value.operands.find((operand) => keeps(operand, slot));
    if (!a || !next) return undefined;
    const other = next === a ? b : a;
    const isSum = value.operator === 'add' || value.operator === 'sub';
    const isField = value.operator === 'or' || (value.operator === 'and' && b?.value !== undefined);
    const isShift = value.operator === 'mul' || value.operator === 'div';
    if (other && isSum) {
      if (value.operator === 'sub' && next !== a) return undefined;
      terms.push({ term: other, isNegative: value.operator === 'sub' });
    } else if (other && value.operator === 'or') {
      terms.push({ term: other, isNegative: false });
    } else if (!isField && !(isShift && b?.value !== undefined && isPowerOfTwo(b.value))) {
      return undefined;
    }
    value = next;
  }
  return terms;
};

const isNegativeNumber = ({ value }: Expression): boolean =>
  value !== undefined && value >= 1n << 255n;

/** Compares what is written with what was there. */
export const changeOf = ({ slot, value }: StorageWrite): Change => {
  const terms = termsOf(value, slot);
  if (!terms) return { kind: 'set', amounts: [value] };
  const amounts = terms.map(({ term }) => term);
  if (amounts.length === 0) return { kind: 'same', amounts };
  const takes = terms.every(({ term, isNegative }) => isNegative !== isNegativeNumber(term));
  return { kind: takes ? 'decrease' : 'increase', amounts };
};
