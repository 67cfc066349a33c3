import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { addressOf } from '../../shared/testing/evmData.ts';
import { type IndexedToken, openIndex } from './openIndex.ts';

/** More than a search examines per kind. */
const TOKENS = 1_100;

const tokenOf = (number: number): IndexedToken => ({
  token: addressOf(number),
  verdict: {
    isScam: 0,
    createdAtS: number,
    analyzedAtMs: number,
    confidence: 0.9,
    percent: 90,
    risk: 1_000,
    riskScore: 10,
    // Its trigrams repeat, so that every name contains parts that are not consecutive.
    name: `${number % 200 === 0 ? 'rare ' : ''}abcabd ${number % 2 === 0 ? 'xyzuv' : 'vxyzu'}`,
    symbol: `s${number}`,
    creator: addressOf(1),
    failed: [],
    summary: '[]',
  },
});

describe('a text inside names', () => {
  const index = openIndex();
  index.load(Array.from({ length: TOKENS }, (_, number) => tokenOf(number + 1)));
  index.seal();
  after(() => index.close());

  const foundBy = (text: string): number => Number(index.count({ traits: { text } }));
  const searched = (folded: string): number => {
    const question = { folded, digits: undefined, traded: [], limit: 1, offset: 0 };
    return (JSON.parse(index.search(question)) as { total: number }).total;
  };

  it('is found in as many names as hold it, in all, in half of them, in one and in none', () => {
    assert.deepEqual(
      ['bcabd', 'zuv', 'd xyzu', 's110', 's1100'].map(foundBy),
      [1_100, 550, 550, 2, 1],
    );
    assert.deepEqual(['cabcab', 'abdabc', 'yzuvx'].map(foundBy), [0, 0, 0]);
  });

  it('is compared with the few names that have its rarest letters', () => {
    assert.deepEqual(['rare abcabd', 'e abd', 'rare xyz'].map(foundBy), [5, 0, 0]);
    assert.deepEqual(['are abcabd', 'e abd'].map(searched), [5, 0]);
  });

  it('is found by a search up to a thousand of a kind', () => {
    assert.deepEqual(['bcabd', 'd xyzu', '1100'].map(searched), [1_000, 550, 1]);
  });
});
