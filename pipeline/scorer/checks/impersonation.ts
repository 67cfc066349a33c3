import type { Hex } from '../../../shared/chain/block.ts';
import { selectorOf } from '../../../shared/encode/evmCode.ts';
import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { ContractProfile } from '../contract/contractProfile.ts';
import { lookAlike } from '../contract/lookAlike.ts';
import type { CheckInput } from './checkInput.ts';
import { bytecodeEvidence } from './contractEvidence.ts';
import { callRequest, codeRequest } from './evidence.ts';

/** Holders from which a token is known by itself, whatever it is called. */
const ESTABLISHED_HOLDERS_MIN = 10_000;

/**
 * Whether the token could be taken for a known one. A disguise (look-alike letters, invisible
 * characters) shows intent; a copy of name and symbol on the same chain nearly does; a symbol alone is
 * shared by bridged and unlucky tokens, so that it is mentioned and not held against them.
 */
export const lookAlikeName = (input: CheckInput): Check => {
  const check = { id: 'look_alike', severity: 'warning' } as const;
  const { chainId, token, name, symbol, holderCount } = input;
  const found = lookAlike({ chainId, address: token, name, symbol });
  if (!found || holderCount >= ESTABLISHED_HOLDERS_MIN) {
    return { ...check, status: 'pass', reason: 'The name resembles that of no known token.' };
  }
  const { known, kind } = found;
  const ref = known.address;
  const note = `${known.name} (${known.symbol}); this one calls itself ${name} (${symbol})`;
  const evidence = [
    { kind: 'address' as const, ref, note },
    { ...spelling(token, 'symbol()'), note: `symbol() answers ${symbol}` },
    { ...spelling(token, 'name()'), note: `name() answers ${name}` },
  ];
  const reason = `The token ${LIKENESS[kind]} ${known.name} (${known.symbol}), which it is not.`;
  const severity = kind === 'symbolOnly' ? ('info' as const) : ('warning' as const);
  return { ...check, severity, status: 'fail', value: kind, reason, evidence };
};

/** What the token calls itself, by its own answer. */
const spelling = (token: Hex, signature: string) => ({
  kind: 'call' as const,
  ref: `${signature} of ${token}`,
  request: callRequest(token, selectorOf(signature)),
});

const LIKENESS = {
  disguised: 'is written to be read as',
  sameChain: 'has name and symbol of',
  symbolOnly: 'shares its symbol with',
} as const;

const codeOf = (address: Hex, note: string, { blockNumber }: ContractProfile) => ({
  kind: 'address' as const,
  ref: address,
  note,
  request: codeRequest(address, blockNumber),
});

/**
 * Whether other tokens with the same instructions were scams because of their contract. One that also
 * made as many honest tokens is a template, and proves nothing.
 */
export const knownScamCode = ({ twins, contract, token }: CheckInput): Check => {
  const check = { id: 'known_scam_code', severity: 'warning' } as const;
  if (!twins || !contract) {
    return { ...check, status: 'unknown', reason: 'The code could not be compared with others.' };
  }
  const { scams, others, example } = twins;
  const near = contract.nearScam;
  if (scams > others && example) {
    const evidence = [
      bytecodeEvidence(contract, token, 'the same instructions, constants left out'),
      codeOf(example, 'a scam with this code', contract),
    ];
    const reason = `The same code made ${scams} known scams and ${others} other tokens.`;
    return { ...check, status: 'fail', value: scams, reason, evidence };
  }
  if (scams === 0 && others === 0 && near) {
    // Most of the code of any two tokens is the same library: likeness is shown, not held against it.
    const reason = `An estimated ${(100 * near.similarity).toFixed(0)} % of the code is that of a known scam.`;
    const evidence = [codeOf(near.token, 'a scam with similar code', contract)];
    const value = Math.round(near.similarity * 10_000) / 10_000;
    return { ...check, severity: 'info', status: 'fail', value, reason, evidence };
  }
  return { ...check, status: 'pass', reason: 'No known scam has this code.' };
};
