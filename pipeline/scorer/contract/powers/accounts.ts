import { type Expression, isPowerOfTwo } from './expressions.ts';
import { decisionsOf, type Path, type StorageWrite } from './paths.ts';
import { isSender } from './privilege.ts';
import { type Place, partsOf, placeOf, storageRead, type TokenStorage } from './storage.ts';

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
const changeOf = ({ slot, value }: StorageWrite): Change => {
  const terms = termsOf(value, slot);
  if (!terms) return { kind: 'set', amounts: [value] };
  const amounts = terms.map(({ term }) => term);
  if (amounts.length === 0) return { kind: 'same', amounts };
  const takes = terms.every(({ term, isNegative }) => isNegative !== isNegativeNumber(term));
  return { kind: takes ? 'decrease' : 'increase', amounts };
};

/** Whose balance changes: the caller's own, one that the call names, the contract's, or one that it knows. */
export type Owner = 'caller' | 'named' | 'contract' | 'known';

/** A write to a mapping under an account. */
export interface AccountChange {
  readonly place: Place;
  readonly account: Expression;
  readonly owner: Owner;
  readonly change: Change;
  readonly write: StorageWrite;
}

const comesWithCall = (one: Expression): boolean =>
  partsOf(one).some(({ operator }) => operator === 'calldata' || operator.startsWith('copied'));

/** Whether the path has found an account to be the caller. */
const isFoundCaller = (path: Path, account: Expression): boolean =>
  decisionsOf(path).some(
    ({ test, is }) =>
      is &&
      test.operator === 'eq' &&
      test.operands.includes(account) &&
      test.operands.some(isSender),
  );

export const ownerOf = (path: Path, account: Expression): Owner => {
  if (isSender(account) || isFoundCaller(path, account)) return 'caller';
  if (account.operator === 'self') return 'contract';
  return comesWithCall(account) ? 'named' : 'known';
};

/** What a path does to mappings under accounts that pass the test on their names. */
export const accountChanges = (path: Path, isWanted: (place: Place) => boolean): AccountChange[] =>
  path.writes.flatMap((write) => {
    const place = placeOf(write.slot);
    const account = place.keys[0];
    if (!account || !isWanted(place)) return [];
    const change = changeOf(write);
    if (change.kind === 'same') return [];
    return [{ place, account, owner: ownerOf(path, account), change, write }];
  });

/** Whether a path reads or uses an allowance. */
export const hasPermission = (
  path: Path,
  account: Expression,
  { allowances }: TokenStorage,
): boolean => {
  const names = partsOf(account).filter(({ value }) => value === undefined);
  const isPermission = (one: Expression): boolean => {
    if (one.operator !== 'sload') return false;
    const { name, keys } = storageRead(one);
    const isOwn = keys.some((key) => names.includes(key));
    return isOwn && (allowances.has(name) || (keys.length > 1 && keys.some(isSender)));
  };
  return (
    decisionsOf(path).some(({ test }) => partsOf(test).some(isPermission)) ||
    path.writes.some(({ value }) => partsOf(value).some(isPermission))
  );
};

/** Whether a signature is recovered on the way: the precompiled contract at address 1. */
export const checksSignature = ({ calls }: Path): boolean =>
  calls.some(({ to }) => to.value === 1n);
