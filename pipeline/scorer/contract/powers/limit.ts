import { accountChanges, placesSetAside } from './accounts.ts';
import type { Finding, ReadContract, Reason } from './evidence.ts';
import { type Expression, type Expressions, WORD_MAX } from './expressions.ts';
import { PAID } from './instructions.ts';
import { drawsFromCaller } from './mint.ts';
import {
  callAnsweredBy,
  type Decision,
  decisionsOf,
  type Execution,
  type Path,
  type Side,
  type StorageWrite,
  sideOf,
  type Way,
} from './paths.ts';
import { isKnownAccount, isSender } from './privilege.ts';
import {
  APPROVE,
  type ContractFunction,
  MOVING_SELECTORS,
  partsOf,
  placeOf,
  storageRead,
  type TokenStorage,
  TRANSFER,
  TRANSFER_FROM,
} from './storage.ts';
import { asksForZero, substitute, testAfter } from './substitute.ts';

/** Parties of a transfer. */
interface Parties {
  readonly senders: readonly Expression[];
  readonly recipient: Expression | undefined;
}

const partiesOf = (selector: string, { make, constant }: Expressions): Parties => {
  const [caller, origin] = [make('caller'), make('origin')];
  const [first, second] = [make('calldata', [constant(4n)]), make('calldata', [constant(36n)])];
  if (selector === TRANSFER) return { senders: [caller, origin], recipient: first };
  if (selector === TRANSFER_FROM) return { senders: [first, caller, origin], recipient: second };
  return { senders: [caller, origin], recipient: undefined };
};

/** Whether a condition compares one of some accounts with one known to the contract. */
const comparesKnown = (test: Expression, accounts: readonly (Expression | undefined)[]): boolean =>
  test.operator === 'eq' &&
  test.operands.some((one) => accounts.includes(one)) &&
  test.operands.some((one) => !accounts.includes(one) && isKnownAccount(one));

/** Whether a condition depends on an entry about one of some accounts that others make. */
const asksForEntry = (
  { test, is }: Pick<Decision, 'test' | 'is'>,
  accounts: readonly Expression[],
  { storage, isSelfGiven }: ReadContract,
): boolean => {
  if (!is || test.operator === 'lt' || test.operator === 'slt') return false;
  return partsOf(test).some((part) => {
    if (part.operator !== 'sload') return false;
    const { name, keys } = storageRead(part);
    if (storage.balances.has(name) || storage.allowances.has(name)) return false;
    return keys.length === 1 && keys.some((key) => accounts.includes(key)) && !isSelfGiven(name);
  });
};

/** Decisions of a function that differ for accounts known to the contract or entered by others. */
const sidesForKnown = (
  { sides }: Execution,
  accounts: readonly Expression[],
  contract: ReadContract,
): ReadonlySet<number> =>
  new Set(
    sides
      .filter(
        (one) =>
          (one.is && comparesKnown(one.test, accounts)) || asksForEntry(one, accounts, contract),
      )
      .map(sideOf),
  );

/** Separates the paths that only senders known to the contract can take. */
const waysForKnown = (
  execution: Execution,
  { senders }: Parties,
  contract: ReadContract,
): ((way: Way) => boolean) => {
  const sides = sidesForKnown(execution, senders, contract);
  return (way) => decisionsOf(way).some((one) => sides.has(sideOf(one)));
};

/** Whether a path requires a recipient known to the contract. */
const isToKnown = (path: Path, { recipient }: Parties): boolean =>
  decisionsOf(path).some(({ test, is }) => is && comparesKnown(test, [recipient]));

/**
 * Separates paths that require certain recipients: one account, such as the pool, or those in one mapping, such as
 * fee-exempt ones. The condition says which.
 */
const recipientsOf = (
  execution: Execution,
  { recipient }: Parties,
  contract: ReadContract,
): ((way: Way) => Expression | undefined) => {
  const sides = sidesForKnown(execution, recipient ? [recipient] : [], contract);
  return (way) => decisionsOf(way).find((one) => sides.has(sideOf(one)))?.test;
};

const reachedBy = (paths: readonly Way[]): ReadonlySet<number> =>
  new Set(paths.flatMap((path) => decisionsOf(path).map(sideOf)));

/** Paths with the function's intended effect. */
interface Class {
  /** To one kind of recipients. */
  readonly paths: readonly Path[];
  /** The condition that distinguishes this kind. */
  readonly whose: Expression | undefined;
  /**
   * Paths of senders unknown to the contract; an entry about the recipient is a gate only if all of these depend on
   * it.
   */
  readonly ordinary: readonly Path[];
  /** An entry about the sender is a gate only if all depend on it. */
  readonly all: readonly Path[];
  /** Separates paths outside the class, as far as they were explored. */
  readonly isOther: (way: Way) => boolean;
  /** Separates the paths of senders known to the contract. */
  readonly isForKnown: (way: Way) => boolean;
}

/** Conditions with a side that never leads to the function's intended effect. */
const gatesOf = (
  { sides, dropped }: Execution,
  { paths, whose, ordinary, all, isOther, isForKnown }: Class,
  parties: Parties,
  contract: ReadContract,
): Side[] => {
  const [reached, byAll] = [reachedBy(paths), reachedBy(all)];
  const unknown = reachedBy(dropped.filter((way) => !isOther(way)));
  // An entry about the recipient forms a class of its own: unexplored paths may belong to either.
  const byOrdinary = reachedBy([...ordinary, ...dropped.filter((way) => !isForKnown(way))]);
  const recipients = parties.recipient ? [parties.recipient] : [];
  const accounts = [...parties.senders, ...recipients];
  return sides.filter(({ test, is }) => {
    const other = sideOf({ test, is: !is });
    if (!reached.has(sideOf({ test, is })) || unknown.has(other)) return false;
    if (test === whose || comparesKnown(test, accounts)) return false;
    const asks = (about: readonly Expression[]) =>
      asksForEntry({ test, is: true }, about, contract);
    if (asks(parties.senders)) return !byAll.has(other);
    return !(asks(recipients) ? byOrdinary : reached).has(other);
  });
};

/** Whether nobody can send to an account known to the contract. */
const refusesRecipient = (
  { sides, dropped }: Execution,
  ordinary: readonly Path[],
  { recipient }: Parties,
): boolean => {
  const [reached, unknown] = [reachedBy(ordinary), reachedBy(dropped)];
  return sides.some(
    (side) =>
      side.is &&
      !unknown.has(sideOf(side)) &&
      comparesKnown(side.test, [recipient]) &&
      !reached.has(sideOf(side)) &&
      ordinary.every((path) => decisionsOf(path).some(({ test }) => test === side.test)),
  );
};

/** Whether a variable holds balances or allowances: not a setting, whoever changes it. */
const isHolding = (name: string, { balances, allowances, owners }: TokenStorage): boolean =>
  balances.has(name) || allowances.has(name) || owners.has(name);

/** Operators that join comparisons, for example in overflow checks of signed sums. */
const JOINED: ReadonlySet<string> = new Set(['and', 'or', 'iszero', 'not']);

const isCompared = ({ operator, operands }: Expression): boolean =>
  operator === 'lt' ||
  operator === 'slt' ||
  (JOINED.has(operator) && operands.length > 0 && operands.every(isCompared));

/** Whether the setter rejects values that are too small or too large. */
const isBounded = (decisions: readonly Decision[], after: Expression): boolean => {
  const given = partsOf(after).filter(({ operator }) => operator === 'calldata');
  return decisions.some(
    ({ test }) => isCompared(test) && partsOf(test).some((part) => given.includes(part)),
  );
};

/** Whether the setter requires the variable to be still zero, for example the opening time of trading. */
const isEnteredOnce = (decisions: readonly Decision[], { slot }: StorageWrite): boolean =>
  decisions.some(
    (one) =>
      asksForZero(one) &&
      partsOf(one.test).some(
        (part) => part.operator === 'sload' && storageRead(part).name === placeOf(slot).name,
      ),
  );

/** An amount equal to the supply, for expressions that contain the supply. */
const ALL_TOKENS = 10n ** 27n;

/** Whether a setter makes the maximum amount equal to the supply: nobody has more, so nobody is refused. */
const allowsAll = (
  { test, is }: Side,
  write: StorageWrite,
  { supply }: TokenStorage,
  expressions: Expressions,
): boolean => {
  const [a, b] = test.operands;
  const [most, asked] = is ? [b, a] : [a, b];
  if (!supply || !most || !asked) return false;
  const { name } = placeOf(write.slot);
  const isSet = (part: Expression) => part.operator === 'sload' && storageRead(part).name === name;
  if (partsOf(asked).some((part) => part === supply || isSet(part))) return false;
  const all = supply.value ?? ALL_TOKENS;
  const written = substitute(most, (part) => (isSet(part) ? write.value : undefined), expressions);
  if (supply.value === undefined && !partsOf(written).includes(supply)) return false;
  const counted = substitute(
    written,
    (part) => (part === supply ? expressions.constant(all) : undefined),
    expressions,
  );
  return counted.value !== undefined && counted.value >= all;
};

/** Effect of another function's path on a gate. */
const effectOnGate = (
  gate: Side,
  path: Path,
  expressions: Expressions,
  storage: TokenStorage,
): Reason | undefined => {
  const decisions = decisionsOf(path);
  for (const write of path.writes) {
    if (isHolding(placeOf(write.slot).name, storage)) continue;
    const { after, holds } = testAfter(gate.test, write, expressions);
    if (after === gate.test) continue;
    if (holds === undefined) {
      if (!isCompared(gate.test)) return 'closedByPrivileged';
      const isHarmless =
        isBounded(decisions, after) ||
        isEnteredOnce(decisions, write) ||
        allowsAll(gate, write, storage, expressions);
      if (!isHarmless) return 'boundedByPrivileged';
    } else if (holds !== gate.is) return 'closedByPrivileged';
    else if (
      !isCompared(gate.test) &&
      !decisions.some(({ test, is }) => test === gate.test && is === gate.is)
    ) {
      return 'openedByPrivileged';
    }
  }
  return undefined;
};

/** Whether a condition is about a setting; not whether somebody accepts coins sent there. */
const readsSettings = (test: Expression, { storage }: ReadContract): boolean =>
  !test.operator.startsWith(PAID) &&
  partsOf(test).some(
    (part) => part.operator === 'sload' && !isHolding(storageRead(part).name, storage),
  );

/** Whether a transfer marks its recipient, for example a buyer who may then never sell. */
const marksRecipient = (
  gate: Side,
  path: Path,
  { recipient }: Parties,
  expressions: Expressions,
  storage: TokenStorage,
): boolean => {
  const writes = path.writes.filter(
    ({ slot }) => recipient !== undefined && placeOf(slot).keys.includes(recipient),
  );
  const reason = effectOnGate(gate, { ...path, writes }, expressions, storage);
  return !isCompared(gate.test) && reason === 'closedByPrivileged';
};

/** A write with accounts and amounts of the call left out: bookkeeping of the same kind has the same form. */
const formOf = ({ slot, value }: StorageWrite, expressions: Expressions): string => {
  const given = expressions.make('given');
  const forms = [slot, value].map((one) =>
    substitute(
      one,
      (part) => (part.operator === 'calldata' || isSender(part) ? given : undefined),
      expressions,
    ),
  );
  return forms.map(({ id }) => id).join(' ');
};

/**
 * A path that mints or moves tokens without bookkeeping of ordinary transfers, such as vote histories and dividend
 * shares: it only keeps books, and sets nothing.
 */
const withoutBooks = (
  path: Path,
  books: ReadonlySet<string>,
  contract: ReadContract,
  expressions: Expressions,
): Path =>
  movesBalances(path, contract)
    ? { ...path, writes: path.writes.filter((one) => !books.has(formOf(one, expressions))) }
    : path;

/** A finding without the name of its function. */
type Found = Omit<Finding, 'selector'>;

const plain = (reason: Reason): Found => ({ reason, holders: [] });

/** What privileged callers, or transfers from accounts known to the contract, can do to gates. */
const gateReasons = (
  gates: readonly Side[],
  { selector, execution }: ContractFunction,
  contract: ReadContract,
  expressions: Expressions,
): Found[] => {
  // Numbered tokens are compared with their count: neither an amount nor a time.
  const asked = gates.filter(
    ({ test }) => readsSettings(test, contract) && !(contract.isCollectible && isCompared(test)),
  );
  if (asked.length === 0) return [];
  const parties = partiesOf(selector, expressions);
  const isForKnown = waysForKnown(execution, parties, contract);
  const marking = execution.paths.filter(isForKnown);
  const books = new Set(
    execution.paths
      .filter((path) => !isForKnown(path))
      .flatMap(({ writes }) => writes.map((one) => formOf(one, expressions))),
  );
  const setters = contract.functions
    .filter((one) => one.selector !== selector && !MOVING_SELECTORS.has(one.selector))
    .flatMap((one) => one.execution.paths.map((path) => ({ by: one.selector, path })))
    .filter(({ path }) => path.writes.length > 0 && contract.isPrivileged(path))
    .map(({ by, path }) => ({ by, path: withoutBooks(path, books, contract, expressions) }));
  return asked.flatMap((gate) => [
    ...setters.flatMap(({ by, path }): Found[] => {
      const reason = effectOnGate(gate, path, expressions, contract.storage);
      return reason ? [{ reason, by, holders: contract.holdersOf(path) }] : [];
    }),
    ...marking
      .filter((path) => marksRecipient(gate, path, parties, expressions, contract.storage))
      .map((path): Found => ({ reason: 'closedByPrivileged', holders: contract.holdersOf(path) }))
      .toSorted((a, b) => b.holders.length - a.holders.length)
      .slice(0, 1),
  ]);
};

/** Whether a condition only checks that a result has the width of its type, as compilers' decoders do. */
const isOfType = ({ operator, operands: [a, b] }: Expression): boolean =>
  operator === 'eq' &&
  a !== undefined &&
  b !== undefined &&
  (partsOf(a).includes(b) || partsOf(b).includes(a));

/** Whether a condition prevents overflow, or a balance below the amount taken from it. */
const isArithmetic = (test: Expression, { balances }: TokenStorage): boolean =>
  isCompared(test) &&
  partsOf(test).some(
    (part) =>
      part.value === WORD_MAX ||
      (part.operator === 'sload' && balances.has(storageRead(part).name)),
  );

/** Whether a condition is another known contract's answer about the sender. */
const isAnswer = (
  { test }: Side,
  paths: readonly Path[],
  { senders }: Parties,
  storage: TokenStorage,
): boolean =>
  !isOfType(test) &&
  !isArithmetic(test, storage) &&
  partsOf(test)
    .filter(({ operator }) => operator.startsWith('returned'))
    .some((answer) =>
      paths
        .filter((path) => decisionsOf(path).some((one) => one.test === test))
        .flatMap((path) => callAnsweredBy(path, answer) ?? [])
        .some(
          ({ to, sent }) =>
            isKnownAccount(to) && sent.slice(1).some((one) => one && senders.includes(one)),
        ),
    );

const movesBalances = (path: Path, { storage }: ReadContract): boolean =>
  storage.balances.size === 0
    ? path.calls.some(({ kind }) => kind !== 'staticcall') || path.writes.length > 0
    : path.writes.some(({ slot }) => storage.balances.has(placeOf(slot).name));

/** Exits of a contract that is no token: the caller is paid, in coins or tokens. */
const paysCaller = (path: Path): boolean =>
  !drawsFromCaller(path) &&
  path.calls.some(
    ({ kind, to, sent, value }) =>
      kind === 'call' &&
      ((isSender(to) && value?.value !== 0n) || (sent[1] !== undefined && isSender(sent[1]))),
  );

/** Whether spenders registered in the contract, such as approved exchanges, can move every holder's tokens. */
const isOpenToEntered = (
  { selector, execution }: ContractFunction,
  paths: readonly Path[],
  contract: ReadContract,
  parties: Parties,
): boolean => {
  const [holder, caller] = parties.senders;
  if (selector !== TRANSFER_FROM) return false;
  const ofHolder = { senders: holder ? [holder] : [], recipient: undefined };
  const isForKnown = waysForKnown(execution, ofHolder, contract);
  return paths.some((path) => {
    const isOfOne = decisionsOf(path).some(({ test, is }) => is && comparesKnown(test, [caller]));
    return !isOfOne && !isToKnown(path, parties) && !isForKnown(path);
  });
};

const transferReasons = (
  one: ContractFunction,
  contract: ReadContract,
  expressions: Expressions,
): Found[] => {
  const { selector, execution } = one;
  const effective = execution.paths.filter((path) => movesBalances(path, contract));
  const parties = partiesOf(selector, expressions);
  const isForKnown = waysForKnown(execution, parties, contract);
  const ordinary = effective.filter((path) => !isForKnown(path));
  if (!ordinary.some((path) => !isToKnown(path, parties))) {
    if (effective.length === 0 || execution.dropped.length > 0) return [];
    const isEntered = isOpenToEntered(one, effective, contract, parties);
    return [plain(isEntered ? 'onlyEnteredSpend' : 'onlyKnownMove')];
  }
  const whoseOf = recipientsOf(execution, parties, contract);
  const reasons = [...new Set(ordinary.map(whoseOf))].flatMap((whose) => {
    // A path without conditions on the recipient is open to every kind.
    const paths = ordinary.filter((path) =>
      whose
        ? !decisionsOf(path).some(({ test, is }) => test === whose && !is)
        : whoseOf(path) === undefined,
    );
    const isOther = (way: Way): boolean =>
      isForKnown(way) || ![undefined, whose].includes(whoseOf(way));
    const gates = gatesOf(
      execution,
      { paths, whose, ordinary, all: effective, isOther, isForKnown },
      parties,
      contract,
    );
    const asked = gates.some((gate) => isAnswer(gate, paths, parties, contract.storage));
    const set = gateReasons(gates, one, contract, expressions);
    return asked ? [...set, plain('refusedElsewhere')] : set;
  });
  return refusesRecipient(execution, ordinary, parties)
    ? [...reasons, plain('recipientRefused')]
    : reasons;
};

/** Whether only accounts known to the contract can approve: others can never sell to a pool. */
const refusesApproval = (
  { selector, execution }: ContractFunction,
  contract: ReadContract,
  expressions: Expressions,
): boolean => {
  if (selector !== APPROVE) return false;
  const parties = partiesOf(selector, expressions);
  const keeping = execution.paths.filter(({ writes }) =>
    writes.some(({ slot }) => contract.storage.allowances.has(placeOf(slot).name)),
  );
  return keeping.length > 0 && keeping.every(waysForKnown(execution, parties, contract));
};

/** The variables from which a transfer deducts the caller's amount. */
const spentPlaces = ({ functions, storage }: ReadContract): ReadonlySet<string> =>
  new Set(
    functions
      .filter(({ selector }) => selector === TRANSFER)
      .flatMap(({ execution }) => execution.paths)
      .flatMap((path) => accountChanges(path, ({ name }) => storage.balances.has(name)))
      .filter(({ owner, change }) => owner === 'caller' && change.kind === 'decrease')
      .map(({ place }) => place.name),
  );

/** Finds ways to keep others from selling. */
export const findLimit = (contract: ReadContract, expressions: Expressions): Finding[] => {
  const isToken = contract.functions.some(({ selector }) => MOVING_SELECTORS.has(selector));
  const spent = spentPlaces(contract);
  return contract.functions.flatMap((one): Finding[] => {
    const { selector, execution } = one;
    const named = (found: readonly Found[]) => found.map((each) => ({ ...each, selector }));
    if (MOVING_SELECTORS.has(selector)) return named(transferReasons(one, contract, expressions));
    if (refusesApproval(one, contract, expressions)) return named([plain('onlyKnownMove')]);
    const aside = execution.paths.find(
      (path) =>
        contract.isPrivileged(path) &&
        placesSetAside(path, contract.storage).some((place) => !spent.has(place)),
    );
    if (aside) {
      return named([{ reason: 'setAsideByPrivileged', holders: contract.holdersOf(aside) }]);
    }
    if (isToken) return [];
    const exits = execution.paths.filter(
      (path) => paysCaller(path) && !contract.isPrivileged(path),
    );
    const gates = gatesOf(
      execution,
      {
        paths: exits,
        whose: undefined,
        ordinary: exits,
        all: exits,
        isOther: () => false,
        isForKnown: () => false,
      },
      partiesOf(selector, expressions),
      contract,
    );
    const closed = gateReasons(gates, one, contract, expressions);
    return closed.length > 0 ? named([plain('exitClosedByPrivileged')]) : [];
  });
};
