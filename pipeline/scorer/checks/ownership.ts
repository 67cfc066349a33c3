import { ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import { defineCheck } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import type { CheckOutcome } from './checkResult.ts';
import {
  functionName,
  isPerson,
  NOT_READ,
  originOf,
  ownerEvidence,
  powerEvidence,
  provenPowers,
} from './contractEvidence.ts';

/** Whether the contract has an owner who could still act. Most honest young tokens have one. */
export const ownerRenounced = ({ contract, token }: CheckInput): CheckOutcome => {
  const check = { severity: 'info' } as const;
  if (!contract) return { ...check, ...NOT_READ };
  const evidence = ownerEvidence(contract, token);
  switch (contract.owner.kind) {
    case 'none':
      return { ...check, status: 'not_applicable', reason: sentence('noOwner') };
    case 'renounced':
      return {
        ...check,
        status: 'pass',
        value: true,
        reason: sentence('renounced'),
        evidence,
      };
    case 'held': {
      const reason = sentence('owned', { address: contract.owner.address ?? ZERO_ADDRESS });
      return { ...check, status: 'fail', value: false, reason, evidence };
    }
  }
};

/**
 * Whether someone controls a contract whose ownership looks renounced. The proof is a simulated call from another
 * address that harms a buyer; an address in code or storage is no proof. A warning if that address is a contract, or
 * was never used: bridges and vaults are such, and no person is known to be behind it.
 */
export const hiddenOwner = ({ contract, token }: CheckInput): CheckOutcome => {
  const check = { severity: 'critical' } as const;
  if (!contract) return { ...check, ...NOT_READ };
  if (contract.owner.kind !== 'renounced') {
    return { ...check, status: 'not_applicable', reason: sentence('notRenounced') };
  }
  const { probe } = contract;
  if (probe.kind === 'unknown') return { ...check, status: 'unknown', reason: probe.reason };
  const powers = provenPowers(contract).filter(
    // A holder known to the code by a hash only is accused by the power itself: nobody can be named.
    ({ caller: { origin } }) => origin !== 'owner' && origin !== 'anyone' && origin !== 'secret',
  );
  const power = powers.find(({ caller }) => isPerson(contract, caller)) ?? powers[0];
  const evidence = ownerEvidence(contract, token);
  if (!power) {
    const reason = sentence('noHiddenOwner');
    return { ...check, status: 'pass', reason, evidence };
  }
  const { address } = power.caller;
  const reason = sentence('hiddenOwner', {
    address,
    origin: originOf(power.caller),
    harm: HARM[power.kind],
    call: functionName(power.selector),
  });
  return {
    ...check,
    status: 'fail',
    severity: isPerson(contract, power.caller) ? 'critical' : 'warning',
    value: address,
    reason,
    evidence: [...evidence, powerEvidence(contract, power, token)],
  };
};

const HARM = {
  mint: sentence('harmMint'),
  confiscate: sentence('harmConfiscate'),
  drain: sentence('harmDrain'),
  freeze: sentence('harmFreeze'),
  tax: sentence('harmFee'),
} as const;

export const ownerRenouncedCheck = defineCheck({
  id: 'owner_renounced',
  question: { topic: 'powers', whenPassed: 'yes', inFavour: 6 },
  passed: -0.2,
  failsIf: 'an owner remains',
  severity: 'info',
  run: ownerRenounced,
});

export const hiddenOwnerCheck = defineCheck({
  id: 'hidden_owner',
  accusesCode: true,
  question: { topic: 'powers', whenPassed: 'no' },
  failsIf:
    'ownership looks renounced, and someone else harms a buyer in a simulation. A warning where that is a contract, or an address that was never used',
  severity: 'critical, warning',
  run: hiddenOwner,
});
