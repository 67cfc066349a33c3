import { addressOfNumber } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import type { CodePower, ContractProfile, HolderKind, PrivilegeHolder } from './contractProfile.ts';
import { DEAD_ADDRESSES, isWord, readCall } from './contractState.ts';
import { type Finding, POWERS, type Power, type Reason } from './powers/evidence.ts';
import type { Powers } from './powers/findPowers.ts';
import type { Holder } from './powers/privilege.ts';

/** Ways to harm holders that honest use of the same code does not explain: see POWERS.md. */
const HARMFUL: Readonly<Record<Power, readonly Reason[]>> = {
  mint: ['mintedByPrivileged', 'mintedByAnyone', 'mintedElsewhere'],
  leak: [
    'takenByPrivileged',
    'takenByAnyone',
    'allowedForOthers',
    'runsWhatIsSet',
    'writesAnywhere',
  ],
  limit: [
    'closedByPrivileged',
    'boundedByPrivileged',
    'onlyKnownMove',
    'onlyEnteredSpend',
    'recipientRefused',
    'setAsideByPrivileged',
  ],
};

/** A power in the code, before its holder is known. */
export interface FoundPower {
  readonly power: Power;
  readonly finding: Finding;
}

/** Functions named per power: one would be enough. */
const FINDINGS_MAX = 16;

export const harmfulPowers = (powers: Powers): FoundPower[] =>
  POWERS.flatMap((power) =>
    powers[power].findings
      .filter(({ reason }) => HARMFUL[power].includes(reason))
      .slice(0, FINDINGS_MAX)
      .map((finding) => ({ power, finding })),
  );

const ADDRESS_MASK = (1n << 160n) - 1n;

const hexOf = (value: bigint): Hex => `0x${value.toString(16)}`;
const slotOf = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;

/** Slots that identify a holder. @param candidates who may have an entry */
const slotsOf = (holder: Holder, candidates: readonly Hex[]): bigint[] => {
  if (holder.kind === 'stored') return [holder.slot];
  if (holder.kind !== 'entered') return [];
  return [
    ...candidates.flatMap((one) => holder.slotOf(BigInt(one)) ?? []),
    ...holder.enteredBy.flatMap((one) => slotsOf(one, [])),
  ];
};

/** The holder of a power; no kind yet if it is an address. */
type Found = Omit<PrivilegeHolder, 'kind'> & { readonly kind?: HolderKind };

const NOBODY: Found = { kind: 'nobody', address: null, slot: null, isEntry: false };
const UNKNOWN: Found = { ...NOBODY, kind: 'unknown' };

const resolve = (
  holder: Holder,
  words: ReadonlyMap<bigint, bigint>,
  candidates: readonly Hex[],
): Found => {
  if (holder.kind === 'answered') return UNKNOWN;
  if (holder.kind === 'fixed')
    return { address: addressOfNumber(holder.account), slot: null, isEntry: false };
  if (holder.kind === 'stored') {
    const word = words.get(holder.slot);
    if (word === undefined) return UNKNOWN;
    const address = addressOfNumber((word >> BigInt(holder.shift)) & ADDRESS_MASK);
    const isGivenUp = BigInt(address) === 0n || DEAD_ADDRESSES.has(address);
    const slot = slotOf(holder.slot);
    return isGivenUp ? { ...NOBODY, slot } : { address, slot, isEntry: false };
  }
  for (const address of candidates) {
    const slot = holder.slotOf(BigInt(address));
    if (slot !== undefined && (words.get(slot) ?? 0n) !== 0n)
      return { address, slot: slotOf(slot), isEntry: true };
  }
  // Whoever makes the entries can make one for itself.
  const enterers = holder.enteredBy.map((one) => resolve(one, words, candidates));
  return enterers.find(({ address }) => address !== null) ?? UNKNOWN;
};

/** Slots read for all powers of a contract. */
const SLOTS_MAX = 96;

const readSlots = async (
  node: ChainNode,
  token: Hex,
  slots: readonly bigint[],
): Promise<Map<bigint, bigint>> => {
  if (slots.length === 0) return new Map();
  const outcomes = await node.batch(
    slots.map((slot) => ({ method: 'eth_getStorageAt', params: [token, hexOf(slot), 'latest'] })),
  );
  return new Map(
    slots.flatMap((slot, i): [bigint, bigint][] => {
      const outcome = outcomes[i];
      const isWord = outcome?.ok && /^0x[0-9a-f]{1,64}$/i.test(String(outcome.result));
      return isWord ? [[slot, BigInt(String(outcome.result))]] : [];
    }),
  );
};

/** All that must hold: if one of them is `nobody`, nobody can. */
const joined = (found: readonly Found[]): Found =>
  found.find(({ kind }) => kind === 'nobody') ??
  found.find(({ address }) => address !== null) ??
  found[0] ?? { ...NOBODY, kind: 'anyone' };

const MADE_BY_CALLERS: ReadonlySet<Reason> = new Set(['mintedByAnyone', 'takenByAnyone']);

/** Powers with their holders, as far as storage shows them. @param candidates known insiders */
export const holdersOfPowers = async (
  node: ChainNode,
  token: Hex,
  powers: readonly FoundPower[],
  candidates: readonly Hex[],
): Promise<(Omit<CodePower, 'holder'> & { readonly holder: Found })[]> => {
  const slots = powers.flatMap(({ finding }) =>
    finding.holders.flatMap((holder) => slotsOf(holder, candidates)),
  );
  const words = await readSlots(node, token, [...new Set(slots)].slice(0, SLOTS_MAX));
  return powers.map(({ power, finding: { reason, selector, by, holders } }) => {
    const found = holders.map((holder) => resolve(holder, words, candidates));
    // A permanent condition in the code needs nobody to act.
    const isOpen = MADE_BY_CALLERS.has(reason);
    const holder = holders.length === 0 && !isOpen ? UNKNOWN : joined(found);
    const named = by ?? selector;
    return {
      power,
      reason,
      selector: /^[0-9a-f]{8}$/.test(named) ? `0x${named}` : named,
      holder,
    };
  });
};

/** Accounts whose kind is determined: each with code takes a batch of calls. */
const RULERS_MAX = 12;

/** An account that runs a contract's code until its owner signs for another one (EIP-7702) is a wallet. */
const DELEGATED = /^0xef0100/;
/** Seconds from which a delay gives holders the time to leave. */
const DELAY_S_MIN = 86_400n;
/**
 * Functions of Safe and the earlier Gnosis multisig; of OpenZeppelin's and Compound's timelocks; of governors.
 */
const ASKED = {
  threshold: ['getThreshold()', 'required()'],
  delay: ['getMinDelay()', 'delay()'],
  votes: ['votingPeriod()'],
} as const;
const SIGNATURES = [...ASKED.threshold, ...ASKED.delay, ...ASKED.votes];

/**
 * Contracts that a chain of the OP Stack has from genesis, such as its bridges: 2,048 addresses (`PREDEPLOY_COUNT`) for
 * which nobody can have the key.
 */
const PREDEPLOYED = /^0x420{35}[0-7][0-9a-f]{2}$/;

/** What is read of an account: its code, and whether it was ever used. */
const ACCOUNT_METHODS = ['eth_getCode', 'eth_getTransactionCount', 'eth_getBalance'] as const;
const ZERO_QUANTITY = /^0x0*$/;

/**
 * What kind of account holds privileges. What a contract says about itself may be a lie and only lowers the weight of
 * its powers. An account without code that has never sent or held anything is unknown: it may be a contract that is
 * not deployed yet.
 */
export const kindsOfHolders = async (
  node: ChainNode,
  addresses: readonly Hex[],
): Promise<Map<Hex, HolderKind>> => {
  if (addresses.length === 0) return new Map();
  const outcomes = await node.batch(
    addresses.flatMap((one) =>
      ACCOUNT_METHODS.map((method) => ({ method, params: [one, 'latest'] })),
    ),
  );
  const kinds = new Map<Hex, HolderKind>();
  for (const [i, address] of addresses.entries()) {
    const [code, ...uses] = outcomes
      .slice(ACCOUNT_METHODS.length * i, ACCOUNT_METHODS.length * (i + 1))
      .map((outcome) => (outcome.ok ? String(outcome.result) : undefined));
    const isUnused = uses.every((use) => use !== undefined && ZERO_QUANTITY.test(use));
    if (PREDEPLOYED.test(address)) kinds.set(address, 'governance');
    else if (code === undefined) kinds.set(address, 'unknown');
    else if (code === '0x') kinds.set(address, isUnused ? 'unknown' : 'wallet');
    else if (DELEGATED.test(code)) kinds.set(address, 'wallet');
  }
  for (const address of addresses.filter((one) => !kinds.has(one))) {
    const answers = await node.batch(SIGNATURES.map((signature) => readCall(address, signature)));
    const values = answers.map((one) => (one.ok && isWord(one.result) ? BigInt(one.result) : 0n));
    const [safe = 0n, required = 0n, minDelay = 0n, delay = 0n, votes = 0n] = values;
    const signers = safe > required ? safe : required;
    if (minDelay >= DELAY_S_MIN || delay >= DELAY_S_MIN) kinds.set(address, 'timelock');
    else if (votes > 0n) kinds.set(address, 'governance');
    // A multisig with a single signer is only an expensive wallet.
    else if (signers > 0n) kinds.set(address, signers > 1n ? 'multisig' : 'wallet');
    else kinds.set(address, 'contract');
  }
  return kinds;
};

/**
 * The powers in the code, their holders, and the kinds of those accounts.
 * @param candidates insiders who may have entries in storage, the callers of the probe first
 */
export const readPrivileged = async (
  node: ChainNode,
  token: Hex,
  powers: readonly FoundPower[],
  candidates: readonly Hex[],
): Promise<Pick<ContractProfile, 'codePowers' | 'holders'>> => {
  const found = await holdersOfPowers(node, token, powers, candidates);
  const named = found.flatMap(({ holder: { address } }) => address ?? []);
  // Known holders of a power come before possible ones.
  const rulers = [...new Set([...named, ...candidates])].slice(0, RULERS_MAX);
  const kinds = await kindsOfHolders(node, rulers);
  return {
    codePowers: found.map(({ holder, ...power }) => {
      const kind = holder.kind ?? (holder.address && kinds.get(holder.address)) ?? 'unknown';
      return { ...power, holder: { ...holder, kind } };
    }),
    holders: [...kinds].map(([address, kind]) => ({ address, kind })),
  };
};
