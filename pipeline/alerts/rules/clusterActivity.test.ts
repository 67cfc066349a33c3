import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { address, CREATOR, hash, POOL, ringChange, TOKEN } from '../testing/chainBuilder.ts';

import { clusterActivity, isRingActivity, ringActivity } from './clusterActivity.ts';
import type { Finding } from './rule.ts';

const MATE = address('mate');
const MEMBERS = [
  { wallet: CREATOR, tokens: [TOKEN] },
  { wallet: MATE, tokens: [] },
];
const CASES = [
  { name: 'who joined a risky ring', riskScore: 80, wallet: CREATOR, severity: 'warning' },
  { name: 'who joined a harmless ring', riskScore: 20, wallet: CREATOR, severity: 'info' },
  { name: 'who was in it before', riskScore: 80, wallet: MATE, severity: 'info' },
] as const;
const activity = (changes: Partial<Finding>): Finding => ({
  type: 'rug_pull',
  token: TOKEN,
  wallets: [MATE],
  strength: 0.9,
  severity: 'critical',
  recommendation: 'SELL_IMMEDIATELY',
  details: { pool: POOL, tx_hash: hash('rug'), block_number: 2 },
  txHash: hash('rug'),
  logIndex: 3,
  ...changes,
});

describe('clusterActivity', () => {
  for (const { name, riskScore, wallet, severity } of CASES) {
    it(`is ${severity} for watchers of one ${name}`, () => {
      const findings = clusterActivity(ringChange({ riskScore }), MEMBERS);
      const own = findings.filter(({ wallets }) => wallets.includes(wallet));
      assert.deepEqual(
        own.map((finding) => [finding.token, finding.severity]),
        [[wallet, severity]],
      );
    });
  }

  it('is reported to watchers of the tokens of its wallets', () => {
    const about = clusterActivity(ringChange(), MEMBERS).filter(({ token }) => token === TOKEN);
    assert.deepEqual(
      about.map(({ wallets, details }) => [wallets, details['wallet']]),
      [[[], CREATOR]],
    );
  });

  it('counts new tokens and drained pools as activities of a ring', () => {
    assert.deepEqual(
      [
        activity({ type: 'new_token', strength: 1 }),
        activity({}),
        activity({ strength: 0.4 }),
        activity({ wallets: [] }),
        activity({ type: 'large_sell' }),
      ].map(isRingActivity),
      [true, true, false, false, false],
    );
  });

  it('alerts the other wallets what one of them did', () => {
    const finding = ringActivity(activity({}), {
      clusterId: 'ring1',
      wallet: MATE,
      mates: [CREATOR],
    });
    assert.deepEqual(finding.wallets, [CREATOR]);
    assert.equal(finding.severity, 'critical');
    assert.deepEqual(finding.details, {
      pool: POOL,
      tx_hash: hash('rug'),
      block_number: 2,
      cluster_id: 'ring1',
      activity: 'rug_pull',
      wallet: MATE,
    });
  });
});
