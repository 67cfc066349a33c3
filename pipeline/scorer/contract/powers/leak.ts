import {
  type AccountChange,
  accountChanges,
  type Change,
  checksSignature,
  hasOperator,
  hasPermission,
  isCallerFound,
  isClaim,
  isEmptied,
  isNobody,
  isSignedBy,
  isStored,
  ownerOf,
  placesSetAside,
} from './accounts.ts';
import type { Finding, ReadContract, Reason } from './evidence.ts';
import type { Expression, Expressions } from './expressions.ts';
import { decisionsOf, type ForeignCall, type Path, type StorageWrite } from './paths.ts';
import { isSender, selectorSent } from './privilege.ts';
import {
  MOVING_SELECTORS,
  partsOf,
  placeOf,
  SLOT_MAX,
  storageRead,
  type TokenStorage,
} from './storage.ts';
import { onceFor } from './substitute.ts';

const TRANSFER = 0xa9059cbbn;
const TRANSFER_FROM = 0x23b872ddn;
const APPROVE = 0x095ea7b3n;

/**
 * Published contracts, at the same address on every chain, that move tokens only with their holders' consent, and
 * that tokens allow to spend without an allowance: Permit2 (by signature; Solady's ERC-20), the vaults of Balancer 2
 * and 3 (by approval of a relayer; pool tokens), OpenSea's Seaport conduit (by signed order).
 */
const TRUSTED_SPENDERS: ReadonlySet<bigint> = new Set([
  0x000000000022d473030f116ddee9f6b43ac78ba3n,
  0xba12222222228d8ba445958a75a0704d566bf2c8n,
  0xba1333333333a1ba1108e8412f11850a5c319ba9n,
  0x1e0049783f008a0085193e00003d00cd54003c71n,
]);

/** Whether a path can make the contract call itself: the callee is itself, or an argument of the call. */
const mayCallItself = (path: Path): boolean =>
  path.calls.some(
    ({ kind, to }) => kind === 'call' && (to.operator === 'self' || ownerOf(path, to) === 'named'),
  );

/**
 * Whether somebody else has verified the holder's consent: only a trusted spender can take the path, or only the
 * contract itself, which calls itself only for signers (meta transactions, such as ERC-2771).
 */
const isConsentedElsewhere = (path: Path, { functions }: ReadContract): boolean =>
  isCallerFound(path, ({ value }) => value !== undefined && TRUSTED_SPENDERS.has(value)) ||
  (isCallerFound(path, ({ operator }) => operator === 'self') &&
    functions
      .flatMap(({ execution }) => execution.paths)
      .filter(mayCallItself)
      .every(checksSignature));

/** Whether tokens set aside in a holder's name can return to its balance. */
const comesBack = (place: string, { functions, storage }: ReadContract): boolean =>
  functions
    .flatMap(({ execution }) => execution.paths)
    .some((path) => {
      const changes = accountChanges(
        path,
        ({ name }) => name === place || storage.balances.has(name),
      );
      const [aside, free] = [true, false].map((is) =>
        changes.filter(({ place: { name } }) => (name === place) === is),
      );
      return (
        aside?.some((one) => one.change.kind === 'decrease' || isEmptied(one)) === true &&
        free?.some(({ change }) => change.kind === 'increase') === true
      );
    });

/**
 * Whether tokens taken from a holder's balance are kept for it, as another part of its holdings or to be returned: a
 * limit.
 */
const isKept = (path: Path, contract: ReadContract): boolean =>
  placesSetAside(path, contract.storage).some(
    (place) => contract.storage.balances.has(place) || comesBack(place, contract),
  );

/** Whether an account takes over the caller's whole balance: an owner passes its tokens to its successor. */
const takesOver = ({ change }: AccountChange, changes: readonly AccountChange[]): boolean =>
  changes.some(
    (other) =>
      other.owner === 'caller' &&
      isEmptied(other) &&
      change.amounts.some((amount) => isStored(amount, other.write.slot)),
  );

/** An external library has computed the new balance. */
const isAnswered = ({ amounts }: Change): boolean =>
  amounts.some((amount) => partsOf(amount).some(({ operator }) => operator.startsWith('returned')));

/** Subtracting a number is adding its complement. */
const areOpposite = (a: Expression, b: Expression): boolean =>
  a.value !== undefined && b.value !== undefined && BigInt.asUintN(256, a.value + b.value) === 0n;

/**
 * Whether the contract's own tokens go to somebody without a claim on them. If no other balance increases, for
 * example when a pool burns what was sent to it before, nobody receives anything.
 */
const isGift = (
  path: Path,
  from: AccountChange,
  changes: readonly AccountChange[],
  storage: TokenStorage,
): boolean => {
  const isLost = (part: Expression): boolean =>
    isEmptied(from)
      ? isStored(part, from.write.slot)
      : from.change.amounts.some((amount) => amount === part || areOpposite(amount, part));
  const grown = changes.filter(
    ({ account, change }) =>
      account !== from.account && change.amounts.some((one) => partsOf(one).some(isLost)),
  );
  return grown.length > 0 && !isClaim(path, grown, storage);
};

/** Whether a path has established that a slot is empty: writing to it takes nothing away. */
const isFoundEmpty = (path: Path, { slot }: StorageWrite): boolean =>
  decisionsOf(path).some(({ test, is }) => !is && isStored(test, slot));

/** Whether balances are only shares in the gains of another token: nobody can transfer any. */
const isTally = ({ functions }: ReadContract): boolean => {
  const transfers = functions.filter(({ selector }) => MOVING_SELECTORS.has(selector));
  const isRefused = transfers.every(
    ({ execution: { paths, dropped } }) => paths.length === 0 && dropped.length === 0,
  );
  return transfers.length > 0 && isRefused;
};

/** Whether a variable holds an account's amount, not the length of its history. */
const isBalance = (name: string, { balances }: TokenStorage): boolean =>
  balances.has(name) && ![...balances].some((other) => other.startsWith(`array(${name})`));

/** Balances that decrease although their owner is neither the caller nor has given permission. */
const takenReasons = (path: Path, isTransfer: boolean, contract: ReadContract): Reason[] => {
  const { storage, isPrivileged, isCollectible } = contract;
  if (isConsentedElsewhere(path, contract)) return [];
  const changes = accountChanges(path, ({ name }) => isBalance(name, storage));
  return changes.flatMap((one): Reason[] => {
    const { owner, account, change } = one;
    const isSet =
      change.kind === 'set' &&
      storage.balances.size === 1 &&
      !isAnswered(change) &&
      !isFoundEmpty(path, one.write) &&
      !takesOver(one, changes);
    if (
      isNobody(one) ||
      isCollectible ||
      owner === 'caller' ||
      !(change.kind === 'decrease' || isSet)
    )
      return [];
    if (hasPermission(path, account, storage)) return [];
    // What every transfer does with the contract's own tokens is part of how the token works.
    if (owner === 'contract')
      return isTransfer || !isGift(path, one, changes, storage) ? [] : ['contractTokensGiven'];
    if (owner === 'known') return isSet ? [] : ['knownAccountTokensGiven'];
    if (checksSignature(path)) return ['takenBySignature'];
    if (isPrivileged(path)) return isKept(path, contract) ? [] : ['takenByPrivileged'];
    return isSet ? [] : ['takenByAnyone'];
  });
};

/** Whether another contract, a library of sums, computed a new value from the old one. */
const isReckonedElsewhere = ({ calls }: Path, { slot, value }: StorageWrite): boolean =>
  partsOf(value).some(({ operator }) => operator.startsWith('returned')) &&
  calls.some(({ sent }) =>
    sent.some((one) => one && partsOf(one).some((part) => isStored(part, slot))),
  );

/**
 * Allowances increased by somebody other than their giver. A contract that lets a router spend its own tokens, to
 * sell collected fees or to open its pool, gives away nobody else's. A path that can be taken only once, before there
 * are holders, opens the pool.
 */
const raisesAllowance = (path: Path, contract: ReadContract, expressions: Expressions): boolean =>
  !isConsentedElsewhere(path, contract) &&
  accountChanges(path, ({ name }) => contract.storage.allowances.has(name)).some(
    ({ owner, account, change, write }) =>
      owner !== 'caller' &&
      owner !== 'contract' &&
      change.kind !== 'decrease' &&
      write.value.value !== 0n &&
      !isSignedBy(path, account) &&
      !isReckonedElsewhere(path, write) &&
      !hasOperator(path, account, contract.storage),
  ) &&
  onceFor(path, decisionsOf(path), expressions) !== 'contract';

/**
 * Whether the call can choose without bounds where a path writes in storage: the caller can overwrite any balance.
 */
const writesAnywhere = (path: Path): boolean =>
  path.writes.some(({ slot }) => {
    const parts = partsOf(slot);
    const given = parts.filter(({ operator }) => operator === 'calldata');
    const isHashed = parts.some(
      ({ operator, value }) =>
        /^keccak|^hash/.test(operator) || (value !== undefined && value > SLOT_MAX),
    );
    const isBounded = decisionsOf(path).some(({ test: { operator, operands }, is }) => {
      const lower = operands[is ? 0 : 1];
      return (
        operator === 'lt' &&
        lower !== undefined &&
        given.some((one) => partsOf(lower).includes(one))
      );
    });
    return given.length > 0 && !isHashed && !isBounded;
  });

/** Whether a call sends away coins other than those that came with it. */
const paysOut = ({ kind, value }: ForeignCall): boolean =>
  kind === 'call' && value !== undefined && value.value !== 0n && value.operator !== 'callvalue';

/** Whether a call moves another contract's tokens away from this one or from somebody else. */
const movesTokens = (call: ForeignCall): boolean => {
  const selector = selectorSent(call);
  if (call.kind !== 'call' || selector === undefined) return false;
  const from = call.sent[1];
  if (selector === TRANSFER_FROM) return from !== undefined && !isSender(from);
  return selector === TRANSFER || selector === APPROVE;
};

const callReasons = (path: Path, { isPrivileged, isCustody, storage }: ReadContract): Reason[] =>
  path.calls.flatMap((call): Reason[] => {
    const isAny = call.kind !== 'staticcall' && ownerOf(path, call.to) === 'named';
    const data = call.sent[0];
    if (isAny && data && ownerOf(path, data) === 'named') return ['callsAnything'];
    if (!paysOut(call) && !movesTokens(call)) return [];
    if (isPrivileged(path)) return [isCustody ? 'custodyWithdrawn' : 'strayWithdrawn'];
    if (!paysOut(call)) return [];
    return [storage.balances.size === 0 ? 'custodyPaidOut' : 'coinPaidOut'];
  });

/** Functions with which privileged callers store a chosen word, by variable. */
const settersOf = ({ functions, isPrivileged, holdersOf }: ReadContract) => {
  const setters = new Map<string, Pick<Finding, 'by' | 'holders'>>();
  for (const { selector, execution } of functions) {
    for (const path of execution.paths) {
      for (const { slot, value } of path.writes) {
        const isGiven = partsOf(value).some(({ operator }) => operator === 'calldata');
        if (!isGiven || slot.value === undefined || !isPrivileged(path)) continue;
        setters.set(placeOf(slot).name, { by: selector, holders: holdersOf(path) });
      }
    }
  }
  return setters;
};

/** Paths of a token that run privileged-set code on its own storage: that code can do anything. */
const settableCode = (contract: ReadContract): Finding[] => {
  if (contract.storage.balances.size === 0) return [];
  const setters = settersOf(contract);
  return contract.functions.flatMap(({ selector, execution }) =>
    execution.paths
      .flatMap(({ calls }) => calls.filter(({ kind }) => kind === 'delegatecall'))
      .flatMap(({ to }) => partsOf(to).filter(({ operator }) => operator === 'sload'))
      .flatMap((read): Finding[] => {
        const setter = setters.get(storageRead(read).name);
        return setter ? [{ reason: 'runsWhatIsSet', selector, ...setter }] : [];
      }),
  );
};

/** Finds ways to take or destroy what belongs to others. */
export const findLeak = (contract: ReadContract, expressions: Expressions): Finding[] => {
  const takenBy = isTally(contract) ? () => [] : takenReasons;
  return [
    ...settableCode(contract),
    ...contract.functions.flatMap(({ selector, execution }) =>
      execution.paths.flatMap((path) => {
        const isTransfer = MOVING_SELECTORS.has(selector);
        const reasons = [...takenBy(path, isTransfer, contract), ...callReasons(path, contract)];
        if (raisesAllowance(path, contract, expressions)) reasons.push('allowedForOthers');
        if (path.destroys) reasons.push('destroyed');
        if (writesAnywhere(path)) reasons.push('writesAnywhere');
        const holders = reasons.length > 0 ? contract.holdersOf(path) : [];
        return reasons.map((reason) => ({ reason, selector, holders }));
      }),
    ),
  ];
};
