import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fact } from '../../../shared/chain/fact.ts';
import {
  address,
  block,
  burn,
  CREATOR,
  findingsIn,
  POOL,
  PRICING,
  PROFILE,
  pairCreated,
  sale,
  sync,
  TOKEN,
  transfer,
} from '../testing/chainBuilder.ts';
import { largeSell } from './largeSell.ts';
import type { Finding } from './rule.ts';

const SELLER = address('seller');

/** The alerts of a block for watchers of the token or the wallet; the pool held 100 coins at 2,000 dollars. */
const alerted = (
  facts: readonly Fact[],
  watchedAs: 'token' | 'wallet',
  pricing = PRICING,
): Finding[] => {
  const blocks = [block(1, [pairCreated(), sync('open', 1000, 100)]), block(2, facts)];
  return findingsIn(largeSell, blocks, pricing).flatMap(
    (finding) => finding.withProfile?.(PROFILE, watchedAs) ?? [],
  );
};
const soldBy = (seller: `0x${string}`, base: number): Fact[] => [
  transfer('s', TOKEN, seller, POOL, 10),
  sync('s', 1010, 100 - base),
  sale('s', 10, base, seller),
];

const CASES: readonly (readonly [
  name: string,
  facts: readonly Fact[],
  watchedAs: 'token' | 'wallet',
  usd: number | null,
  severity?: Finding['severity'],
])[] = [
  ['a tenth of the pool', soldBy(SELLER, 10), 'token', 20_000, 'info'],
  ['a third of the pool', soldBy(SELLER, 33), 'token', 66_000, 'warning'],
  ['a small sale of a stranger', soldBy(SELLER, 3), 'token', null],
  ['the same, of a watched wallet', soldBy(SELLER, 3), 'wallet', 6_000, 'info'],
  ['a small sale of the creator', soldBy(CREATOR, 3), 'token', 6_000, 'warning'],
  ['a withdrawal', [sync('b', 900, 90), burn('b', 100, 10)], 'token', null],
  ['a few dollars', soldBy(CREATOR, 0.004), 'token', null],
];

describe('largeSell', () => {
  for (const [name, facts, watchedAs, usd, severity] of CASES) {
    it(`${usd === null ? 'is silent about' : 'finds'} ${name}`, () => {
      const [finding, ...others] = alerted(facts, watchedAs);
      assert.deepEqual(others, []);
      assert.equal(finding?.details['sold_usd'] ?? null, usd);
      assert.equal(finding?.severity, severity);
      assert.equal(Math.round(finding?.strength ?? 0), usd ?? 0);
    });
  }

  it('says so where the creator sold', () => {
    const [finding] = alerted(soldBy(CREATOR, 3), 'token');
    assert.equal(finding?.details['creator_sold_usd'], 6_000);
    assert.equal(finding?.recommendation, 'REDUCE_EXPOSURE');
  });

  it('is silent where no price is known', () => {
    assert.deepEqual(alerted(soldBy(CREATOR, 30), 'token', { ...PRICING, nativePriceUsd: 0 }), []);
  });
});
