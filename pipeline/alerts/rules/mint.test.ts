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

/** There are a million tokens. */
const CASES: readonly {
  name: string;
  facts: readonly Fact[];
  profile?: TokenProfile;
  sensitivity?: Sensitivity;
  share: number | null | undefined;
  severity?: Finding['severity'];
}[] = [
  { name: 'a thousandth', facts: [minted(1_000)], share: 0.001, severity: 'info' },
  { name: 'less than a thousandth', facts: [minted(999)], share: undefined },
  {
    name: 'a hundredth for low sensitivity',
    facts: [minted(10_000)],
    sensitivity: 'low',
    share: undefined,
  },
  {
    name: 'a tenth',
    facts: [minted(100_000)],
    sensitivity: 'low',
    share: 0.1,
    severity: 'warning',
  },
  { name: 'as much as there was', facts: [minted(1_000_000)], share: 1, severity: 'critical' },
  {
    name: 'parts of one transaction together',
    facts: [minted(600), minted(600)],
    share: 0.0012,
    severity: 'info',
  },
  {
    name: 'the supply a token begins with',
    facts: [creation, minted(1_000_000)],
    share: undefined,
  },
  {
    name: 'the first transfer of a token made by a factory',
    facts: [minted(1_000_000)],
    profile: { ...PROFILE, createdTx: hash('m') },
    share: undefined,
  },
  {
    name: 'any amount where the supply is unknown',
    facts: [minted(1)],
    profile: { ...PROFILE, totalSupply: null },
    sensitivity: 'low',
    share: null,
    severity: 'info',
  },
  {
    name: 'a transfer',
    facts: [transfer('t', TOKEN, CREATOR, address('x'), 1e6)],
    share: undefined,
  },
];

describe('mint', () => {
  for (const { name, facts, profile, sensitivity, share, severity } of CASES) {
    it(`${share === undefined ? 'is silent about' : 'finds'} ${name}`, () => {
      const [finding, ...others] = alerted(facts, profile, sensitivity);
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
