import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verdictOf } from '../testing/fakePorts.ts';
import { verdictHistoryEntry } from './present.ts';
import type { Verdict } from './verdict.ts';
import type { PastVerdict } from './verdictHistory.ts';

const TOKEN = `0x${'1'.repeat(40)}` as const;

/** A verdict with these contributions. */
const past = (
  prediction: Verdict['prediction'],
  contributions: Readonly<Record<string, number>>,
  features: Readonly<Record<string, number>> = {},
): PastVerdict => {
  const verdict = verdictOf(TOKEN, { prediction });
  const basis = { features: { ...verdict.doc.features, ...features }, contributions };
  return { ...verdict, ...basis, blockHash: `0x${'0'.repeat(64)}`, horizonS: 0 };
};

describe('an entry of the verdict history', () => {
  it('names the checks, opcodes and features that flipped it, the heaviest first', () => {
    const before = past(
      'LEGIT',
      { 'check:sell_simulation': -0.8, sellCount: -0.4 },
      { sellCount: 9 },
    );
    const after = past(
      'SCAM',
      { 'check:sell_simulation': 3.5, sellCount: 0.3, 'code:ORIGIN': 0.2, ageS: 0.001 },
      { sellCount: 0 },
    );
    const { prediction, changed } = verdictHistoryEntry(after, before);
    assert.equal(prediction, 'SCAM');
    assert.deepEqual(changed, [
      { feature: 'check:sell_simulation', from: null, to: null, contribution_delta: 4.3 },
      { feature: 'sellCount', from: 9, to: 0, contribution_delta: 0.7 },
      { feature: 'code:ORIGIN', from: null, to: null, contribution_delta: 0.2 },
    ]);
  });

  it('names nothing where there is no verdict before', () => {
    assert.deepEqual(verdictHistoryEntry(past('SCAM', { ageS: 1 }), undefined).changed, []);
  });
});
