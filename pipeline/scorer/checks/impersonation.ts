import type { Hex } from '../../../shared/chain/block.ts';
import type { Check } from '../../../shared/messages/verdictDoc.ts';
import { lookAlike } from '../../../shared/names/lookAlike.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import type { ContractProfile } from '../contract/contractProfile.ts';
import { defineCheck, type Weight } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import {
  addressEvidence,
  answerEvidence,
  type CheckOutcome,
  codeRequest,
  rounded,
} from './checkResult.ts';
import { bytecodeEvidence, holderKindOf, provenPowers } from './contractEvidence.ts';

/** Holders from which a token is known in its own right, whatever its name. */
const ESTABLISHED_HOLDERS_MIN = 10_000;

/**
 * Whether the token could be mistaken for a known one. A disguise (look-alike letters, invisible characters) shows
 * intent; a copy of name and symbol on the same chain nearly does. A symbol alone is shared by bridged and unlucky
 * tokens, so it is mentioned and does not count against them.
 */
export const lookAlikeName = (input: CheckInput): CheckOutcome => {
  const check = { severity: 'warning' } as const;
  const { chainId, token, name, symbol, holderCount } = input;
  const found = lookAlike({ chainId, address: token, name, symbol });
  if (!found || holderCount >= ESTABLISHED_HOLDERS_MIN) {
    return { ...check, status: 'pass', reason: sentence('resemblesNone') };
  }
  const { known, kind } = found;
  const original = `${known.name} (${known.symbol})`;
  const note = sentence('callsItself', { known: original, own: `${name} (${symbol})` });
  const evidence = [
    addressEvidence(known.address, note),
    spelling(token, 'symbol()', symbol),
    spelling(token, 'name()', name),
  ];
  const reason = sentence(LIKENESS[kind], { known: original });
  const severity = kind === 'symbolOnly' ? ('info' as const) : ('warning' as const);
  return { ...check, severity, status: 'fail', value: kind, reason, evidence };
};

/** The token's own name and symbol. */
const spelling = (token: Hex, call: string, answer: string) =>
  answerEvidence(token, call, sentence('answers', { call, answer }));

const LIKENESS = {
  disguised: 'disguised',
  sameChain: 'sameName',
  symbolOnly: 'sameSymbol',
} as const;

const codeOf = (address: Hex, note: Sentence, { blockNumber }: ContractProfile) =>
  addressEvidence(address, note, codeRequest(address, blockNumber));

/**
 * Whether other tokens with the same instructions were scams because of their contract. Code that also made as many
 * honest tokens is a template, and proves nothing.
 */
export const knownScamCode = ({ twins, contract, token }: CheckInput): CheckOutcome => {
  const check = { severity: 'warning' } as const;
  if (!twins || !contract) {
    return { ...check, status: 'unknown', reason: sentence('codeNotCompared') };
  }
  const { scams, others, example } = twins;
  const near = contract.nearScam;
  if (scams > others && example) {
    const evidence = [
      bytecodeEvidence(contract, token, sentence('sameInstructions')),
      codeOf(example, sentence('scamWithCode'), contract),
    ];
    const reason = sentence('scamCode', { scams, others });
    return { ...check, status: 'fail', value: scams, reason, evidence };
  }
  if (scams === 0 && others === 0 && near) {
    // Any two tokens share most of their code through libraries: similarity counts only against tokens that can also
    // mint and take tokens.
    const evidence = [codeOf(near.token, sentence('scamWithNearCode'), contract)];
    const value = rounded(near.similarity);
    // An estimate, accurate to whole percents at best.
    const reason = sentence('nearScamCode', { share: Math.round(near.similarity * 100) / 100 });
    const severity = canMakeAndTake(contract) ? 'warning' : 'info';
    return { ...check, severity, status: 'fail', value, reason, evidence };
  }
  return { ...check, status: 'pass', reason: sentence('noScamCode') };
};

/** Whether simulations showed one wallet mint tokens and take those of others. */
const canMakeAndTake = (contract: ContractProfile): boolean => {
  const kinds = provenPowers(contract)
    .filter(({ caller }) => holderKindOf(contract, caller.address) === 'wallet')
    .map(({ kind }) => kind);
  return kinds.includes('mint') && kinds.includes('confiscate');
};

const LIKENESS_LOG_ODDS: Readonly<Record<string, number>> = { disguised: 3, sameChain: 2 };
const weightOfLikeness = ({ value }: Check): Weight => ({
  logOdds: LIKENESS_LOG_ODDS[String(value)] ?? 0,
  kind: 'sign',
});

export const lookAlikeNameCheck = defineCheck({
  id: 'look_alike',
  question: { topic: 'name', whenPassed: 'no' },
  failed: weightOfLikeness,
  failsIf:
    'look-alike letters or invisible characters make it read as a known token, or it copies name and symbol of one on its chain; `info` for a symbol alone',
  severity: 'warning, info',
  run: lookAlikeName,
});

export const knownScamCodeCheck = defineCheck({
  id: 'known_scam_code',
  question: { topic: 'creator', whenPassed: 'no' },
  failed: { logOdds: 1.8, kind: 'sign' },
  failsIf:
    'tokens with the same instructions were scams, or with similar ones where simulations showed that one wallet mints tokens and takes them; `info` for other similar code',
  severity: 'warning, info',
  run: knownScamCode,
});
