import { selectorOf } from '../../../shared/encode/evmCode.ts';
import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { CheckInput } from './checkInput.ts';
import { bytecodeEvidence, NOT_READ } from './contractEvidence.ts';

/** EIP-20: the functions that every token has. Names and decimals are optional there. */
const REQUIRED = [
  'totalSupply()',
  'balanceOf(address)',
  'transfer(address,uint256)',
  'transferFrom(address,address,uint256)',
  'approve(address,uint256)',
  'allowance(address,address)',
].map((signature) => ({ signature, selector: selectorOf(signature) }));

/** Whether the contract has the functions of EIP-20. Odd, but no fraud by itself. */
export const erc20Surface = ({ contract, token }: CheckInput): Check => {
  const check = { id: 'erc20_surface', severity: 'info' } as const;
  if (!contract) return { ...check, ...NOT_READ };
  if (contract.functions.length === 0) {
    const reason = 'The functions of the contract cannot be recovered from its code.';
    return { ...check, status: 'unknown', reason };
  }
  const selectors = new Set(contract.functions.map(({ selector }) => selector));
  const missing = REQUIRED.filter(({ selector }) => !selectors.has(selector));
  const value = REQUIRED.length - missing.length;
  if (missing.length === 0) {
    const evidence = [bytecodeEvidence(contract, token, 'selectors in the dispatcher')];
    return {
      ...check,
      status: 'pass',
      value,
      reason: 'All functions of ERC-20 are there.',
      evidence,
    };
  }
  const names = missing.map(({ signature }) => signature).join(', ');
  const evidence = [bytecodeEvidence(contract, token, `no selector of ${names}`)];
  return { ...check, status: 'fail', value, reason: `The code has no ${names}.`, evidence };
};
