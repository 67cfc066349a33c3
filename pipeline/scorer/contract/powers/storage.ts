import { type Expression, isNegativeNumber } from './expressions.ts';
import type { Execution, Path } from './paths.ts';

/** A storage location: its variable, and its keys, outermost mapping first. */
export interface Place {
  readonly name: string;
  readonly keys: readonly Expression[];
}

/** Slots that compilers assign by declaration order: others are hashes. */
export const SLOT_MAX = 1n << 32n;

const isRoot = (one: Expression): boolean =>
  (one.value !== undefined && one.value < SLOT_MAX) ||
  one.operator === 'keccak' ||
  (one.operator === 'add' && one.operands.some(({ operator }) => operator === 'keccak'));

/**
 * Whether a location is in an account's own list: its elements are named after the first, with a changing index.
 */
export const isHistory = ({ name, keys }: Place): boolean =>
  name.startsWith('array(mapping') && keys.length === 1;

const nameOf = (slot: Expression): Place => {
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
    if (isHistory(inner) && (other.value === undefined || isNegativeNumber(other))) return inner;
    if (other.value !== undefined) return { ...inner, name: `${inner.name}+${other.value}` };
    return { name: `${inner.name}[]`, keys: [...inner.keys, other] };
  }
  return { name: `?${slot.operator}`, keys: [slot] };
};

/** Equal slots are one object, which is queried thousands of times. */
const places = new WeakMap<Expression, Place>();

/**
 * Names the variable of a storage slot. Solidity hashes key, then slot; Vyper slot, then key; an array starts at the
 * hash of its slot (Solidity documentation, “Layout of State Variables in Storage”).
 */
export const placeOf = (slot: Expression): Place => {
  const place = places.get(slot) ?? nameOf(slot);
  places.set(slot, place);
  return place;
};

/** Every subexpression of a value, itself included, each once. */
export const partsOf = (root: Expression): Expression[] => {
  const seen = new Set<Expression>([root]);
  for (const one of seen) for (const operand of one.operands) seen.add(operand);
  return [...seen];
};

/** One function of a contract with the paths through it. */
export interface ContractFunction {
  /** Eight hexadecimal digits; `fallback` for any other selector, `receive` for none. */
  readonly selector: string;
  readonly execution: Execution;
}

/** Where a contract keeps balances and allowances. */
export interface TokenStorage {
  /** Variables that `balanceOf` reads. Several if only some accounts share in fees. */
  readonly balances: ReadonlySet<string>;
  /** Variables that `allowance` reads. */
  readonly allowances: ReadonlySet<string>;
  /** Variables that `ownerOf` reads, if tokens have numbers and one owner each (ERC-721). */
  readonly owners: ReadonlySet<string>;
  /**
   * The result of `totalSupply`: a number, or the read of a variable that only ever increases or decreases. A
   * variable that can be set says nothing about the number of tokens.
   */
  readonly supply: Expression | undefined;
}

const BALANCE_OF = '70a08231';
const TOTAL_SUPPLY = '18160ddd';
const OWNER_OF = '6352211e';
const ALLOWANCE = 'dd62ed3e';
export const APPROVE = '095ea7b3';
export const TRANSFER = 'a9059cbb';
export const TRANSFER_FROM = '23b872dd';
export const TRANSFER_TOPIC = 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3efn;

export const MOVING_SELECTORS: ReadonlySet<string> = new Set([TRANSFER, TRANSFER_FROM]);

const readsOf = (root: Expression | undefined): Expression[] =>
  root ? partsOf(root).filter(({ operator }) => operator === 'sload') : [];

export const storageRead = (one: Expression) => placeOf(one.operands[0] ?? one);

/** Mappings with this number of keys on which a function's result depends. */
const answeredFrom = (functions: readonly ContractFunction[], selector: string, keys: number) => {
  const paths = functions.find((one) => one.selector === selector)?.execution.paths ?? [];
  const reads = paths.flatMap(({ returned }) => readsOf(returned[0])).map(storageRead);
  return reads.filter((place) => place.keys.length === keys).map(({ name }) => name);
};

/** Mappings that change under an account named in a Transfer event of the same path. */
const movedWithEvents = (paths: readonly Path[]): string[] =>
  paths.flatMap(({ logs, writes }) => {
    const named = logs
      .filter(({ topics }) => topics[0]?.value === TRANSFER_TOPIC)
      .flatMap(({ topics }) => topics.slice(1));
    const places = writes.map(({ slot }) => placeOf(slot));
    return places
      .filter(({ keys }) => keys.length === 1 && keys[0] && named.includes(keys[0]))
      .map(({ name }) => name);
  });

/** Whether transfers write to one of some variables. */
const areMoved = (functions: readonly ContractFunction[], names: readonly string[]): boolean =>
  functions
    .filter(({ selector }) => MOVING_SELECTORS.has(selector))
    .flatMap(({ execution }) => execution.paths)
    .some(({ writes }) => writes.some(({ slot }) => names.includes(placeOf(slot).name)));

const SUMS: ReadonlySet<string> = new Set(['add', 'sub']);

const supplyOf = (functions: readonly ContractFunction[]): Expression | undefined => {
  const paths = functions.find(({ selector }) => selector === TOTAL_SUPPLY)?.execution.paths ?? [];
  const [answer, ...others] = new Set(paths.map(({ returned }) => returned[0]));
  if (others.length > 0 || !answer) return undefined;
  if (answer.value !== undefined) return answer;
  if (answer.operator !== 'sload') return undefined;
  const { name } = storageRead(answer);
  const written = functions
    .flatMap(({ execution }) => execution.paths)
    .flatMap(({ writes }) => writes)
    .filter(({ slot }) => placeOf(slot).name === name);
  const isCounted = written.every(
    ({ value }) => SUMS.has(value.operator) && value.operands.includes(answer),
  );
  return isCounted ? answer : undefined;
};

/**
 * Finds the balances of a token: by `balanceOf`; if there is none, or transfers write elsewhere than it reads, by
 * what changes together with Transfer events.
 */
export const tokenStorage = (functions: readonly ContractFunction[]): TokenStorage => {
  const answered = answeredFrom(functions, BALANCE_OF, 1);
  const paths = functions.flatMap(({ execution }) => execution.paths);
  const isEnough = answered.length > 0 && areMoved(functions, answered);
  return {
    balances: new Set(isEnough ? answered : [...answered, ...movedWithEvents(paths)]),
    allowances: new Set(answeredFrom(functions, ALLOWANCE, 2)),
    owners: new Set(answeredFrom(functions, OWNER_OF, 1)),
    supply: supplyOf(functions),
  };
};
