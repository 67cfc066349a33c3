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
import { type ContractFunction, type TokenStorage, tokenStorage } from './storage.ts';

export interface PowerEvidence {
  /** From 0 to 1; what lies above one half is to be taken as there. */
  readonly score: number;
  /** Each reason once for each function, for each that changes a condition of it, and for each who may. */
  readonly findings: readonly Finding[];
}

export interface Powers extends Readonly<Record<Power, PowerEvidence>> {
  /** Instructions run, with what copying paths costs: what limits are counted in. */
  readonly steps: number;
  /** Whether a limit left out some of the ways through the code. */
  readonly isPartial: boolean;
}

/** A function of the longest ways; most end within a thousand instructions. */
const FUNCTION_STEPS_MAX = 40_000;
/** About two seconds on a slow machine. */
const CONTRACT_STEPS_MAX = 500_000;
const OWNER_OF = '6352211e';
const UNKNOWN_SELECTOR = 0xffffffffn;

/** Share of what is open that further reasons can add: less than lifts any score over one half. */
const OTHERS_SHARE = 0.05;

/** Where a holder is kept, as text; holders in mappings are one. */
const placeOfHolder = (holder: Holder): string => {
  if (holder.kind === 'stored') return `${holder.slot}:${holder.shift}`;
  return holder.kind === 'fixed' ? String(holder.account) : holder.kind;
};

/** Each finding once, and once more where somebody else may do the same: the owner, say, or an account in the code. */
const distinct = (findings: readonly Finding[]): Finding[] => [
  ...new Map(
    findings.map((one) => {
      const holders = one.holders.map(placeOfHolder);
      return [[one.reason, one.selector, one.by, ...holders].join(' '), one];
    }),
  ).values(),
];

/** The strongest reason decides; others beside it break ties. */
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

/** Whether a path gives coins or tokens of another contract to its caller, or to whom the call names; change of a payment is no such gift. */
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
  };
};
