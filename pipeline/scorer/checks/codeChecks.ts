import { sentence } from '../../../shared/sentences/sentence.ts';
import { selectorOf } from '../simulation/evmCode.ts';
import { defineCheck } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import { type CheckOutcome, codeEvidence, type Evidence } from './checkResult.ts';
import {
  bytecodeEvidence,
  holderKindOf,
  NOT_READ,
  proxyEvidence,
  rulerEvidence,
} from './contractEvidence.ts';
import { isListed } from './listed.ts';

/** EIP-20: functions that every token has. Names and decimals are optional there. */
const REQUIRED = [
  'totalSupply()',
  'balanceOf(address)',
  'transfer(address,uint256)',
  'transferFrom(address,address,uint256)',
  'approve(address,uint256)',
  'allowance(address,address)',
].map((signature) => ({ signature, selector: selectorOf(signature) }));

/** Whether the contract has the functions of EIP-20. Their absence is odd, but no fraud by itself. */
export const erc20Surface = ({ contract, token }: CheckInput): CheckOutcome => {
  const check = { severity: 'info' } as const;
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

const opcodeAt = (opcode: string, offset: number) =>
  sentence('opcodeAt', { opcode, offset: String(offset), hex: `0x${offset.toString(16)}` });

/**
 * Whether the contract can destroy itself. Since EIP-6780 that only moves the ether, but not every chain has adopted
 * it.
 */
export const selfDestruct = ({ contract, token }: CheckInput): CheckOutcome => {
  const check = { severity: 'warning' } as const;
  if (!contract) return { ...check, ...NOT_READ };
  const offset = contract.patterns.selfDestructAt;
  if (offset === null) {
    return { ...check, status: 'pass', reason: sentence('cannotSelfDestruct') };
  }
  const evidence = [bytecodeEvidence(contract, token, opcodeAt('SELFDESTRUCT', offset))];
  return { ...check, status: 'fail', reason: sentence('canSelfDestruct'), evidence };
};

/** Whether the contract executes another contract's code other than as a known kind of proxy. */
export const foreignCode = ({ contract, token }: CheckInput): CheckOutcome => {
  const check = { severity: 'warning' } as const;
  if (!contract) return { ...check, ...NOT_READ };
  const offset = contract.patterns.delegateCallAt;
  if (offset === null) {
    return { ...check, status: 'pass', reason: sentence('noForeignCode') };
  }
  if (contract.proxy) {
    // UUPS implementations do this to upgrade: see the check of proxies.
    return { ...check, status: 'not_applicable', reason: sentence('isProxy') };
  }
  const evidence = [bytecodeEvidence(contract, token, opcodeAt('DELEGATECALL', offset))];
  const reason = sentence('foreignCode');
  return { ...check, status: 'fail', reason, evidence };
};

/**
 * Whether the code behind the token can be replaced. Common among honest tokens; if a single wallet can, it has every
 * power over buyers, and its intentions are unknown.
 */
export const proxy = (input: CheckInput): CheckOutcome => {
  const { contract, token } = input;
  const check = { severity: 'info' } as const;
  if (!contract) return { ...check, ...NOT_READ };
  if (!contract.proxy) {
    return { ...check, status: 'pass', value: 'none', reason: sentence('noProxy') };
  }
  const { kind, implementation, slot, upgrade } = contract.proxy;
  const codeShows = (text: string): Evidence =>
    codeEvidence(token, contract.blockNumber, sentence('verbatim', { text }));
  if (kind === 'eip7702') {
    const reason = sentence('replaceableProxy', { implementation });
    return { ...check, status: 'fail', value: kind, reason, evidence: [codeShows('EIP-7702')] };
  }
  if (slot === null) {
    const reason = sentence('fixedProxy', { implementation });
    return { ...check, status: 'pass', value: kind, reason, evidence: [codeShows('EIP-1167')] };
  }
  const evidence = [proxyEvidence(contract.proxy, token, contract.blockNumber)];
  const rulers = [contract.proxy.ruler, upgrade?.caller].flatMap((one) => one ?? []);
  const ruler = rulers.find((one) => holderKindOf(contract, one) === 'wallet');
  if (ruler && !isListed(input)) {
    const reason = sentence('proxyOfWallet', { implementation, address: ruler });
    const shown = [...evidence, ...rulerEvidence(contract.proxy, ruler, contract, token)];
    const held = { severity: 'warning', held_by: 'wallet' } as const;
    return { ...held, status: 'fail', value: kind, reason, evidence: shown };
  }
  const reason = sentence('replaceableProxy', { implementation });
  return { ...check, status: 'fail', value: kind, reason, evidence };
};

export const erc20SurfaceCheck = defineCheck({
  id: 'erc20_surface',
  question: { topic: 'name', whenPassed: 'yes' },
  failsIf: 'functions of EIP-20 are missing',
  severity: 'info',
  run: erc20Surface,
});

export const selfDestructCheck = defineCheck({
  id: 'self_destruct',
  expected: { failed: 0.7 },
  question: { topic: 'powers', whenPassed: 'no' },
  failsIf: 'the code can destroy itself',
  severity: 'warning',
  run: selfDestruct,
});

export const foreignCodeCheck = defineCheck({
  id: 'delegatecall',
  expected: { failed: 0.4 },
  question: { topic: 'powers', whenPassed: 'no' },
  failsIf: 'the code runs foreign code without being a proxy',
  severity: 'warning',
  run: foreignCode,
});

export const proxyCheck = defineCheck({
  id: 'proxy',
  question: { topic: 'powers', whenPassed: 'no' },
  failsIf: 'the code can be replaced; a warning where a single wallet can',
  severity: 'warning, info',
  run: proxy,
});
