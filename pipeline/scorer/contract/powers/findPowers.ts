import type { Hex } from '../../../../shared/chain/block.ts';
import { accountChanges, ownerOf } from './accounts.ts';
import { type Finding, type Power, type ReadContract, type Reason, WEIGHTS } from './evidence.ts';
import { execute } from './execute.ts';
import { createExpressions } from './expressions.ts';
import { findLeak } from './leak.ts';
import { findLimit } from './limit.ts';
import { prepareCode } from './machine.ts';
import { drawsFromCaller, findMint } from './mint.ts';
import { decisionsOf, type Path } from './paths.ts';
import { type Holder, isSender, privileges, selectorSent } from './privilege.ts';
import {
  type ContractFunction,
  MOVING_SELECTORS,
  placeOf,
  type TokenStorage,
  tokenStorage,
} from './storage.ts';

export interface PowerEvidence {
  /** From 0 to 1; above one half the power is assumed to exist. */
  readonly score: number;
  /**
   * Each reason once for each function, for each function that changes one of its conditions, and for each holder.
   */
  readonly findings: readonly Finding[];
}

export interface Powers extends Readonly<Record<Power, PowerEvidence>> {
  /** Executed instructions, including the cost of copying paths, in which limits are counted. */
  readonly steps: number;
  /** Whether a limit left some paths through the code unexplored. */
  readonly isPartial: boolean;
  /**
   * Whether transfers may change a variable that belongs to no account, as counters of trades and of holders do: they
   * write one, or some paths through them were left unexplored.
   */
  readonly mayCount: boolean;
}

/** Limit of a function with the longest paths; most end within a thousand instructions. */
const FUNCTION_STEPS_MAX = 40_000;
/** About two seconds on a slow machine. */
const CONTRACT_STEPS_MAX = 500_000;
const OWNER_OF = '6352211e';
const UNKNOWN_SELECTOR = 0xffffffffn;

/** Share of the open margin that further reasons can add: too little to lift any score over one half. */
const OTHERS_SHARE = 0.05;

/** Storage of a holder, as text; all holders in mappings are one. */
const placeOfHolder = (holder: Holder): string => {
  if (holder.kind === 'stored') return `${holder.slot}:${holder.shift}`;
  return holder.kind === 'fixed' ? String(holder.account) : holder.kind;
};

/**
 * Each finding once, and once more if another holder can do the same: the owner, say, and an account in the code.
 */
const distinct = (findings: readonly Finding[]): Finding[] => [
  ...new Map(
    findings.map((one) => {
      const holders = one.holders.map(placeOfHolder);
      return [[one.reason, one.selector, one.by, ...holders].join(' '), one];
    }),
  ).values(),
];

/** The strongest reason decides; others break ties. */
const scoreOf = (reasons: ReadonlySet<Reason>): number => {
  const weights = [...reasons].map((reason) => WEIGHTS[reason]).sort((a, b) => b - a);
  const [strongest = 0, ...others] = weights;
  const doubt = others.reduce((product, weight) => product * (1 - weight), 1);
  return strongest + OTHERS_SHARE * (1 - strongest) * (1 - doubt);
};

const evidenceOf = (all: readonly Finding[]): PowerEvidence => {
  const findings = distinct(all);
  return { score: scoreOf(new Set(findings.map(({ reason }) => reason))), findings };
};

const takesIn = (path: Path): boolean => {
  if (drawsFromCaller(path)) return true;
  const isPaid = !decisionsOf(path).some(({ test, is }) => test.operator === 'callvalue' && !is);
  return isPaid && accountChanges(path, ({ keys }) => keys.some(isSender)).length > 0;
};

const TRANSFER = 0xa9059cbbn;

/**
 * Whether a path gives coins or other tokens to its caller, or to a recipient named in the call; change returned from
 * a payment does not count.
 */
const givesBack = (path: Path): boolean =>
  !takesIn(path) &&
  path.calls.some((call) => {
    if (call.kind !== 'call') return false;
    const recipients = [
      ...(call.value?.value === 0n ? [] : [call.to]),
      ...(selectorSent(call) === TRANSFER ? call.sent.slice(1, 2) : []),
    ];
    return recipients.some((one) => one && ['caller', 'named'].includes(ownerOf(path, one)));
  });

/** Whether a path takes tokens from its caller and pays coins for them. */
const redeems = (path: Path, { balances }: TokenStorage): boolean =>
  path.calls.some(({ kind, to }) => kind === 'call' && isSender(to)) &&
  accountChanges(path, ({ name }) => balances.has(name)).some(
    ({ owner, change }) => owner === 'caller' && change.kind === 'decrease',
  );

const mayCount = (functions: readonly ContractFunction[]): boolean =>
  functions
    .filter(({ selector }) => MOVING_SELECTORS.has(selector))
    .some(
      ({ execution: { paths, dropped } }) =>
        dropped.length > 0 ||
        paths.some(({ writes }) => writes.some(({ slot }) => placeOf(slot).keys.length === 0)),
    );

/** @param selectors of the functions, eight hexadecimal digits each */
export const findPowers = (code: Hex, selectors: readonly string[]): Powers => {
  const program = prepareCode(code);
  const expressions = createExpressions();
  let steps = 0;
  const run = (selector: bigint | undefined) => {
    const stepsMax = Math.min(FUNCTION_STEPS_MAX, CONTRACT_STEPS_MAX - steps);
    const execution = execute({ program, expressions, selector, stepsMax });
    steps += execution.steps;
    return execution;
  };
  const functions: ContractFunction[] = [
    ...selectors.map((selector) => ({ selector, execution: run(BigInt(`0x${selector}`)) })),
    { selector: 'fallback', execution: run(UNKNOWN_SELECTOR) },
    { selector: 'receive', execution: run(undefined) },
  ];
  const storage = tokenStorage(functions);
  const paths = functions.flatMap(({ execution }) => execution.paths);
  const who = privileges(paths, storage);
  const open = paths.filter((path) => !who.isPrivileged(path));
  const isCustody = storage.balances.size === 0 || (open.some(takesIn) && open.some(givesBack));
  const isRedeemable = paths.some((path) => redeems(path, storage));
  const isCollectible = selectors.includes(OWNER_OF);
  const contract: ReadContract = {
    functions,
    storage,
    ...who,
    isCustody,
    isRedeemable,
    isCollectible,
  };
  return {
    mint: evidenceOf(findMint(contract, expressions)),
    leak: evidenceOf(findLeak(contract, expressions)),
    limit: evidenceOf(findLimit(contract, expressions)),
    steps,
    isPartial: functions.some(({ execution }) => execution.dropped.length > 0),
    mayCount: mayCount(functions),
  };
};
