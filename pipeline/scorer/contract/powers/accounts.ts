import { type Expression, isNegativeNumber, isPowerOfTwo } from './expressions.ts';
import { decisionsOf, type ForeignCall, type Path, type StorageWrite } from './paths.ts';
import { ECRECOVER, isRecovered, isSender, selectorSent } from './privilege.ts';
import {
  isHistory,
  type Place,
  partsOf,
  placeOf,
  storageRead,
  type TokenStorage,
} from './storage.ts';

/** The effect of a write on a number in storage. */
export interface Change {
  readonly kind: 'increase' | 'decrease' | 'set' | 'same';
  /** The amount added, subtracted or stored. */
  readonly amounts: readonly Expression[];
}

/** Maximum terms of a sum: no real code has more. */
const TERMS_MAX = 32;

interface Term {
  readonly term: Expression;
  readonly isNegative: boolean;
}

/** Whether a term is the old value of a slot, or of another element in an account's history. */
export const isStored = (term: Expression, slot: Expression): boolean => {
  if (term.operator !== 'sload') return false;
  if (term.operands[0] === slot) return true;
  const place = placeOf(slot);
  if (!isHistory(place)) return false;
  const other = storageRead(term);
  return place.name === other.name && place.keys[0] === other.keys[0];
};

/** Whether the old value of a slot is part of a value. */
const keeps = (value: Expression, slot: Expression): boolean =>
  partsOf(value).some((part) => isStored(part, slot));

/** The fields of a slot besides the written one: the old value, masked. */
const isNeighbour = ({ operator, operands }: Expression, slot: Expression): boolean =>
  operator === 'and' &&
  operands.some((one) => isStored(one, slot)) &&
  operands.some(({ value }) => value !== undefined);

/**
 * What is added to and subtracted from the number in a slot to form a new value. Masks and shifts of a packed field,
 * and its neighbouring fields, are ignored. Undefined if the new value does not depend on the old one.
 */
const termsOf = (root: Expression, slot: Expression): Term[] | undefined => {
  const terms: Term[] = [];
  let value = root;
  while (!isStored(value, slot)) {
    if (terms.length > TERMS_MAX) return undefined;
    const [a, b] = value.operands;
    const kept = value.operands.filter((operand) => keeps(operand, slot));
    const next = kept.find((one) => !isNeighbour(one, slot)) ?? kept[0];
    if (!a || !next) return undefined;
    const other = next === a ? b : a;
    const isSum = value.operator === 'add' || value.operator === 'sub';
    const isField = value.operator === 'or' || (value.operator === 'and' && b?.value !== undefined);
    const isShift = value.operator === 'mul' || value.operator === 'div';
    if (other && isSum) {
      if (value.operator === 'sub' && next !== a) return undefined;
      terms.push({ term: other, isNegative: value.operator === 'sub' });
    } else if (other && value.operator === 'or') {
      // A term that does not replace an old number is another field of the slot.
      const isPut = !kept.includes(other) && (isNeighbour(next, slot) || isStored(next, slot));
      if (isPut) terms.push({ term: other, isNegative: false });
    } else if (!isField && !(isShift && b?.value !== undefined && isPowerOfTwo(b.value))) {
      return undefined;
    }
    value = next;
  }
  return terms;
};

/** Compares the written value with the old one. */
const changeOf = ({ slot, value }: StorageWrite): Change => {
  const terms = termsOf(value, slot);
  if (!terms) return { kind: 'set', amounts: [value] };
  const amounts = terms.map(({ term }) => term);
  if (amounts.length === 0) return { kind: 'same', amounts };
  const takes = terms.every(({ term, isNegative }) => isNegative !== isNegativeNumber(term));
  return { kind: takes ? 'decrease' : 'increase', amounts };
};

/**
 * Whose balance changes: the caller's own, one named in the call, the contract's, or one known to the contract.
 */
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

/** Whether the path has established that the caller is an account that passes the test. */
export const isCallerFound = (path: Path, isWanted: (account: Expression) => boolean): boolean =>
  decisionsOf(path).some(
    ({ test, is }) =>
      is && test.operator === 'eq' && test.operands.some(isSender) && test.operands.some(isWanted),
  );

export const ownerOf = (path: Path, account: Expression): Owner => {
  if (isSender(account) || isCallerFound(path, (one) => one === account)) return 'caller';
  if (account.operator === 'self') return 'contract';
  return comesWithCall(account) ? 'named' : 'known';
};

/** Writes of a path to mappings under accounts whose names pass the test. */
export const accountChanges = (path: Path, isWanted: (place: Place) => boolean): AccountChange[] =>
  path.writes.flatMap((write) => {
    const place = placeOf(write.slot);
    const account = place.keys[0];
    if (!account || !isWanted(place)) return [];
    const change = changeOf(write);
    if (change.kind === 'same') return [];
    return [{ place, account, owner: ownerOf(path, account), change, write }];
  });

/** Whether a number becomes zero. */
export const isEmptied = ({ change, write }: AccountChange): boolean =>
  change.kind === 'set' && write.value.value === 0n;

/** Whether the changed balance is nobody's: tokens taken from it are minted. */
export const isNobody = ({ account }: AccountChange): boolean => account.value === 0n;

export const dependsOn = (amounts: readonly Expression[], operator: string): boolean =>
  amounts.some((amount) => partsOf(amount).some((part) => part.operator === operator));

/**
 * Whether tokens return that were recorded for the account before: its other entry decreases by the same amount, or
 * the amount is read from its own entries only.
 */
export const isClaim = (
  path: Path,
  grown: readonly AccountChange[],
  { balances }: TokenStorage,
): boolean => {
  const amounts = grown.flatMap(({ change }) => change.amounts);
  if (dependsOn(amounts, 'callvalue')) return false;
  const others = accountChanges(path, ({ name }) => !balances.has(name));
  const isMoved = others.some(
    ({ place, change }) =>
      change.kind === 'decrease' &&
      grown.some(({ account }) => place.keys.includes(account)) &&
      change.amounts.every((amount) => amounts.includes(amount)),
  );
  if (isMoved) return true;
  const isNoted = (part: Expression, account: Expression): boolean => {
    if (part.operator !== 'sload') return false;
    const { name, keys } = storageRead(part);
    return !balances.has(name) && keys.includes(account);
  };
  return grown.every(({ account, change }) =>
    change.amounts.some((amount) => partsOf(amount).some((part) => isNoted(part, account))),
  );
};

/** Whether a number of an account increases by the amount that another one of it loses. */
const receives = ({ place, account, change }: AccountChange, from: AccountChange): boolean => {
  // A history whose length grows gives its account nothing.
  const isSame = [place.name, `array(${place.name})`].includes(from.place.name);
  if (account !== from.account || isSame) return false;
  if (change.kind === 'decrease') return false;
  const isLost = (amount: Expression): boolean =>
    isEmptied(from) ? isStored(amount, from.write.slot) : from.change.amounts.includes(amount);
  return (change.kind === 'increase' && !isEmptied(from)) || change.amounts.some(isLost);
};

/**
 * The variables that receive, in the account's own name, tokens from the balance of an account named in the call.
 */
export const placesSetAside = (path: Path, { balances }: TokenStorage): string[] => {
  const changes = accountChanges(path, () => true).filter(({ owner }) => owner === 'named');
  const shrunk = changes.filter(
    (one) => balances.has(one.place.name) && (one.change.kind === 'decrease' || isEmptied(one)),
  );
  return changes
    .filter((one) => shrunk.some((from) => receives(one, from)))
    .map(({ place }) => place.name);
};

/** Whether a path reads an entry under an account that passes the test. */
const readsEntry = (
  path: Path,
  account: Expression,
  isWanted: (place: Place) => boolean,
): boolean => {
  const names = partsOf(account).filter(({ value }) => value === undefined);
  const isEntry = (one: Expression): boolean => {
    if (one.operator !== 'sload') return false;
    const place = storageRead(one);
    return place.keys.some((key) => names.includes(key)) && isWanted(place);
  };
  return (
    decisionsOf(path).some(({ test }) => partsOf(test).some(isEntry)) ||
    path.writes.some(({ value }) => partsOf(value).some(isEntry))
  );
};

const isAboutCaller = ({ keys }: Place): boolean => keys.length > 1 && keys.some(isSender);

/** Whether an account has made the caller its operator for all its tokens (as in ERC-777). */
export const hasOperator = (path: Path, account: Expression, { allowances }: TokenStorage) =>
  readsEntry(path, account, (place) => !allowances.has(place.name) && isAboutCaller(place));

/** Whether a path reads or uses an allowance, or the caller is the account's operator. */
export const hasPermission = (path: Path, account: Expression, { allowances }: TokenStorage) =>
  readsEntry(path, account, (place) => allowances.has(place.name) || isAboutCaller(place));

/** `isValidSignature(bytes32,bytes)` of ERC-1271. */
const IS_VALID_SIGNATURE = 0x1626ba7en;
/** First bytes of what is signed by EIP-712. */
const TYPED_DATA_PREFIX = 0x1901n;

const isTypedData = ({ operator, operands }: Expression): boolean => {
  const first = operands[0]?.value;
  return operator.startsWith('hash') && first !== undefined && first >> 240n === TYPED_DATA_PREFIX;
};

/** Whether a call passes a signature to a library, or to the account that is said to have signed. */
const isAskedAboutSignature = (call: ForeignCall): boolean =>
  selectorSent(call) === IS_VALID_SIGNATURE ||
  call.sent.slice(1).some((one) => one && partsOf(one).some(isTypedData));

/**
 * Whether the path verifies a signature: by recovering its account, or by passing it to a library or to the signing
 * account.
 */
export const checksSignature = ({ calls }: Path): boolean =>
  calls.some((call) => call.to.value === ECRECOVER || isAskedAboutSignature(call));

/** Whether the signature that is checked must be the account's own: it is the one recovered, or found to be the same. */
export const isSignedBy = (path: Path, account: Expression): boolean => {
  if (path.calls.some(isAskedAboutSignature)) return true;
  const isSigner = (part: Expression): boolean => isRecovered(path, part);
  const own = partsOf(account).filter(({ value }) => value === undefined);
  return (
    own.some(isSigner) ||
    decisionsOf(path).some(({ test, is }) => {
      const parts = partsOf(test);
      // Without `eq` two accounts are compared by a difference.
      const isSame = is === (test.operator === 'eq');
      return isSame && parts.some(isSigner) && parts.some((part) => own.includes(part));
    })
  );
};
