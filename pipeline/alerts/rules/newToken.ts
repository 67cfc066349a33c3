import type { Hex } from '../../../shared/chain/block.ts';
import type { CreationFact, TransferFact } from '../../../shared/chain/fact.ts';
import { anyStrength, type BlockRule, type Finding } from './rule.ts';

/**
 * A wallet deployed a contract that moved its own tokens in the same transaction, as a token's constructor does.
 */
export const newToken: BlockRule = {
  type: 'new_token',
  threshold: anyStrength,
  looksAt: 'a deployment that sends Transfers',
  strength: 'any',
  severity: 'info MONITOR',
  notDetected: 'tokens made by factories, tokens that mint later',
  find: ({ block }) => {
    const creations = new Map<Hex, CreationFact>();
    for (const fact of block.facts) {
      if (fact.kind === 'creation') creations.set(fact.contract, fact);
    }
    if (creations.size === 0) return [];
    const findings: Finding[] = [];
    for (const fact of block.facts) {
      if (fact.kind !== 'transfer') continue;
      const creation = creations.get(fact.token);
      if (creation?.txHash !== fact.txHash) continue;
      creations.delete(fact.token);
      findings.push(toFinding(creation, fact, block.number));
    }
    return findings;
  },
};

const toFinding = (
  { contract, creator, txHash }: CreationFact,
  firstTransfer: TransferFact,
  blockNumber: number,
): Finding => ({
  type: 'new_token',
  token: contract,
  wallets: [creator],
  strength: 1,
  severity: 'info',
  recommendation: 'MONITOR',
  details: { creator, tx_hash: txHash, block_number: blockNumber },
  txHash,
  logIndex: firstTransfer.logIndex,
});
