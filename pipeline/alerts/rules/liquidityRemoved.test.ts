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

const CASES: readonly (readonly [
  name: string,
  facts: readonly Fact[],
  share: number | null,
  severity?: string,
])[] = [
  ['a tenth', [sync('b', 900, 90), burn('b', 100, 10)], null],
  ['a fifth', [sync('b', 800, 80), burn('b', 200, 20)], 0.2, 'info'],
  ['nearly all', [sync('b', 50, 5), burn('b', 950, 95)], 0.95, 'warning'],
  ['a sale', [sync('s', 5000, 20), sale('s', 4000, 80, CREATOR)], null],
  [
    'what was added in the same block',
    [sync('m', 2000, 200), sync('b', 1000, 100), burn('b', 1000, 100)],
    null,
  ],
];

describe('liquidityRemoved', () => {
  for (const [name, facts, share, severity] of CASES) {
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
