import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changedCounts, type ListedVerdict, movedPlaces } from './tokenPlaces.ts';

const VERDICT: ListedVerdict = {
  name: 'Ｔether',
  symbol: 'USDТ',
  prediction: 'SCAM',
  confidence: 0.906,
  riskScore: 90.57,
  // 29 February 2024, 23:59:59 UTC.
  createdAtS: 1_709_251_199,
  analyzedAtMs: 1_709_251_200_123,
  failed: ['honeypot', 'mint_power'],
};
const FIRST_OF_MONTH = 19_754;
const LATER: ListedVerdict = { ...VERDICT, analyzedAtMs: VERDICT.analyzedAtMs + 1, failed: [] };

const inBrief = (places: ReturnType<typeof movedPlaces>['written']): unknown[] =>
  places.map(({ sort, value, text }) => [sort, value, text]);

describe('movedPlaces', () => {
  it('gives a first verdict a place in every order, under each failed check and both folded terms', () => {
    const { written, left } = movedPlaces({ previous: undefined, current: VERDICT });
    assert.deepEqual(left, []);
    assert.deepEqual(inBrief(written), [
      ['created_at', 1_709_251_199, ''],
      ['confidence', 0.906, ''],
      ['risk_score', 90.57, ''],
      ['analyzed_at', 1_709_251_200_123, ''],
      ['symbol', 0, 'USDТ'],
      ['check', 0, 'honeypot'],
      ['check', 0, 'mint_power'],
      ['symbol_term', 0, 'usdt'],
      ['name_term', 0, 'tether'],
    ]);
    const filters = { isScam: 1, percent: 91, risk: 9_057, createdAtS: VERDICT.createdAtS };
    assert.deepEqual(written[0], {
      sort: 'created_at',
      value: 1_709_251_199,
      text: '',
      ...filters,
    });
    const none = { isScam: 0, percent: 0, risk: 0, createdAtS: 0 };
    assert.deepEqual(written.at(-1), { sort: 'name_term', value: 0, text: 'tether', ...none });
  });

  it('rewrites places that stay, but no terms, and leaves those that the verdict has no more', () => {
    const { written, left } = movedPlaces({ previous: VERDICT, current: LATER });
    assert.deepEqual(inBrief(written), [
      ['created_at', 1_709_251_199, ''],
      ['confidence', 0.906, ''],
      ['risk_score', 90.57, ''],
      ['analyzed_at', 1_709_251_200_124, ''],
      ['symbol', 0, 'USDТ'],
    ]);
    assert.deepEqual(inBrief(left), [
      ['analyzed_at', 1_709_251_200_123, ''],
      ['check', 0, 'honeypot'],
      ['check', 0, 'mint_power'],
    ]);
  });

  it('leaves all places where what lists filter by changed, and where the verdict is deleted', () => {
    const turned = movedPlaces({ previous: VERDICT, current: { ...VERDICT, prediction: 'LEGIT' } });
    assert.equal(turned.left.length, 7);
    const deleted = movedPlaces({ previous: VERDICT, current: undefined });
    assert.deepEqual([deleted.written.length, deleted.left.length], [0, 9]);
  });
});

describe('changedCounts', () => {
  it('counts a token in all, by risk, month, day and failed check', () => {
    const cell = { isScam: 1, level: 3, percent: 91 };
    const none = { startDay: 0, risk: 0, checkId: '' };
    assert.deepEqual(changedCounts([{ previous: undefined, current: VERDICT }]), [
      { span: 'all', ...none, ...cell, tokens: 1 },
      { span: 'risk', ...none, ...cell, risk: 9_057, tokens: 1 },
      { span: 'month', ...none, ...cell, startDay: FIRST_OF_MONTH, tokens: 1 },
      { span: 'day', ...none, ...cell, startDay: FIRST_OF_MONTH + 28, tokens: 1 },
      { span: 'check', ...none, ...cell, checkId: 'honeypot', tokens: 1 },
      { span: 'check', ...none, ...cell, checkId: 'mint_power', tokens: 1 },
    ]);
  });

  it('says nothing of what stays the same, and sums up what several tokens change', () => {
    assert.deepEqual(changedCounts([{ previous: VERDICT, current: VERDICT }]), []);
    const both = [
      { previous: VERDICT, current: LATER },
      { previous: VERDICT, current: undefined },
    ];
    assert.deepEqual(
      changedCounts(both).map(({ span, checkId, tokens }) => [span, checkId, tokens]),
      [
        ['all', '', -1],
        ['risk', '', -1],
        ['month', '', -1],
        ['day', '', -1],
        ['check', 'honeypot', -2],
        ['check', 'mint_power', -2],
      ],
    );
  });
});
