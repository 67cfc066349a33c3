import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { CheckInput } from './checkInput.ts';
import { bytecodeEvidence, NOT_READ } from './contractEvidence.ts';
import { codeRequest, storageRequest } from './evidence.ts';

const at = (offset: number): string => `at byte ${offset} (0x${offset.toString(16)})`;

/**
 * Whether the contract can destroy itself. Since EIP-6780 that takes the ether only, but not every
 * chain has it.
 */
export const selfDestruct = ({ contract, token }: CheckInput): Check => {
  const check = { id: 'self_destruct', severity: 'warning' } as const;
  if (!contract) return { ...check, ...NOT_READ };
  const offset = contract.patterns.selfDestructAt;
  if (offset === null) {
    return { ...check, status: 'pass', reason: 'The code cannot destroy itself.' };
  }
  const evidence = [bytecodeEvidence(contract, token, `SELFDESTRUCT ${at(offset)}`)];
  return { ...check, status: 'fail', reason: 'The code can destroy itself.', evidence };
};

/** Whether the contract runs foreign code, other than as a proxy of a known sort does. */
export const foreignCode = ({ contract, token }: CheckInput): Check => {
  const check = { id: 'delegatecall', severity: 'warning' } as const;
  if (!contract) return { ...check, ...NOT_READ };
  const offset = contract.patterns.delegateCallAt;
  if (offset === null) {
    return { ...check, status: 'pass', reason: 'The code runs no foreign code.' };
  }
  if (contract.proxy) {
    // What UUPS implementations do to upgrade: see the check of proxies.
    return { ...check, status: 'not_applicable', reason: 'The contract is a proxy.' };
  }
  const evidence = [bytecodeEvidence(contract, token, `DELEGATECALL ${at(offset)}`)];
  const reason = 'The contract runs code of other contracts, and is no proxy of a known sort.';
  return { ...check, status: 'fail', reason, evidence };
};

/** Whether the code behind the token can be replaced. Common among honest tokens. */
export const proxy = ({ contract, token }: CheckInput): Check => {
  const check = { id: 'proxy', severity: 'info' } as const;
  if (!contract) return { ...check, ...NOT_READ };
  if (!contract.proxy) {
    return { ...check, status: 'pass', value: 'none', reason: 'The contract is no proxy.' };
  }
  const { kind, implementation, slot } = contract.proxy;
  if (slot === null) {
    const reason = `The contract runs the code of ${implementation} for good.`;
    const ref = `eth_getCode(${token})@${contract.blockNumber}`;
    const request = codeRequest(token, contract.blockNumber);
    const evidence = [{ kind: 'bytecode' as const, ref, note: 'EIP-1167', request }];
    return { ...check, status: 'pass', value: kind, reason, evidence };
  }
  const reason = `The contract runs the code of ${implementation}, which can be replaced.`;
  const ref = `eth_getStorageAt(${token}, ${slot})@${contract.blockNumber}`;
  const request = storageRequest(token, slot, contract.blockNumber);
  const evidence = [{ kind: 'storage' as const, ref, note: `${kind}: ${implementation}`, request }];
  return { ...check, status: 'fail', value: kind, reason, evidence };
};
