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
 * Where the holder of a privilege is kept. `stored`: in a storage slot, at that bit offset. `entered`: under the
 * account, in a mapping; `enteredBy` lists who may make entries, per way to do so. `fixed`: in the code. `answered`:
 * another contract is asked.
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

/** The number that an expression has for one caller; undefined if it depends on something else unknown. */
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

/** The required caller, if a path compares the caller with this. */
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

/** Accounts with an entry in a mapping, from the read of the caller's entry. */
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

/** An account known to the contract: stored, in the code, or returned by another contract. */
export const isKnownAccount = (one: Expression): boolean =>
  partsOf(one).some(
    ({ operator, value }) =>
      operator === 'sload' ||
      operator.startsWith('returned') ||
      (value !== undefined && value >= CONSTANT_ADDRESS_MIN && value < 1n << 160n),
  ) && !partsOf(one).some(({ operator }) => operator === 'calldata');

/** The precompiled contract that recovers a signature's account. */
export const ECRECOVER = 1n;

/** Whether an expression is the account recovered from a signature. */
export const isRecovered = (path: Path, part: Expression): boolean =>
  part.operator.startsWith('returned') && callAnsweredBy(path, part)?.to.value === ECRECOVER;

/**
 * The account that the caller must be, or must have a signature of, according to a condition, if the contract knows
 * it.
 */
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

/** Mappings in which a condition requires an entry for the caller. */
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

/** Token functions that answer for any account: transfer, transferFrom, approve, balanceOf, allowance. */
const TOKEN_SELECTORS: ReadonlySet<bigint | undefined> = new Set([
  0xa9059cbbn,
  0x23b872ddn,
  0x095ea7b3n,
  0x70a08231n,
  0xdd62ed3en,
]);

/** First four bytes of a call's data; undefined if unknown. */
export const selectorSent = ({ sent }: ForeignCall): bigint | undefined => {
  const word = sent[0]?.value;
  return word === undefined ? undefined : word >> 224n;
};

/**
 * Whether another contract was asked about the caller, and its answer decides. A contract named by the caller may
 * answer anything.
 */
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

/** Whether a write removes an entry: zero, or the old value without a field. */
const isCleared = (value: Expression): boolean => {
  const [kept, mask] = value.operands;
  const isMasked = value.operator === 'and' && mask?.value !== undefined;
  return value.value === 0n || (isMasked && kept?.operator === 'sload');
};

/** Who may do what. */
export interface Privileges {
  /** Whether only some accounts can take this path through a function. */
  readonly isPrivileged: (path: Path) => boolean;
  /** Who can take it, according to conditions on the caller; several if all must hold. */
  readonly holdersOf: (path: Path) => Holder[];
  /** Whether a mapping holds entries that accounts made about themselves. */
  readonly isSelfGiven: (name: string) => boolean;
}

/**
 * A path is privileged if its caller must be an account known to the contract, or one that somebody else entered into
 * a mapping. A mapping into which callers enter themselves gives no privilege.
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
  /**
   * Accounts that may make entries in a mapping; none if more than the identity of the caller is required, as with
   * roles.
   */
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
