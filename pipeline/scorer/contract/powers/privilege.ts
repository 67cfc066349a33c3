import { keccakOfHex } from '../../simulation/evmCode.ts';
import type { Expression } from './expressions.ts';
import {
  callAnsweredBy,
  type Decision,
  decisionsOf,
  type ForeignCall,
  type Path,
} from './paths.ts';
import { partsOf, placeOf, storageRead, type TokenStorage } from './storage.ts';

/**
 * Where it is kept who has a privilege. `stored`: in a slot of storage, that many bits from its end. `entered`: under
 * the account, in a mapping; `enteredBy` has who may make entries, by each way to do so. `fixed`: in the code. `answered`: another contract is
 * asked.
 */
export type Holder =
  | NamedHolder
  | {
      readonly kind: 'entered';
      readonly slotOf: (account: bigint) => bigint | undefined;
      readonly enteredBy: readonly NamedHolder[];
    }
  | { readonly kind: 'answered' };
/** One account. */
export type NamedHolder =
  | { readonly kind: 'stored'; readonly slot: bigint; readonly shift: number }
  | { readonly kind: 'fixed'; readonly account: bigint };

const ADDRESS_MAX = 1n << 160n;
const WORD_DIGITS = 64;

/** The number that an expression comes to for one caller; undefined where something else is unknown. */
const evaluate = (one: Expression, caller: bigint): bigint | undefined => {
  if (one.value !== undefined) return one.value;
  if (one.operator === 'caller' || one.operator === 'origin') return caller;
  const operands = one.operands.map((operand) => evaluate(operand, caller));
  if (operands.length === 0 || operands.includes(undefined)) return undefined;
  const known = operands.map((operand) => operand ?? 0n);
  const [a = 0n, b = 0n] = known;
  switch (one.operator) {
    case 'keccak': {
      const words = known.map((word) => word.toString(16).padStart(WORD_DIGITS, '0'));
      return BigInt(keccakOfHex(`0x${words.join('')}`));
    }
    case 'add':
      return BigInt.asUintN(256, a + b);
    case 'and':
      return a & b;
    default:
      return undefined;
  }
};

/** Who must be the caller, where a path compares it with this. */
const holderOf = (account: Expression): NamedHolder | { readonly kind: 'answered' } => {
  if (account.value !== undefined && account.value < ADDRESS_MAX) {
    return { kind: 'fixed', account: account.value };
  }
  const parts = partsOf(account);
  const read = parts.find(({ operator }) => operator === 'sload');
  const slot = read?.operands[0]?.value;
  if (slot === undefined) return { kind: 'answered' };
  const divisor = parts.find(({ operator }) => operator === 'div')?.operands[1]?.value ?? 1n;
  return { kind: 'stored', slot, shift: divisor.toString(2).length - 1 };
};

/** Who has an entry in a mapping, by the read of the caller's own. */
const enteredUnder = (read: Expression, enteredBy: readonly NamedHolder[]): Holder => {
  const [slot] = read.operands;
  return {
    kind: 'entered',
    slotOf: (account) => (slot ? evaluate(slot, account) : undefined),
    enteredBy,
  };
};

const CONSTANT_ADDRESS_MIN = 1n << 32n;

export const isSender = ({ operator }: Expression): boolean =>
  operator === 'caller' || operator === 'origin';

/** An account that the contract knows: stored, written into the code, or returned by another contract. */
export const isKnownAccount = (one: Expression): boolean =>
  partsOf(one).some(
    ({ operator, value }) =>
      operator === 'sload' ||
      operator.startsWith('returned') ||
      (value !== undefined && value >= CONSTANT_ADDRESS_MIN && value < 1n << 160n),
  ) && !partsOf(one).some(({ operator }) => operator === 'calldata');

/** The precompiled contract that recovers a signature's account. */
export const ECRECOVER = 1n;

/** Whether it is the account that a signature was recovered to. */
export const isRecovered = (path: Path, part: Expression): boolean =>
  part.operator.startsWith('returned') && callAnsweredBy(path, part)?.to.value === ECRECOVER;

/** The account that a condition says the caller is, or has a signature of, where the contract knows it. */
const knownNamed = (path: Path, { test, is }: Decision): Expression | undefined => {
  if (!is || test.operator !== 'eq') return undefined;
  const acts = (one: Expression): boolean =>
    isSender(one) || [one, ...one.operands].some((part) => isRecovered(path, part));
  const other = test.operands.find((one) => !acts(one));
  return other && test.operands.some(acts) && isKnownAccount(other) ? other : undefined;
};

/** Whether a condition says what the hash of the caller is, and of nothing that comes with the call, as proofs of lists do. */
const isKnownByHash = ({ test, is }: Decision): boolean =>
  is &&
  test.operator === 'eq' &&
  test.operands.some((one) => {
    const parts = partsOf(one);
    const isGiven = parts.some(({ operator }) => operator === 'calldata');
    return one.operator === 'keccak' && parts.some(isSender) && !isGiven;
  });

/** A mapping, and the read of the caller's entry in it. */
interface AskedRole {
  readonly name: string;
  readonly read: Expression;
}

/** Mappings under the caller that a condition wants to be set. */
const rolesAsked = (
  { test, is }: Decision,
  { balances, allowances }: TokenStorage,
): AskedRole[] => {
  if (!is || test.operator === 'slt') return [];
  if (test.operator === 'lt' && test.operands[0]?.value !== 0n) return [];
  return partsOf(test)
    .filter(({ operator }) => operator === 'sload')
    .map((read) => ({ ...storageRead(read), read }))
    .filter(({ keys }) => keys.some(isSender))
    .filter(({ name }) => !balances.has(name) && !allowances.has(name));
};

/** What a token answers about everyone: transfer, transferFrom, approve, balanceOf, allowance. */
const TOKEN_SELECTORS: ReadonlySet<bigint | undefined> = new Set([
  0xa9059cbbn,
  0x23b872ddn,
  0x095ea7b3n,
  0x70a08231n,
  0xdd62ed3en,
]);

/** First four bytes that a call sends; undefined where they are not known. */
export const selectorSent = ({ sent }: ForeignCall): bigint | undefined => {
  const word = sent[0]?.value;
  return word === undefined ? undefined : word >> 224n;
};

/** Whether another contract was asked about the caller, and its answer decides. Whom the caller names may answer what it wants. */
const asksAboutCaller = (path: Path, { test, is }: Decision): boolean =>
  is &&
  partsOf(test)
    .filter(({ operator }) => operator.startsWith('returned'))
    .some((answer) => {
      const call = callAnsweredBy(path, answer);
      return (
        call !== undefined &&
        !partsOf(call.to).some(({ operator }) => operator === 'calldata') &&
        !TOKEN_SELECTORS.has(selectorSent(call)) &&
        call.sent.slice(1, 3).some((one) => one && isSender(one))
      );
    });

/** Whether a write takes an entry away: zero, or what was there without a field. */
const isCleared = (value: Expression): boolean => {
  const [kept, mask] = value.operands;
  const isMasked = value.operator === 'and' && mask?.value !== undefined;
  return value.value === 0n || (isMasked && kept?.operator === 'sload');
};

/** Who may do what. */
export interface Privileges {
  /** Whether only some accounts can go this way through a function. */
  readonly isPrivileged: (path: Path) => boolean;
  /** Who can go it, as far as conditions on the caller say; several where all must hold. */
  readonly holdersOf: (path: Path) => Holder[];
  /** Whether a mapping holds what accounts have entered about themselves. */
  readonly isSelfGiven: (name: string) => boolean;
}

/**
 * A path is privileged if its caller must be an account that the contract knows, or one that somebody else entered into a mapping. A
 * mapping into which callers enter themselves gives no privilege.
 */
export const privileges = (paths: readonly Path[], storage: TokenStorage): Privileges => {
  const selfGiven = new Set<string>();
  for (const path of paths) {
    const decisions = decisionsOf(path);
    if (decisions.some((one) => knownNamed(path, one))) continue;
    const asked = new Set(
      decisions.flatMap((one) => rolesAsked(one, storage)).map(({ name }) => name),
    );
    for (const { slot, value } of path.writes) {
      const { name, keys } = placeOf(slot);
      if (!isCleared(value) && keys.some(isSender) && !asked.has(name)) selfGiven.add(name);
    }
  }
  const known = new Map<Path, boolean>();
  const ask = (path: Path): boolean =>
    decisionsOf(path).some(
      (one) =>
        knownNamed(path, one) !== undefined ||
        isKnownByHash(one) ||
        asksAboutCaller(path, one) ||
        rolesAsked(one, storage).some(({ name }) => !selfGiven.has(name)),
    );
  /** Accounts that may make entries in a mapping; none where more than being that account is asked, as by roles. */
  const entererOf = (path: Path): NamedHolder[] => {
    const decisions = decisionsOf(path);
    const isRole = decisions.some((one) => rolesAsked(one, storage).length > 0);
    const named = decisions.flatMap((one) => knownNamed(path, one) ?? []).map(holderOf);
    const [account, ...others] = named.flatMap((one) => (one.kind === 'answered' ? [] : [one]));
    return account && !isRole && others.length === 0 ? [account] : [];
  };
  const enterersOf = (entered: string): NamedHolder[] =>
    paths
      .filter(({ writes }) =>
        writes.some(({ slot, value }) => placeOf(slot).name === entered && !isCleared(value)),
      )
      .flatMap(entererOf);
  const holdersOf = (path: Path): Holder[] =>
    decisionsOf(path).flatMap((one): Holder[] => {
      const account = knownNamed(path, one);
      if (account) return [holderOf(account)];
      if (isKnownByHash(one) || asksAboutCaller(path, one)) return [{ kind: 'answered' }];
      return rolesAsked(one, storage)
        .filter(({ name }) => !selfGiven.has(name))
        .map(({ name, read }) => enteredUnder(read, enterersOf(name)));
    });
  return {
    isPrivileged: (path) => {
      const is = known.get(path) ?? ask(path);
      known.set(path, is);
      return is;
    },
    holdersOf,
    isSelfGiven: (name) => selfGiven.has(name),
  };
};
