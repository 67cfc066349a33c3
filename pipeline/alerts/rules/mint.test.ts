import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { thresholdsOf } from '../../../shared/messages/settingsMessage.ts';
import type { Sensitivity } from '../../../shared/messages/watchMessage.ts';
import {
  address,
  block,
  CREATOR,
  hash,
  PROFILE,
  TOKEN,
  transfer,
} from '../testing/chainBuilder.ts';
import { mint } from './mint.ts';
import type { Finding, TokenProfile } from './rule.ts';

const minted = (amount: number, to = CREATOR): Fact =>
  transfer('m', TOKEN, ZERO_ADDRESS, to, amount);
const LOW = { sensitivity: 'low' } as const;
const creation: Fact = {
  kind: 'creation',
  contract: TOKEN,
  creator: CREATOR,
  txHash: hash('m'),
  txIndex: 0,
};
const alerted = (
  facts: readonly Fact[],
  profile: TokenProfile = PROFILE,
  sensitivity: Sensitivity = 'high',
): Finding[] =>
  mint
    .find({ block: block(1, facts), pools: [], suspects: [], chainId: 1, usdPerUnit: () => null })
    .flatMap((finding) => finding.withProfile?.(profile, 'token') ?? [])
    .filter(({ strength }) => strength >= mint.threshold(thresholdsOf(sensitivity), sensitivity));

/** The supply is a million tokens. */
const CASES: readonly (readonly [
  name: string,
  facts: readonly Fact[],
  share: number | null | undefined,
  severity?: Finding['severity'] | undefined,
  changes?: { readonly profile?: Partial<TokenProfile>; readonly sensitivity?: Sensitivity },
])[] = [
  ['a thousandth', [minted(1_000)], 0.001, 'info'],
  ['less than a thousandth', [minted(999)], undefined],
  ['a hundredth for low sensitivity', [minted(10_000)], undefined, undefined, LOW],
  ['a tenth', [minted(100_000)], 0.1, 'warning', LOW],
  ['as much as there was', [minted(1_000_000)], 1, 'critical'],
  ['parts of one transaction together', [minted(600), minted(600)], 0.0012, 'info'],
  ['the supply a token begins with', [creation, minted(1_000_000)], undefined],
  [
    'the first transfer of a token made by a factory',
    [minted(1_000_000)],
    undefined,
    undefined,
    { profile: { createdTx: hash('m') } },
  ],
  [
    'any amount where the supply is unknown',
    [minted(1)],
    null,
    'info',
    { ...LOW, profile: { totalSupply: null } },
  ],
  ['a transfer', [transfer('t', TOKEN, CREATOR, address('x'), 1e6)], undefined],
];

describe('mint', () => {
  for (const [name, facts, share, severity, { profile, sensitivity } = {}] of CASES) {
    it(`${share === undefined ? 'is silent about' : 'finds'} ${name}`, () => {
      const [finding, ...others] = alerted(facts, { ...PROFILE, ...profile }, sensitivity);
      assert.deepEqual(others, []);
      assert.equal(finding?.details['minted_share'], share);
      assert.equal(finding?.severity, severity);
    });
  }

  it('names who got how much', () => {
    const [finding] = alerted([minted(1_500, address('a')), minted(500, address('b'))]);
    assert.deepEqual(finding?.wallets, [address('a'), address('b')]);
    assert.equal(finding?.details['minted'], '2000000000000000000000');
    assert.equal(finding?.details['recipients'], 2);
  });
});
