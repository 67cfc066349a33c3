import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { block, CREATOR, findingsIn, hash, TOKEN, transfer } from '../testing/chainBuilder.ts';
import { newToken } from './newToken.ts';

const creation: Fact = {
  kind: 'creation',
  contract: TOKEN,
  creator: CREATOR,
  txHash: hash('deploy'),
  txIndex: 0,
};
const mint = transfer('deploy', TOKEN, ZERO_ADDRESS, CREATOR);

const CASES: readonly { name: string; facts: readonly Fact[]; found: number }[] = [
  { name: 'a token that mints in its constructor', facts: [creation, mint], found: 1 },
  { name: 'the same with the log first', facts: [mint, creation], found: 1 },
  { name: 'two transfers of one token once', facts: [creation, mint, mint], found: 1 },
  { name: 'a contract without a transfer', facts: [creation], found: 0 },
  {
    name: 'a transfer of another transaction',
    facts: [creation, transfer('later', TOKEN, ZERO_ADDRESS, CREATOR)],
    found: 0,
  },
];

describe('newToken', () => {
  for (const { name, facts, found } of CASES) {
    it(`${found ? 'finds' : 'is silent about'} ${name}`, () => {
      const findings = findingsIn(newToken, [block(1, facts)]);
      assert.equal(findings.length, found);
      if (found) assert.deepEqual(findings[0]?.wallets, [CREATOR]);
    });
  }
});
