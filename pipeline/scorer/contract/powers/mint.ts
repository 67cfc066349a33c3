import {
  type AccountChange,
  accountChanges,
  checksSignature,
  dependsOn,
  isClaim,
  isEmptied,
  isNobody,
} from './accounts.ts';
import type { Finding, ReadContract, Reason } from './evidence.ts';
import type { Expression, Expressions } from './expressions.ts';
import { callAnsweredBy, decisionsOf, type Path, type StorageWrite } from './paths.ts';
import { isSender, selectorSent } from './privilege.ts';
import { MOVING_SELECTORS, partsOf, placeOf, storageRead, TRANSFER_TOPIC } from './storage.ts';
import { onceFor, substitute, testAfter } from './substitute.ts';

const TRANSFER_FROM = 0x23b872ddn;

/** Whether the path draws another contract's tokens from its caller. */
export const drawsFromCaller = ({ calls }: Path): boolean =>
  calls.some((call) => {
    const from = call.sent[1];
    return selectorSent(call) === TRANSFER_FROM && from !== undefined && isSender(from);
  });

/**
 * Balances that increase while none decreases. If an account has two balances, one is computed from the other.
 */
const grownBalances = (path: Path, { storage: { balances } }: ReadContract): AccountChange[] => {
  const changes = accountChanges(path, ({ name }) => balances.has(name));
  const others = changes.filter((one) => !isNobody(one));
  if (others.some((one) => one.change.kind === 'decrease' || isEmptied(one))) return [];
  return others.filter(
    ({ change }) => change.kind === 'increase' || (change.kind === 'set' && balances.size === 1),
  );
};

/**
 * A path without the writes by which it closes itself until another path reopens it: the next use is then scheduled.
 */
const withoutReopened = (
  path: Path,
  { functions }: ReadContract,
  expressions: Expressions,
): Path => {
  const decisions = decisionsOf(path);
  const others = functions
    .flatMap(({ execution }) => execution.paths)
    .filter((other) => other !== path)
    .flatMap(({ writes }) => writes);
  const isReopened = ({ slot, value }: StorageWrite): boolean => {
    const { name, keys } = placeOf(slot);
    if (value.value !== 0n || keys.length > 0) return false;
    return others
      .filter((write) => placeOf(write.slot).name === name && write.value.value !== 0n)
      .some((write) =>
        decisions.some(({ test, is }) => {
          const { after, holds } = testAfter(test, write, expressions);
          return after !== test && holds !== !is;
        }),
      );
  };
  return { ...path, writes: path.writes.filter((write) => !isReopened(write)) };
};

/**
 * Whether tokens are given for coins: the coins that came with the call, an amount that the path found to be equal to
 * them, or the answer of another contract that received them.
 */
const isForCoins = (path: Path, amounts: readonly Expression[]): boolean => {
  const coins = new Set(
    decisionsOf(path)
      .filter(({ test, is }) => is && test.operator === 'eq' && dependsOn([test], 'callvalue'))
      .flatMap(({ test }) => test.operands)
      .filter(({ value }) => value === undefined),
  );
  const isPaid = (one: Expression | undefined): boolean =>
    one !== undefined &&
    partsOf(one).some((part) => part.operator === 'callvalue' || coins.has(part));
  return amounts
    .flatMap(partsOf)
    .flatMap((part) => {
      const call = part.operator.startsWith('returned') ? callAnsweredBy(path, part) : undefined;
      return call ? [part, call.value, ...call.sent] : [part];
    })
    .some(isPaid);
};

const mintReason = (
  path: Path,
  grown: readonly AccountChange[],
  contract: ReadContract,
  expressions: Expressions,
): Reason => {
  const amounts = grown.flatMap(({ change }) => change.amounts);
  // Coins one for one, or a share of the contract's holdings.
  const isDeposit =
    amounts.every(({ operator }) => operator === 'callvalue') ||
    (dependsOn(amounts, 'callvalue') &&
      (dependsOn(amounts, 'selfbalance') || dependsOn(amounts, 'balance')));
  if ((isDeposit && contract.isRedeemable) || drawsFromCaller(path)) return 'mintedForDeposit';
  if (isClaim(path, grown, contract.storage)) return 'mintedAsClaim';
  const isPrivileged = contract.isPrivileged(path);
  // A signer may sign any number of times; preventing reuse of a signature limits nothing.
  if (isPrivileged && checksSignature(path)) return 'mintedByPrivileged';
  // Tokens that everyone can get at intervals are a distribution; a waiting time does not restrain a single allowed
  // minter.
  const isLater = contract.isPrivileged(path);
  const closing = withoutReopened(path, contract, expressions);
  const once = onceFor(closing, decisionsOf(path), expressions, isLater);
  if (once) return once === 'contract' ? 'mintedOnce' : 'mintedOncePerAccount';
  if (isPrivileged) return 'mintedByPrivileged';
  return isForCoins(path, amounts) ? 'mintedForPayment' : 'mintedByAnyone';
};

/** Values that are zero by a path's decisions: a failed condition, or an upper bound of one. */
const foundZero = (path: Path): ReadonlySet<Expression> =>
  new Set(
    decisionsOf(path).flatMap(({ test, is }) => {
      const [least, asked] = test.operands;
      const isPositive = test.operator === 'lt' && least?.value === 0n;
      return is ? [] : [isPositive && asked ? asked : test];
    }),
  );

/** Whether every amount is zero by the path's decisions: such a transfer moves nothing. */
const isNothing = (path: Path, amounts: readonly Expression[], all: Expressions): boolean => {
  const none = foundZero(path);
  const zero = all.constant(0n);
  const replace = (part: Expression) => (none.has(part) ? zero : undefined);
  return amounts.every((amount) => substitute(amount, replace, all).value === 0n);
};

/** Whether an argument of the call is added to a number, not stored as a field or flag beside others. */
const isAdded = ({ write, change }: AccountChange): boolean =>
  partsOf(write.value).some(
    ({ operator, operands }) =>
      operator === 'add' &&
      operands.some((one) => change.amounts.includes(one) && dependsOn([one], 'calldata')),
  );

/** Accounts of a contract that is no token: an amount in the call is recorded for a named account. */
const isCredited = (path: Path, { isPrivileged }: ReadContract): boolean => {
  if (!isPrivileged(path)) return false;
  const changes = accountChanges(path, () => true);
  if (changes.some(({ change }) => change.kind === 'decrease')) return false;
  return changes.some(
    (one) => one.owner === 'named' && one.change.kind === 'increase' && isAdded(one),
  );
};

/** Whether new tokens are announced while another, called contract keeps the balances. */
const isMintedElsewhere = ({ logs, calls }: Path): boolean =>
  calls.some(({ kind }) => kind !== 'staticcall') &&
  logs.some(
    ({ topics }) => topics[0]?.value === TRANSFER_TOPIC && topics[1]?.value === 0n && topics[2],
  );

/** Ways to create tokens of a contract that does not keep the balances itself. */
const reasonsWithoutBalances = (path: Path, contract: ReadContract): Reason[] => {
  if (contract.isPrivileged(path) && isMintedElsewhere(path)) return ['mintedElsewhere'];
  return isCredited(path, contract) ? ['creditedByPrivileged'] : [];
};

/**
 * Sample numbers for unknown values: balances, amounts of a call, rates, and the share of an amount that exceeds
 * rounding.
 */
const SAMPLE = { balance: 1n << 90n, moved: 1n << 80n, other: 2n, least: 1n << 70n };

/**
 * Whether a path adds more to some balances than it takes from others, tested with sample numbers for all unknown
 * values. Balances packed with other fields are left out.
 */
const addsMore = (path: Path, { storage }: ReadContract, all: Expressions): boolean => {
  const { balances } = storage;
  const changes = accountChanges(path, ({ name }) => balances.has(name));
  const isPlain = ({ write, change }: AccountChange): boolean =>
    change.kind !== 'set' && !partsOf(write.value).some(({ operator }) => operator === 'or');
  if (balances.size !== 1 || !changes.every(isPlain)) return false;
  const none = foundZero(path);
  const numberFor = (part: Expression): Expression | undefined => {
    const { operator, operands, value } = part;
    if (none.has(part)) return all.constant(0n);
    if (operator === 'calldata') return all.constant(SAMPLE.moved);
    const isRead = operator === 'sload';
    if (isRead && balances.has(storageRead(part).name)) return all.constant(SAMPLE.balance);
    const isUnknown = isRead || operator.startsWith('memory') || operands.length === 0;
    return isUnknown && value === undefined ? all.constant(SAMPLE.other) : undefined;
  };
  const more = changes.reduce((sum, { write: { slot, value } }) => {
    const added = all.make('sub', [value, all.make('sload', [slot])]);
    return all.make('add', [sum, substitute(added, numberFor, all)]);
  }, all.constant(0n));
  return more.value !== undefined && BigInt.asIntN(256, more.value) > SAMPLE.least;
};

/** Finds ways to create tokens: balances increase and none decreases, or, in a transfer, by less. */
export const findMint = (contract: ReadContract, expressions: Expressions): Finding[] =>
  contract.functions.flatMap(({ selector, execution }) =>
    execution.paths.flatMap((path): Finding[] => {
      const found = (reason: Reason): Finding => ({
        reason,
        selector,
        holders: contract.holdersOf(path),
      });
      if (contract.storage.balances.size === 0)
        return reasonsWithoutBalances(path, contract).map(found);
      const grown = grownBalances(path, contract).filter(
        ({ change }) => !isNothing(path, change.amounts, expressions),
      );
      if (grown.length === 0) {
        if (!MOVING_SELECTORS.has(selector) || !addsMore(path, contract, expressions)) return [];
        return [found(contract.isPrivileged(path) ? 'mintedByPrivileged' : 'mintedByAnyone')];
      }
      const accounts = new Set(grown.map(({ account }) => account));
      // A transfer that writes two accounts keeps balance histories, or numbers tokens: it moves tokens.
      const moves = accounts.size > 1 || contract.isCollectible;
      if (MOVING_SELECTORS.has(selector) && moves) return [];
      return [found(mintReason(path, grown, contract, expressions))];
    }),
  );
