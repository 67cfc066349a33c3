import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mapKind, plainKind } from './arrangeFacts.ts';

describe('mapKind', () => {
  for (const [kind, taken] of [
    ['fund', 'funding'],
    ['FUNDING', 'funding'],
    ['top-up', 'funding'],
    ['proceeds', 'proceeds'],
    ['cash_out', 'proceeds'],
    ['lp_removed', 'lpRemoved'],
    ['Remove Liquidity', 'lpRemoved'],
    ['add_liquidity', 'lpAdded'],
    ['mint', 'lpAdded'],
    ['buy', 'bought'],
    ['snipe', 'bought'],
    ['sell', 'sold'],
    ['deploy', 'created'],
    ['erc20_transfer', 'token'],
    ['airdrop', 'token'],
    ['transfer', 'native'],
    ['', 'native'],
    ['whatever', 'native'],
  ] as const) {
    it(`${JSON.stringify(kind)} is ${taken}`, () => assert.equal(mapKind(kind), taken));
  }
});

describe('plainKind', () => {
  it('one word for all money is no purpose', () => {
    assert.equal(plainKind(new Set(['funding', 'token']))('funding'), 'native');
    assert.equal(plainKind(new Set(['funding', 'token']))('token'), 'token');
  });
  it('several words keep theirs', () =>
    assert.equal(plainKind(new Set(['funding', 'native']))('funding'), 'funding'));
  it('where nothing is money, tokens are', () =>
    assert.equal(plainKind(new Set(['token', 'created']))('token'), 'native'));
});
