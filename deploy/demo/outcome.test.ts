import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DevnetToken } from '../../shared/testing/devnet/createDevnet.ts';
import type { DevnetTransaction } from '../../shared/testing/devnet/devnetNode.ts';
import {
  type Act,
  describeAlert,
  describeRing,
  missingParts,
  type Outcome,
  verdictTable,
} from './outcome.ts';
import type { Alert, Polled, Ring, Verdict } from './verdictWatch.ts';

const transaction: DevnetTransaction = {
  hash: '0x01',
  status: 'success',
  blockNumber: 57,
  gasUsed: 1n,
  contractAddress: undefined,
  logs: [],
  seenAtMs: 1_000,
};
const token: DevnetToken = {
  kind: 'ruggable',
  address: '0xbd',
  creator: 4,
  name: 'Rug Rat',
  symbol: 'RAT',
  deployment: transaction,
};

const verdict: Polled<Verdict> = {
  kind: 'found',
  atMs: 1_120.4,
  value: {
    address: '0xbd',
    name: 'Rug Rat',
    symbol: 'RAT',
    prediction: 'SCAM',
    confidence: 97,
    risk_score: 97,
    certainty: 'clear',
    advice: 'avoid',
    model: 'gbdt-onnx-1.0',
    created_at: '2026-11-21T04:30:00Z',
    analyzed_at: '2026-11-21T05:30:00Z',
    features: {
      holder_count: 3,
      transaction_count: 60,
      liquidity_usd: 1,
      top_10_concentration: 1,
      creator_risk_score: 97,
    },
    shap_values: { liquidity_usd: 1.5 },
    creator: { address: '0x0a', risk_score: 97, tokens_created: 1, scam_rate: 1 },
    reasons: [],
  },
};
const alert: Polled<Alert> = {
  kind: 'found',
  atMs: 1_080,
  value: {
    id: 1,
    type: 'rug_pull',
    severity: 'critical',
    token: { address: '0xbd', name: 'Rug Rat', symbol: 'RAT' },
    details: { liquidity_change: -1, creator_sold_usd: 14_800 },
    recommendation: 'SELL_IMMEDIATELY',
    read: false,
    created_at: '2026-11-21T05:30:00Z',
  },
};

const ring: Polled<Ring> = {
  kind: 'found',
  atMs: 1_900,
  value: {
    id: 'cl_0a',
    name: 'Ring 0a',
    wallets: [
      { address: '0x0a', role: 'master', risk_score: 99 },
      { address: '0x0b', role: 'puppet', risk_score: 98 },
    ],
    tokens: [{ address: '0xbd', name: 'Rug Rat', prediction: 'SCAM', confidence: 97 }],
    statistics: { size: 2, tokens_created: 1, scam_rate: 1, total_stolen: 999.6, victims: 1 },
    evidence: ['common_funder', 'shared_proceeds', 'common_funder'].map((rule) => {
      return { rule, wallets: ['0x0a', '0x0b'], tx_hash: null, confidence: 0.9 };
    }),
  },
};

const outcomeOf = (given: {
  verdict: Polled<Verdict>;
  alert: Polled<Alert>;
  ring?: Polled<Ring>;
}): Outcome => {
  const act: Act = { behaviour: 'pulls', token, transaction, verdict: given.verdict };
  const play = { wallets: ['0x0a', '0x0b'] as const, tokens: [token], transaction };
  return {
    acts: [act],
    pulled: { transaction, alert: given.alert },
    ring: { play, shown: given.ring ?? ring },
  };
};

describe('the outcome of the demo', () => {
  it('shows a verdict with its reasons and its delay', () => {
    const lines = verdictTable(outcomeOf({ verdict, alert })).split('\n');
    assert.equal(lines.length, 3);
    assert.match(lines[2] ?? '', /^RAT +pulls +SCAM +97 % +120 +\+1\.50 liquidity_usd$/);
  });

  it('shows the alert with its details', () => {
    const text = describeAlert(outcomeOf({ verdict, alert }));
    assert.match(text, /critical rug_pull of RAT, SELL_IMMEDIATELY, .* 80 ms after the pull/);
    assert.match(text, /\n {2}creator_sold_usd: 14800$/);
  });

  it('shows the ring with what it did and what ties it', () => {
    const lines = describeRing(outcomeOf({ verdict, alert })).split('\n');
    assert.match(lines[0] ?? '', /^ring cl_0a: 2 wallets, 1 tokens, scam rate 100 %, .* 900 ms/);
    assert.deepEqual(lines.slice(1), [
      '  master: 0x0a',
      '  stolen: 1000 USD from 1 victim',
      '  links: 2 common_funder, 1 shared_proceeds',
    ]);
  });

  it('is complete when every verdict, the alert and the ring arrived', () => {
    assert.deepEqual(missingParts(outcomeOf({ verdict, alert })), []);
  });

  it('names what did not arrive, and what was there instead', () => {
    const missing = (lastSeen: string) => ({ kind: 'missing', lastSeen }) as const;
    assert.deepEqual(
      missingParts(
        outcomeOf({
          verdict: missing('404'),
          alert: missing('0 alerts'),
          ring: missing('no id'),
        }),
      ),
      [
        'the verdict of RAT (0xbd) as of block 57: 404',
        'the alert of the pull of liquidity: 0 alerts',
        'the ring: no id',
      ],
    );
  });
});
