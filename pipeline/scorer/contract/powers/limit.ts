import { accountChanges, placesSetAside } from './accounts.ts';
import type { Finding, ReadContract, Reason } from './evidence.ts';
import { type Expression, type Expressions, WORD_MAX } from './expressions.ts';
import { drawsFromCaller } from './mint.ts';
import {
  callAnsweredBy,
  type Decision,
  decisionsOf,
  type Execution,
  type Path,
  type Side,
  sideOf,
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
import { testAfter } from './substitute.ts';

/** Accounts that take part in a transfer. */
interface Parties {
  readonly senders: readonly Expression[];
  readonly recipient: Expression | undefined;
}

const partiesOf = (selector: string, { make, constant }: Expressions): Parties => {
  const caller = make('caller');
  const [first, second] = [make('calldata', [constant(4n)]), make('calldata', [constant(36n)])];
  if (selector === TRANSFER) return { senders: [caller], recipient: first };
  if (selector === TRANSFER_FROM) return { senders: [caller, first], recipient: second };
  return { senders: [caller], recipient: undefined };
};

/** Whether a condition compares one of some accounts with one that the contract knows. */
const comparesKnown = (test: Expression, accounts: readonly (Expression | undefined)[]): boolean =>
  test.operator === 'eq' &&
  test.operands.some((one) => accounts.includes(one)) &&
  test.operands.some((one) => !accounts.includes(one) && isKnownAccount(one));

/** Whether a condition asks for an entry about one of some accounts which others make. */
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

/** Whether a path can be gone only by, or for, senders that the contract knows. */
const isForKnown = (path: Path, { senders }: Parties, contract: ReadContract): boolean =>
  decisionsOf(path).some(
    (one) => (one.is && comparesKnown(one.test, senders)) || asksForEntry(one, senders, contract),
  );

/** Whether a path can be gone only with a recipient that the contract knows. */
const isToKnown = (path: Path, { recipient }: Parties): boolean =>
  decisionsOf(path).some(({ test, is }) => is && comparesKnown(test, [recipient]));

/**
 * The ways by which everyone else moves tokens: those to anybody, and by themselves those to each account
 * that the contract knows, such as its pool.
 */
const classesOf = (ordinary: readonly Path[], { recipient }: Parties): Path[][] => {
  const byRecipient = new Map<Expression | undefined, Path[]>();
  for (const path of ordinary) {
    const special = decisionsOf(path).find(
      ({ test, is }) => is && comparesKnown(test, [recipient]),
    );
    byRecipient.set(special?.test, [...(byRecipient.get(special?.test) ?? []), path]);
  }
  return [...byRecipient.values()];
};

const reachedBy = (paths: readonly Path[]): ReadonlySet<number> =>
  new Set(paths.flatMap((path) => decisionsOf(path).map(sideOf)));

/**
 * Conditions of which one side never leads to the effect that a function is there for.
 * @param paths of one class; an entry about the sender is a gate only where `all` respect it
 */
const gatesOf = (
  { sides }: Execution,
  { paths, all }: { paths: readonly Path[]; all: readonly Path[] },
  parties: Parties,
  contract: ReadContract,
): Side[] => {
  const [reached, reachedByAll] = [reachedBy(paths), reachedBy(all)];
  const dropped = new Set(sides.filter((side) => side.dropped > 0).map(sideOf));
  const accounts = [...parties.senders, parties.recipient];
  return sides.filter(({ test, is }) => {
    const other = sideOf({ test, is: !is });
    if (!reached.has(sideOf({ test, is })) || dropped.has(other)) return false;
    if (comparesKnown(test, accounts)) return false;
    const isEntry = asksForEntry({ test, is: true }, parties.senders, contract);
    return !(isEntry ? reachedByAll : reached).has(other);
  });
};

/** Whether no one may send to an account that the contract knows. */
const refusesRecipient = (
  { sides }: Execution,
  ordinary: readonly Path[],
  { recipient }: Parties,
): boolean => {
  const reached = reachedBy(ordinary);
  return sides.some(
    (side) =>
      side.is &&
      side.dropped === 0 &&
      comparesKnown(side.test, [recipient]) &&
      !reached.has(sideOf(side)) &&
      reached.has(sideOf({ test: side.test, is: false })),
  );
};

const isCompared = ({ operator }: Expression): boolean => operator === 'lt' || operator === 'slt';

/** Whether the setter refuses values that are too small or too large. */
const isBounded = (decisions: readonly Decision[], after: Expression): boolean => {
  const given = partsOf(after).filter(({ operator }) => operator === 'calldata');
  return decisions.some(
    ({ test }) => isCompared(test) && partsOf(test).some((part) => given.includes(part)),
  );
};

/** What a path of another function can do to a gate. */
const effectOnGate = (gate: Side, path: Path, expressions: Expressions): Reason | undefined => {
  const decisions = decisionsOf(path);
  for (const write of path.writes) {
    const { after, holds } = testAfter(gate.test, write, expressions);
    if (after === gate.test) continue;
    if (holds === undefined) {
      if (!isCompared(gate.test)) return 'closedByPrivileged';
      if (!isBounded(decisions, after)) return 'boundedByPrivileged';
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

const readsSettings = (test: Expression, { storage }: ReadContract): boolean =>
  partsOf(test).some((part) => {
    if (part.operator !== 'sload') return false;
    const { name } = storageRead(part);
    return !storage.balances.has(name) && !storage.allowances.has(name);
  });

/** Whether a transfer enters something about its recipient: bought from the pool, never to sell. */
const marksRecipient = (gate: Side, path: Path, expressions: Expressions): boolean =>
  !isCompared(gate.test) && effectOnGate(gate, path, expressions) === 'closedByPrivileged';

/** A finding about a function that is not named yet. */
type Found = Omit<Finding, 'selector'>;

const plain = (reason: Reason): Found => ({ reason, holders: [] });

/** What privileged callers, or transfers from accounts that the contract knows, can do to gates. */
const gateReasons = (
  gates: readonly Side[],
  { selector, execution }: ContractFunction,
  contract: ReadContract,
  expressions: Expressions,
): Found[] => {
  const asked = gates.filter((gate) => readsSettings(gate.test, contract));
  if (asked.length === 0) return [];
  const setters = contract.functions
    .filter((one) => one.selector !== selector && !MOVING_SELECTORS.has(one.selector))
    .flatMap((one) => one.execution.paths.map((path) => ({ by: one.selector, path })))
    .filter(({ path }) => path.writes.length > 0 && contract.isPrivileged(path));
  const parties = partiesOf(selector, expressions);
  const marking = execution.paths.filter((path) => isForKnown(path, parties, contract));
  return asked.flatMap((gate) => [
    ...setters.flatMap(({ by, path }): Found[] => {
      const reason = effectOnGate(gate, path, expressions);
      return reason ? [{ reason, by, holders: contract.holdersOf(path) }] : [];
    }),
    ...(marking.some((path) => marksRecipient(gate, path, expressions))
      ? [plain('closedByPrivileged')]
      : []),
  ]);
};

/** Whether a condition asks only whether an answer has the width of its type, as decoders of compilers do. */
const isOfType = ({ operator, operands: [a, b] }: Expression): boolean =>
  operator === 'eq' &&
  a !== undefined &&
  b !== undefined &&
  (partsOf(a).includes(b) || partsOf(b).includes(a));

/** Whether a condition keeps sums from overflowing, or a balance from being less than what is taken from it. */
const isArithmetic = (test: Expression, { balances }: TokenStorage): boolean =>
  isCompared(test) &&
  partsOf(test).some(
    (part) =>
      part.value === WORD_MAX ||
      (part.operator === 'sload' && balances.has(storageRead(part).name)),
  );

/** Whether a condition is what another contract, known to this one, answered when it was asked about the sender. */
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

/** Ways out of a contract that is no token: the caller is paid, in coins or in tokens. */
const paysCaller = (path: Path): boolean =>
  !drawsFromCaller(path) &&
  path.calls.some(
    ({ kind, to, sent, value }) =>
      kind === 'call' &&
      ((isSender(to) && value?.value !== 0n) || (sent[1] !== undefined && isSender(sent[1]))),
  );

/** Whether every holder's tokens can be moved by spenders that the contract has entered, as by exchanges that it has approved. */
const isOpenToEntered = (
  { selector }: ContractFunction,
  paths: readonly Path[],
  contract: ReadContract,
  parties: Parties,
): boolean => {
  const [caller, holder] = parties.senders;
  if (selector !== TRANSFER_FROM) return false;
  return paths.some((path) => {
    const ofHolder = { senders: holder ? [holder] : [], recipient: undefined };
    const isOfOne = decisionsOf(path).some(({ test, is }) => is && comparesKnown(test, [caller]));
    return !isOfOne && !isToKnown(path, parties) && !isForKnown(path, ofHolder, contract);
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
  const ordinary = effective.filter((path) => !isForKnown(path, parties, contract));
  if (!ordinary.some((path) => !isToKnown(path, parties))) {
    if (effective.length === 0 || execution.isPartial) return [];
    const isEntered = isOpenToEntered(one, effective, contract, parties);
    return [plain(isEntered ? 'onlyEnteredSpend' : 'onlyKnownMove')];
  }
  const reasons = classesOf(ordinary, parties).flatMap((paths) => {
    const gates = gatesOf(execution, { paths, all: effective }, parties, contract);
    const asked = gates.some((gate) => isAnswer(gate, paths, parties, contract.storage));
    const set = gateReasons(gates, one, contract, expressions);
    return asked ? [...set, plain('refusedElsewhere')] : set;
  });
  return refusesRecipient(execution, ordinary, parties)
    ? [...reasons, plain('recipientRefused')]
    : reasons;
};

/** Whether only accounts that the contract knows can approve: others can never sell to a pool. */
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
  return keeping.length > 0 && keeping.every((path) => isForKnown(path, parties, contract));
};

/** The variables from which a transfer takes what its caller has. */
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
      { paths: exits, all: exits },
      partiesOf(selector, expressions),
      contract,
    );
    const closed = gateReasons(gates, one, contract, expressions);
    return closed.length > 0 ? named([plain('exitClosedByPrivileged')]) : [];
  });
};
