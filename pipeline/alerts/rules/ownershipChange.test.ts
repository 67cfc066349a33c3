import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { address, block, findingsIn, hash, TOKEN } from '../testing/chainBuilder.ts';
import { ownershipChange } from './ownershipChange.ts';

const [ann, bob] = [address('ann'), address('bob')];
const CASES: readonly { name: string; from: Hex; to: Hex; severity: string | undefined }[] = [
  { name: 'a sale of the contract', from: ann, to: bob, severity: 'warning' },
  { name: 'a renouncement', from: ann, to: ZERO_ADDRESS, severity: 'info' },
  { name: 'the first owner', from: ZERO_ADDRESS, to: ann, severity: undefined },
  { name: 'a transfer to oneself', from: ann, to: ann, severity: undefined },
];

describe('ownershipChange', () => {
  for (const { name, from, to, severity } of CASES) {
    it(`${severity ? 'finds' : 'is silent about'} ${name}`, () => {
      const now = block(1, [
        {
          kind: 'ownershipTransferred',
          contract: TOKEN,
          previousOwner: from,
          newOwner: to,
          txHash: hash('own'),
          txIndex: 0,
          logIndex: 0,
        },
      ]);
      const [finding] = findingsIn(ownershipChange, [now]);
      assert.equal(finding?.severity, severity);
    });
  }
});
