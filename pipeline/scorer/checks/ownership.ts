import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { CheckInput } from './checkInput.ts';
import {
  functionName,
  NOT_READ,
  ownerEvidence,
  powerEvidence,
  provenPowers,
} from './contractEvidence.ts';

/** Whether the contract has an owner who could still act. Most honest young tokens have one. */
export const ownerRenounced = ({ contract, token }: CheckInput): Check => {
  const check = { id: 'owner_renounced', severity: 'info' } as const;
  if (!contract) return { ...check, ...NOT_READ };
  const evidence = ownerEvidence(contract, token);
  switch (contract.owner.kind) {
    case 'none':
      return { ...check, status: 'not_applicable', reason: 'The contract names no owner.' };
    case 'renounced':
      return {
        ...check,
        status: 'pass',
        value: true,
        reason: 'The ownership is given up.',
        evidence,
      };
    case 'held': {
      const reason = `The contract has an owner: ${contract.owner.address}.`;
      return { ...check, status: 'fail', value: false, reason, evidence };
    }
  }
};

/**
 * Whether someone rules a contract whose ownership looks given up. Proof is a simulated call from
 * another address that harms a buyer: an address in the code or the storage is none.
 */
export const hiddenOwner = ({ contract, token }: CheckInput): Check => {
  const check = { id: 'hidden_owner', severity: 'critical' } as const;
  if (!contract) return { ...check, ...NOT_READ };
  if (contract.owner.kind !== 'renounced') {
    return { ...check, status: 'not_applicable', reason: 'No ownership was given up.' };
  }
  const { probe } = contract;
  if (probe.kind === 'unknown') return { ...check, status: 'unknown', reason: probe.reason };
  const power = provenPowers(contract).find(({ caller }) => caller.origin !== 'owner');
  const evidence = ownerEvidence(contract, token);
  if (!power) {
    const reason = 'Nobody was found who rules the contract after its ownership was given up.';
    return { ...check, status: 'pass', reason, evidence };
  }
  const { address, origin } = power.caller;
  const reason = `The ownership looks given up, yet ${address} (${origin}) can ${HARM[power.kind]} by ${functionName(power.selector)}.`;
  return {
    ...check,
    status: 'fail',
    value: address,
    reason,
    evidence: [...evidence, powerEvidence(contract, power, token)],
  };
};

const HARM = {
  mint: 'make tokens',
  confiscate: "take buyers' tokens",
  freeze: 'stop sales',
  tax: 'keep most of a sale',
} as const;
