import type { Expression } from './expressions.ts';

/** A place of storage: which variable it belongs to, and under which keys, outermost mapping first. */
export interface Place {
  readonly name: string;
  readonly keys: readonly Expression[];
}

/** Slots that compilers number by hand of the source: others are hashes. */
const SLOT_MAX = 1n << 32n;

const isRoot = (one: Expression): boolean =>
  (one.value !== undefined && one.value < SLOT_MAX) ||
  one.operator === 'keccak' ||
  (one.operator === 'add' && one.operands.some(({ operator }) => operator === 'keccak'));

/**
 * Names the variable of a storage slot. Solidity hashes key, then slot; Vyper slot, then key; an array
 * lies behind the hash of its slot (Solidity documentation, “Layout of State Variables in Storage”).
 */
export const placeOf = (slot: Expression): Place => {
  if (slot.value !== undefined) return { name: slot.value.toString(16), keys: [] };
  const [a, b] = slot.operands;
  if (slot.operator === 'keccak' && a && !b) {
    const inner = placeOf(a);
    return { name: `array(${inner.name})`, keys: inner.keys };
  }
  if (slot.operator === 'keccak' && a && b && slot.operands.length === 2) {
    const [key, root] = isRoot(b) || !isRoot(a) ? [a, b] : [b, a];
    const inner = placeOf(root);
    return { name: `mapping(${inner.name})`, keys: [...inner.keys, key] };
  }
  if (slot.operator === 'add' && a && b) {
    const inner = placeOf(isRoot(a) || b.value !== undefined ? a : b);
    const other = isRoot(a) || b.value !== undefined ? b : a;
    if (other.value !== undefined) return { ...inner, name: `${inner.name}+${other.value}` };
    return { name: `${inner.name}[]`, keys: [...inner.keys, other] };
  }
  return { name: `?${slot.operator}`, keys: [slot] };
};

/** Every value that a value is made of, itself included, each once. */
export const partsOf = (root: Expression): Expression[] => {
  const seen = new Set<Expression>([root]);
  for (const one of seen) for (const operand of one.operands) seen.add(operand);
  return [...seen];
};
