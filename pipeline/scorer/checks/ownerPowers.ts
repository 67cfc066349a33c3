import type { SentenceCode } from '../../../shared/sentences/checkWords.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import type { CodePower, ContractProfile, Power } from '../contract/contractProfile.ts';
import { type FunctionRole, knownFunction } from '../contract/knownFunctions.ts';
import type { CheckDefinition, CheckRule } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import { type CheckResult, rounded } from './checkResult.ts';
import {
  bytecodeEvidence,
  codePowerEvidence,
  functionName,
  holderKindOf,
  holderOf,
  isPerson,
  NOT_READ,
  originOf,
  ownerEvidence,
  powerEvidence,
  provenPowers,
} from './contractEvidence.ts';
import { isListed } from './listed.ts';

/** One power over buyers, and how it is detected. */
interface PowerRule {
  readonly id: string;
  /** What a privileged call does, in the words of the documentation. */
  readonly does: string;
  /** The purpose of the functions that disclose it. */
  readonly roles: readonly FunctionRole[];
  /** What a simulated call by a privileged address must do to count as proof. */
  readonly effects: readonly Power['kind'][];
  /** The power, as the end of the sentence “A privileged address can …”. */
  readonly harm: Extract<SentenceCode, `harm${string}`>;
  /**
   * `critical` if the power takes buyers' money at any time and its function hides its purpose; `warning` if honest
   * projects have it under such names too.
   */
  readonly undisclosed: 'critical' | 'warning' | 'other';
  /** See `CheckDefinition`. */
  readonly expected: NonNullable<CheckDefinition['expected']>;
}

/**
 * Honest contracts mint tokens and take them from others' wallets in functions that say so (`mint`, `forcedTransfer`,
 * `burnFrom`: OpenZeppelin, ERC-1644, ERC-3643). In a function that does not say so they are hidden, and have no
 * honest use. Stopping sales, fees and limits have no such common names, so an unknown name proves nothing.
 */
const RULES: readonly PowerRule[] = [
  {
    id: 'mint_power',
    does: 'makes new tokens',
    roles: ['mint'],
    effects: ['mint'],
    harm: 'harmMint',
    undisclosed: 'critical',
    expected: { failed: 0.4, byCode: 0.4 },
  },
  {
    id: 'confiscation_power',
    does: 'takes tokens out of buyers’ wallets, or most of those in the pool,',
    roles: ['burnOthers', 'forcedTransfer', 'mint'],
    effects: ['confiscate', 'drain'],
    harm: 'harmConfiscate',
    undisclosed: 'critical',
    expected: { failed: 0.8, byCode: 0.8 },
  },
  {
    id: 'pause_power',
    does: 'pauses all transfers',
    roles: ['pause'],
    effects: ['freeze'],
    harm: 'harmPause',
    undisclosed: 'other',
    expected: { failed: 0.3 },
  },
  {
    id: 'blacklist_power',
    does: 'stops single buyers from selling',
    roles: ['blacklist'],
    effects: ['freeze'],
    harm: 'harmBlacklist',
    undisclosed: 'other',
    expected: { failed: 0.5 },
  },
  {
    id: 'trading_gate',
    does: 'closes trading',
    roles: ['tradingGate'],
    effects: ['freeze'],
    harm: 'harmGate',
    undisclosed: 'other',
    expected: { failed: 0.3 },
  },
  {
    id: 'transfer_limits',
    does: 'limits transfers',
    roles: ['limit'],
    effects: ['freeze'],
    harm: 'harmLimit',
    undisclosed: 'other',
    expected: { failed: 0.4 },
  },
  {
    id: 'fee_power',
    does: 'raises the fee of a trade',
    roles: ['fee'],
    effects: ['tax'],
    harm: 'harmFee',
    undisclosed: 'warning',
    expected: { failed: 0.8 },
  },
  {
    id: 'freeze_power',
    does: 'stops sales in another way',
    roles: [],
    effects: ['freeze'],
    harm: 'harmFreeze',
    undisclosed: 'warning',
    expected: { failed: 0.8, byCode: 0.8 },
  },
];

const roleOf = (selector: string): FunctionRole | undefined =>
  knownFunction(selector as `0x${string}`)?.role;

const isDisclosed = ({ roles }: PowerRule, selector: string): boolean => {
  const role = roleOf(selector);
  return role !== undefined && roles.includes(role);
};

/** Freezing by a function with a role is covered by the check of that role. */
const belongs = (rule: PowerRule, { kind, selector }: Power): boolean => {
  if (!rule.effects.includes(kind)) return false;
  if (isDisclosed(rule, selector)) return true;
  if (rule.undisclosed === 'other') return false;
  const role = roleOf(selector);
  return rule.id !== 'freeze_power' || role === undefined || !FREEZING_ROLES.has(role);
};

const FREEZING_ROLES: ReadonlySet<FunctionRole> = new Set(
  RULES.filter(({ effects }) => effects.includes('freeze')).flatMap(({ roles }) => roles),
);

const proven = (
  rule: PowerRule,
  power: Power,
  contract: ContractProfile,
  input: CheckInput,
): CheckResult => {
  const { token } = input;
  const { address, origin } = power.caller;
  const isOpen = origin === 'anyone';
  const holder = isOpen ? origin : (holderKindOf(contract, address) ?? 'unknown');
  // Setting the emission of a farm, which pays it out later, is how rewards work.
  const isEmission =
    power.kind === 'mint' && power.target !== undefined && power.prepared !== undefined;
  // A caller known to the code only by a hash does nothing honest.
  const hides =
    origin === 'secret' ||
    (rule.undisclosed === 'critical' &&
      !isDisclosed(rule, power.selector) &&
      !power.paidIn &&
      !isEmission &&
      !isOpen &&
      isPerson(contract, power.caller));
  const what = {
    harm: sentence(power.kind === 'drain' ? 'harmDrain' : rule.harm),
    call: functionName(power.selector),
    effect: EFFECT[power.kind](power.value),
  };
  const reason = isOpen
    ? sentence('powerOfAnyone', what)
    : sentence('powerProven', { origin: originOf(power.caller), ...what });
  return {
    id: rule.id,
    status: 'fail',
    severity: hides ? 'critical' : openSeverity(input),
    value: rounded(power.value),
    shown_by: 'simulation',
    held_by: holder,
    reason,
    evidence: [powerEvidence(contract, power, token), ...ownerEvidence(contract, token)],
  };
};

/** Powers that a token discloses; for established tokens they are facts that do not count against it. */
const openSeverity = (input: CheckInput): CheckResult['severity'] =>
  isListed(input) ? 'info' : 'warning';

const EFFECT: Readonly<Record<Power['kind'], (share: number) => Sentence>> = {
  mint: (share) => sentence('effectMint', { share }),
  confiscate: (share) => sentence('effectConfiscate', { share }),
  drain: (share) => sentence('effectDrain', { share }),
  freeze: () => sentence('effectFreeze'),
  tax: (share) => sentence('effectTax', { share }),
};

/** Powers by code, and the check of each; one that stops sales comes last, whatever its function is called. */
const CODE_POWERS: Readonly<Record<string, CodePower['power']>> = {
  mint_power: 'mint',
  confiscation_power: 'leak',
  freeze_power: 'limit',
};

/**
 * Whether the code gives everyone the power by a standard function. Every trade would show that, so the code was
 * misread, for example if balances are recomputed with each transfer.
 */
const isEveryTrade = ({ selector, holder }: CodePower): boolean =>
  holder.kind === 'anyone' && roleOf(selector) === 'erc20';

/** A power by code that somebody holds according to storage; named accounts come first. */
const powerByCode = (
  { id, effects }: PowerRule,
  contract: ContractProfile,
): (CodePower & { holder: { kind: NonNullable<CheckResult['held_by']> } }) | undefined => {
  const isShown = provenPowers(contract).some(({ kind }) => effects.includes(kind));
  if (isShown) return undefined;
  const held = contract.codePowers.flatMap((one) => {
    const { kind } = one.holder;
    return one.power === CODE_POWERS[id] && kind !== 'nobody' && !isEveryTrade(one)
      ? [{ ...one, holder: { ...one.holder, kind } }]
      : [];
  });
  return held.find(({ holder }) => holder.kind === 'wallet') ?? held[0];
};

const inCode = (
  rule: PowerRule,
  power: NonNullable<ReturnType<typeof powerByCode>>,
  contract: ContractProfile,
  input: CheckInput,
): CheckResult => ({
  id: rule.id,
  status: 'fail',
  severity: openSeverity(input),
  shown_by: 'code',
  held_by: power.holder.kind,
  reason: sentence('powerInCode', {
    holder: holderOf(power.holder),
    harm: sentence(rule.harm),
    call: functionName(power.selector),
  }),
  evidence: codePowerEvidence(contract, power, input.token),
});

const check = (rule: PowerRule, input: CheckInput): CheckResult => {
  const { contract, token } = input;
  const harm = sentence(rule.harm);
  const about = { id: rule.id, severity: 'warning' } as const;
  if (!contract) return { ...about, ...NOT_READ };
  const powers = provenPowers(contract).filter((power) => belongs(rule, power));
  const hidden = powers.find(({ selector }) => !isDisclosed(rule, selector));
  const power = hidden ?? powers[0];
  if (power) return proven(rule, power, contract, input);
  const byCode = powerByCode(rule, contract);
  if (byCode) return inCode(rule, byCode, contract, input);
  const named = contract.functions.filter(
    ({ selector, writes }) => writes && isDisclosed(rule, selector),
  );
  if (named.length === 0) {
    if (contract.probe.kind === 'unknown') {
      return { ...about, status: 'unknown', reason: contract.probe.reason };
    }
    return { ...about, status: 'pass', reason: sentence('powerNotFound', { harm }) };
  }
  const functions = named.map(({ selector }) => functionName(selector));
  const note = sentence('verbatim', { text: functions.join(', ') });
  const evidence = [bytecodeEvidence(contract, token, note), ...ownerEvidence(contract, token)];
  if (contract.owner.kind === 'renounced') {
    const reason = sentence('powerRenounced', { functions });
    return { ...about, status: 'pass', reason, evidence };
  }
  // There is only a name: a function with that name could be harmless, or unreachable.
  const reason = sentence('powerNamed', { functions, harm });
  return { ...about, status: 'fail', severity: 'info', reason, evidence };
};

/** What privileged addresses can do to buyers: one check for each power. */
export const ownerPowers = (input: CheckInput): CheckResult[] =>
  RULES.map((rule) => check(rule, input));

/** A power as a check; the weight of a failure is fitted: `CHECK_WEIGHTS`. */
const definitionOf = ({
  id,
  does,
  effects,
  undisclosed,
  expected,
}: PowerRule): CheckDefinition => ({
  id,
  expected,
  accusesCode: undisclosed === 'critical',
  ...(effects.some((one) => one === 'confiscate' || one === 'freeze') && { role: 'harm' }),
  question: { topic: 'powers', whenPassed: 'no' },
  failsIf: `a privileged call ${does} in a simulation, or only the code or the name of a function says so: see [below](#powers)`,
  severity: 'critical, warning, info',
});

export const ownerPowerChecks: CheckRule = {
  checks: RULES.map(definitionOf),
  run: ownerPowers,
};
