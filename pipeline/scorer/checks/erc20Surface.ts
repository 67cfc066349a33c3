import { sentence } from '../../../shared/sentences/sentence.ts';
import { selectorOf } from '../simulation/evmCode.ts';
import type { CheckInput } from './checkInput.ts';
import type { CheckResult } from './checkResult.ts';
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
export const erc20Surface = ({ contract, token }: CheckInput): CheckResult => {
  const check = { id: 'erc20_surface', severity: 'info' } as const;
  if (!contract) return { ...check, ...NOT_READ };
  if (contract.functions.length === 0) {
    const reason = sentence('functionsUnknown');
    return { ...check, status: 'unknown', reason };
  }
  const selectors = new Set(contract.functions.map(({ selector }) => selector));
  const missing = REQUIRED.filter(({ selector }) => !selectors.has(selector));
  const value = REQUIRED.length - missing.length;
  if (missing.length === 0) {
    const evidence = [bytecodeEvidence(contract, token, sentence('selectorsFound'))];
    return {
      ...check,
      status: 'pass',
      value,
      reason: sentence('hasAllFunctions'),
      evidence,
    };
  }
  const functions = missing.map(({ signature }) => signature);
  const evidence = [bytecodeEvidence(contract, token, sentence('selectorsMissing', { functions }))];
  const reason = sentence('lacksFunctions', { functions });
  return { ...check, status: 'fail', value, reason, evidence };
};
