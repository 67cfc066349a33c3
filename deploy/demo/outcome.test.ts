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

/** With what the outcome shows of each. */
const transaction = { blockNumber: 57, seenAtMs: 1_000 } as DevnetTransaction;
const named = { address: '0xbd', name: 'Rug Rat', symbol: 'RAT' } as const;
const token: DevnetToken = { ...named, kind: 'ruggable', creator: 4, deployment: transaction };
const found = <Value>(atMs: number, value: Partial<Value>): Polled<Value> => {
  return { kind: 'found', atMs, value: value as Value };
};
const verdict = found<Verdict>(1_120.4, {
  prediction: 'SCAM',
  confidence: 97,
  shap_values: { liquidity_usd: 1.5 },
});
const alert = found<Alert>(1_080, {
  id: 1,
  type: 'rug_pull',
  severity: 'critical',
  token: named,
  details: { liquidity_change: -1, creator_sold_usd: 14_800 },
  recommendation: 'SELL_IMMEDIATELY',
});
const ring = found<Ring>(1_900, {
  id: 'cl_0a',
  wallets: [
    { address: '0x0a', role: 'master', risk_score: 99 },
    { address: '0x0b', role: 'puppet', risk_score: 98 },
  ],
  statistics: { size: 2, tokens_created: 1, scam_rate: 1, total_stolen: 999.6, victims: 1 },
  evidence: ['common_funder', 'shared_proceeds', 'common_funder'].map((rule) => {
    return { rule, wallets: ['0x0a', '0x0b'], tx_hash: null, confidence: 0.9 };
  }),
});

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
