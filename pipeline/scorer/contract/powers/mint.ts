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

/** Whether the path draws tokens of another contract from its caller. */
export const drawsFromCaller = ({ calls }: Path): boolean =>
  calls.some((call) => {
    const from = call.sent[1];
    return selectorSent(call) === TRANSFER_FROM && from !== undefined && isSender(from);
  });

/** Balances that grow while none shrinks. Where an account has two balances, one is set from the other. */
const grownBalances = (path: Path, { storage: { balances } }: ReadContract): AccountChange[] => {
  const changes = accountChanges(path, ({ name }) => balances.has(name));
  const others = changes.filter((one) => !isNobody(one));
  if (others.some((one) => one.change.kind === 'decrease' || isEmptied(one))) return [];
  return others.filter(
    ({ change }) => change.kind === 'increase' || (change.kind === 'set' && balances.size === 1),
  );
};

/** A path without the writes by which it closes itself until another way opens it again: the next one is planned. */
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
 * Whether tokens are given for coins: for those that came with the call, for what the path has found to be as much, or by the answer of another
 * contract that was given them.
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
  // Coins one for one, or a share of what the contract has.
  const isDeposit =
    amounts.every(({ operator }) => operator === 'callvalue') ||
    (dependsOn(amounts, 'callvalue') &&
      (dependsOn(amounts, 'selfbalance') || dependsOn(amounts, 'balance')));
  if ((isDeposit && contract.isRedeemable) || drawsFromCaller(path)) return 'mintedForDeposit';
  if (isClaim(path, grown, contract.storage)) return 'mintedAsClaim';
  const isPrivileged = contract.isPrivileged(path);
  // Whoever signs may do so as often as it likes; that no signature is taken twice bounds nothing.
  if (isPrivileged && checksSignature(path)) return 'mintedByPrivileged';
  // What everyone gets by the hour is a share that is handed out; who alone may mint is not held up by an hour.
  const isLater = contract.isPrivileged(path);
  const closing = withoutReopened(path, contract, expressions);
  const once = onceFor(closing, decisionsOf(path), expressions, isLater);
  if (once) return once === 'contract' ? 'mintedOnce' : 'mintedOncePerAccount';
  if (isPrivileged) return 'mintedByPrivileged';
  return isForCoins(path, amounts) ? 'mintedForPayment' : 'mintedByAnyone';
};

/** What is zero by what a path has decided: a condition that fails, or what it asks to be more than zero. */
const foundZero = (path: Path): ReadonlySet<Expression> =>
  new Set(
    decisionsOf(path).flatMap(({ test, is }) => {
      const [least, asked] = test.operands;
      const isPositive = test.operator === 'lt' && least?.value === 0n;
      return is ? [] : [isPositive && asked ? asked : test];
    }),
  );

/** Whether every amount is zero by what the path has decided: such a transfer moves nothing. */
const isNothing = (path: Path, amounts: readonly Expression[], all: Expressions): boolean => {
  const none = foundZero(path);
  const zero = all.constant(0n);
  const replace = (part: Expression) => (none.has(part) ? zero : undefined);
  return amounts.every((amount) => substitute(amount, replace, all).value === 0n);
};

/** Whether something that the call names is added to a number; not a field or a mark that is set beside others. */
const isAdded = ({ write, change }: AccountChange): boolean =>
  partsOf(write.value).some(
    ({ operator, operands }) =>
      operator === 'add' &&
      operands.some((one) => change.amounts.includes(one) && dependsOn([one], 'calldata')),
  );

/** Accounts of a contract that is no token: an amount of the call is noted down for somebody named. */
const isCredited = (path: Path, { isPrivileged }: ReadContract): boolean => {
  if (!isPrivileged(path)) return false;
  const changes = accountChanges(path, () => true);
  if (changes.some(({ change }) => change.kind === 'decrease')) return false;
  return changes.some(
    (one) => one.owner === 'named' && one.change.kind === 'increase' && isAdded(one),
  );
};

/** Whether new tokens are announced while another contract, which is called, keeps the balances. */
const isMintedElsewhere = ({ logs, calls }: Path): boolean =>
  calls.some(({ kind }) => kind !== 'staticcall') &&
  logs.some(
    ({ topics }) => topics[0]?.value === TRANSFER_TOPIC && topics[1]?.value === 0n && topics[2],
  );

/** Ways to create tokens of a contract that does not keep balances itself. */
const reasonsWithoutBalances = (path: Path, contract: ReadContract): Reason[] => {
  if (contract.isPrivileged(path) && isMintedElsewhere(path)) return ['mintedElsewhere'];
  return isCredited(path, contract) ? ['creditedByPrivileged'] : [];
};

/** Numbers put in for what is not known: what accounts have, what a call moves of it, rates and the like, and the share of a call's that is no rounding. */
const SAMPLE = { balance: 1n << 90n, moved: 1n << 80n, other: 2n, least: 1n << 70n };

/**
 * Whether a path adds more to some balances than it takes from others, by numbers put in for all that is not known. Balances that share
 * their places with other fields are left out.
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

/** Finds ways to create tokens: balances grow and none shrinks, or, in a transfer, by less. */
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
      // A transfer that writes two accounts keeps histories of balances, or numbers tokens: it moves.
      const moves = accounts.size > 1 || contract.isCollectible;
      if (MOVING_SELECTORS.has(selector) && moves) return [];
      return [found(mintReason(path, grown, contract, expressions))];
    }),
  );
