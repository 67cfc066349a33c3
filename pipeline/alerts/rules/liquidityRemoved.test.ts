import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fact } from '../../../shared/chain/fact.ts';
import { thresholdsOf } from '../../../shared/messages/settingsMessage.ts';
import {
  block,
  burn,
  CREATOR,
  findingsIn,
  pairCreated,
  sale,
  sync,
} from '../testing/chainBuilder.ts';
import { liquidityRemoved } from './liquidityRemoved.ts';

const CASES: readonly {
  name: string;
  facts: readonly Fact[];
  share: number | null;
  severity?: string;
}[] = [
  { name: 'a tenth', facts: [sync('b', 900, 90), burn('b', 100, 10)], share: null },
  {
    name: 'a fifth',
    facts: [sync('b', 800, 80), burn('b', 200, 20)],
    share: 0.2,
    severity: 'info',
  },
  {
    name: 'nearly all',
    facts: [sync('b', 50, 5), burn('b', 950, 95)],
    share: 0.95,
    severity: 'warning',
  },
  { name: 'a sale', facts: [sync('s', 5000, 20), sale('s', 4000, 80, CREATOR)], share: null },
  {
    name: 'what was added in the same block',
    facts: [sync('m', 2000, 200), sync('b', 1000, 100), burn('b', 1000, 100)],
    share: null,
  },
];

describe('liquidityRemoved', () => {
  for (const { name, facts, share, severity } of CASES) {
    it(`${share === null ? 'is silent about' : 'finds'} ${name}`, () => {
      const blocks = [block(1, [pairCreated(), sync('open', 1000, 100)]), block(2, facts)];
      const least = liquidityRemoved.threshold(thresholdsOf('high'), 'high');
      const findings = findingsIn(liquidityRemoved, blocks).filter(
        ({ strength }) => strength >= least,
      );
      assert.deepEqual(
        findings.map(({ details }) => details['liquidity_change']),
        share === null ? [] : [-share],
      );
      assert.equal(findings[0]?.severity, severity);
    });
  }
});
