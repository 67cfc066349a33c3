import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import type {
  CodePower,
  ContractProfile,
  HolderKind,
  Power,
  PrivilegedCaller,
} from '../contract/contractProfile.ts';
import { ADMIN_SLOT } from '../contract/contractState.ts';
import { knownFunction } from '../contract/knownFunctions.ts';
import { type ProbeStage, planPower, watchedAround } from '../contract/probePlan.ts';
import { poolHolder } from '../pool/poolKind.ts';
import { selectorOf } from '../simulation/evmCode.ts';
import {
  calledEvidence,
  codeEvidence,
  type Evidence,
  simulationEvidence,
  storageEvidence,
} from './checkResult.ts';

/**
 * Evidence from the code of the examined contract (the implementation, if the token is a proxy); the note says what
 * is found where.
 */
export const bytecodeEvidence = (
  { proxy, blockNumber }: ContractProfile,
  token: string,
  note: Sentence,
): Evidence => codeEvidence(proxy?.implementation ?? token, blockNumber, note);

/** Evidence for the implementation of a proxy, from its storage or its code. */
export const proxyEvidence = (
  { kind, implementation, slot }: NonNullable<ContractProfile['proxy']>,
  address: string,
  blockNumber: number,
): Evidence => {
  const note = sentence('verbatim', { text: `${kind}: ${implementation}` });
  return slot === null
    ? codeEvidence(address, blockNumber, note)
    : storageEvidence(address, slot, blockNumber, note);
};

/**
 * Evidence for who can replace the code of a proxy: the admin slot and the admin's owner, or a call that replaces it.
 */
export const rulerEvidence = (
  { kind, admin, slot, upgrade }: NonNullable<ContractProfile['proxy']>,
  ruler: Hex,
  contract: Pick<ContractProfile, 'owner' | 'blockNumber'>,
  token: Hex,
): Evidence[] => {
  const { blockNumber } = contract;
  if (upgrade?.caller === ruler) {
    const note = sentence('replacesCode', { token, caller: ruler });
    return [calledEvidence({ from: ruler, to: token, data: upgrade.data }, blockNumber, note)];
  }
  if (!slot || kind === 'beacon') return [];
  if (!admin) return ownerEvidence(contract, token);
  const note = sentence('slotNames', { slot: ADMIN_SLOT, token, address: admin });
  const named = storageEvidence(token, ADMIN_SLOT, blockNumber, note);
  const owner = { kind: 'held', address: ruler, via: 'owner()' } as const;
  return [named, ...(admin === ruler ? [] : ownerEvidence({ owner, blockNumber }, admin))];
};

/** Evidence for the owner, by the function that returns it. */
export const ownerEvidence = (
  { owner: { via, address }, blockNumber }: Pick<ContractProfile, 'owner' | 'blockNumber'>,
  contract: string,
): Evidence[] =>
  via === null
    ? []
    : [
        calledEvidence(
          { to: contract, data: selectorOf(via) },
          blockNumber,
          sentence('answers', { call: via, answer: address ?? ZERO_ADDRESS }),
        ),
      ];

/** Evidence from a simulated privileged call to the token, or to the hook of its pool. */
export const powerEvidence = (
  contract: ContractProfile,
  power: Power,
  token: Hex,
  target: Hex = power.target ?? token,
): Evidence => {
  const { selector, caller, data, prepared, times = 1, patched } = power;
  const stage = stageOf(contract, token);
  const around = watchedAround({
    trader: stage?.trader ?? ZERO_ADDRESS,
    stranger: stage?.stranger ?? ZERO_ADDRESS,
    caller: caller.address,
    token,
    pool: contract.pool
      ? poolHolder({ pool: contract.pool, entry: stage?.market?.entry })
      : undefined,
    target,
  });
  const called = data as Hex;
  const plan =
    stage &&
    planPower(stage, {
      target,
      caller: caller.address,
      data: called,
      prepared: prepared ? [prepared as Hex] : [],
      acts: Array.from({ length: times }, () => called),
      patched,
      ...around,
    });
  const what = {
    token,
    call: functionName(selector),
    caller: caller.address,
    origin: originOf(caller),
    data,
  };
  const once =
    times > 1 ? sentence('buyThenRepeat', { ...what, times }) : sentence('buyThenCall', what);
  const note = prepared ? sentence('buyPrepareCall', { ...what, prepared }) : once;
  return simulationEvidence(probeBlock(contract), note, plan?.params);
};

/** What the simulations of a probe were based on; undefined if no probe ran, or only an older release's. */
export const stageOf = (
  { probe, pool }: ContractProfile,
  token: Hex,
): (ProbeStage & { readonly stranger: Hex }) | undefined => {
  if (probe.kind !== 'done' || !probe.stage) return undefined;
  const { poolKind: kind, base, entry, timestampS, laterClock, ...stage } = probe.stage;
  return {
    token,
    market: kind && base && pool ? { kind, token, pool, base, entry } : undefined,
    head: { number: probe.blockNumber, timestampS },
    trader: stage.trader,
    router: stage.router,
    stranger: stage.stranger,
    size: BigInt(stage.size),
    amount: BigInt(stage.amount),
    laterClock,
  };
};

const probeBlock = ({ probe, blockNumber }: ContractProfile): number =>
  probe.kind === 'done' ? probe.blockNumber : blockNumber;

/** The name of a function if known, else its selector. */
export const functionName = (selector: string): string =>
  knownFunction(selector as `0x${string}`)?.signature ?? selector;

/** The result of contract checks while the contract could not be read. */
export const NOT_READ = {
  status: 'unknown',
  reason: sentence('contractUnread'),
} as const;

/** Powers that a probe proved; none if it could not run. */
export const provenPowers = (contract: ContractProfile): readonly Power[] =>
  contract.probe.kind === 'done' ? contract.probe.powers : [];

const ORIGINS = {
  owner: sentence('originOwner'),
  creator: sentence('originCreator'),
  storage: sentence('originStorage'),
  code: sentence('originCode'),
  creation: sentence('originCreation'),
  anyone: sentence('originAnyone'),
  secret: sentence('originSecret'),
} as const;

/** Why a caller may have privileges. */
export const originOf = ({ origin }: PrivilegedCaller): Sentence => ORIGINS[origin];

/** Who has a power, in words. */
export const holderOf = ({ kind, address }: CodePower['holder']): Sentence => {
  const values = { address: address ?? ZERO_ADDRESS };
  switch (kind) {
    case 'wallet':
      return sentence('heldByWallet', values);
    case 'multisig':
      return sentence('heldByMultisig', values);
    case 'timelock':
      return sentence('heldByTimelock', values);
    case 'governance':
      return sentence('heldByGovernance', values);
    case 'contract':
      return sentence('heldByContract', values);
    case 'anyone':
      return sentence('heldByAnyone');
    case 'nobody':
    case 'unknown':
      return sentence('heldByUnknown');
  }
};

/** The kind of an account; undefined if unknown. */
export const holderKindOf = (
  { holders }: ContractProfile,
  address: Hex,
): Exclude<HolderKind, 'nobody'> | undefined => {
  const kind = holders.find((one) => one.address === address)?.kind;
  return kind === 'nobody' ? undefined : kind;
};

/** The code that gives a power, and the slot that names its holder. */
export const codePowerEvidence = (
  contract: ContractProfile,
  { selector, holder: { address, slot, isEntry } }: CodePower,
  token: Hex,
): Evidence[] => {
  const code = bytecodeEvidence(
    contract,
    token,
    sentence('verbatim', { text: functionName(selector) }),
  );
  if (!address || !slot) return [code];
  const note = sentence(isEntry ? 'slotEnters' : 'slotNames', { slot, token, address });
  return [code, storageEvidence(token, slot, contract.blockNumber, note)];
};

/** Holders with rules of their own: bridges, sales and vaults call tokens by functions of their own. */
const RULED_BY_CODE: ReadonlySet<HolderKind> = new Set([
  'multisig',
  'timelock',
  'governance',
  'contract',
]);

/** Whether an account is known to be a contract. */
export const isRuledByCode = (contract: ContractProfile, address: Hex): boolean => {
  const kind = holderKindOf(contract, address);
  return kind !== undefined && RULED_BY_CODE.has(kind);
};

/**
 * Whether a privileged caller is the creator or a wallet in use. An unused address may have no known key: a contract
 * may be deployed there later.
 */
export const isPerson = (
  contract: ContractProfile,
  { address, origin }: PrivilegedCaller,
): boolean => {
  // A caller who knows a secret word, or hides behind the hash of an address, is no future contract.
  if (origin === 'secret') return true;
  const kind = holderKindOf(contract, address) ?? 'unknown';
  return !RULED_BY_CODE.has(kind) && (kind !== 'unknown' || origin === 'creator');
};

/** Whether a person can stop sales by a call, as a simulation showed. */
export const canPersonStop = (contract: ContractProfile): boolean =>
  provenPowers(contract).some(
    ({ kind, caller }) => kind === 'freeze' && isPerson(contract, caller),
  );
