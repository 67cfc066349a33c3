import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_RECORD, reputation, reputationLabels, type WalletRecord } from './reputation.ts';

const points = (changes: Partial<WalletRecord>): Record<string, number> =>
  Object.fromEntries(
    reputation({ ...NO_RECORD, ...changes }).factors.map(({ id, contribution }) => [
      id,
      contribution,
    ]),
  );

const CASES: [string, Partial<WalletRecord>, Record<string, number>][] = [
  ['nothing for nothing', {}, {}],
  ['nothing for a token without a verdict', { made: 1 }, { scam_rate: 0 }],
  ['something for a first scam', { made: 1, scored: 1, scams: 1 }, { scam_rate: -17 }],
  ['more for four', { made: 4, scored: 4, scams: 4 }, { scam_rate: -33 }],
  ['something good for honest tokens', { made: 2, scored: 2 }, { scam_rate: 25 }],
  ['three for each quick removal', { quickRemovals: 2 }, { liquidity_removed: -6 }],
  ['no more than for five of them', { quickRemovals: 50 }, { liquidity_removed: -15 }],
  ['nothing for small change', { stolenUsd: 100 }, {}],
  ['by the logarithm of what was stolen', { stolenUsd: 99_000 }, { value_stolen: -10 }],
  ['no more than fifteen of it', { stolenUsd: 1e9 }, { value_stolen: -15 }],
  ['ten for money from a scammer', { isFundedByScammer: true }, { funded_by_scammer: -10 }],
  ['by the risk of the ring', { ring: { isMaster: false, riskScore: 50 } }, { ring: -10 }],
  ['five more for its master', { ring: { isMaster: true, riskScore: 100 } }, { ring: -25 }],
];

describe('reputation', () => {
  for (const [what, record, expected] of CASES) {
    it(`takes ${what}`, () => {
      assert.deepEqual(points(record), expected);
    });
  }

  it('adds up to the score minus 50, also where it would go below 0', () => {
    const worst: WalletRecord = {
      made: 40,
      scored: 40,
      scams: 40,
      quickRemovals: 40,
      stolenUsd: 1e7,
      isFundedByScammer: true,
      ring: { isMaster: true, riskScore: 100 },
    };
    const { score, factors } = reputation(worst);
    assert.equal(score, 0);
    assert.equal(
      factors.reduce((sum, { contribution }) => sum + contribution, 50),
      score,
    );
    for (const { contribution } of factors) assert.ok(Number.isInteger(contribution));
  });

  it('is the surer the more was seen', () => {
    const sure = (scored: number) => reputation({ ...NO_RECORD, made: scored, scored }).confidence;
    assert.equal(reputation(NO_RECORD).confidence, 0);
    assert.ok(sure(1) < sure(5) && sure(5) < 1);
  });

  it('has names for what stands out', () => {
    const record: WalletRecord = {
      ...NO_RECORD,
      made: 5,
      scored: 5,
      scams: 5,
      isFundedByScammer: true,
    };
    assert.deepEqual(reputationLabels({ ...record, ring: { isMaster: true, riskScore: 1 } }), [
      'serial_deployer',
      'known_scammer',
      'ring_master',
      'funded_by_scammer',
    ]);
    assert.deepEqual(reputationLabels(NO_RECORD), []);
  });
});
