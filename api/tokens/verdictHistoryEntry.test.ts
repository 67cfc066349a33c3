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
    const { prediction, reason, changed } = verdictHistoryEntry(after, before);
    assert.deepEqual([prediction, reason], ['SCAM', 'check:sell_simulation']);
    assert.deepEqual(changed, [
      { feature: 'check:sell_simulation', from: null, to: null, contribution_delta: 4.3 },
      { feature: 'sellCount', from: 9, to: 0, contribution_delta: 0.7 },
      { feature: 'code:ORIGIN', from: null, to: null, contribution_delta: 0.2 },
    ]);
  });

  it('names nothing where there is no verdict before', () => {
    const { reason, changed } = verdictHistoryEntry(past('SCAM', { ageS: 1 }), undefined);
    assert.deepEqual([reason, changed], [null, []]);
  });

  for (const [of, before, after, expected] of [
    [
      'the market, whose features count together',
      { 'check:proxy': 0.2 },
      { sellCount: 0.4, buyCount: 0.5, 'check:proxy': 0.8 },
      'market',
    ],
    [
      'what went in the direction of the verdict, not the heavier change against it',
      { sellCount: 1 },
      { sellCount: -0.5, 'check:mint_power': 2 },
      'check:mint_power',
    ],
    [
      'a check, where a rule only bounds what it added',
      { 'code:ORIGIN': 0.1 },
      { 'code:ORIGIN': 0.1, 'check:fake_lock': 1, 'rule:proof': 2 },
      'check:fake_lock',
    ],
    [
      'its age, where its base rate is another',
      { 'prior:age': -1 },
      { 'prior:age': -3, sellCount: -0.1 },
      'age',
    ],
    ['its age, where nothing moved', { sellCount: 1 }, { sellCount: 1 }, 'age'],
  ] as const)
    it(`gives as reason ${of}`, () => {
      const entry = verdictHistoryEntry(past('SCAM', after), past('SCAM', before));
      assert.equal(entry.reason, expected);
    });
});
