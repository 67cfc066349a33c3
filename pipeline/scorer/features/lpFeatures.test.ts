import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lpFeatures } from './lpFeatures.ts';
import type { LpTransfer } from './poolSync.ts';

const ZERO = '0x0000000000000000000000000000000000000000';
const DEAD = '0x000000000000000000000000000000000000dead';
const LOCKER = '0x663a5c229c09b049e36dcc11a9b0d4a8eb9db214';
const POOL = `0x${'11'.repeat(20)}`;
const CREATOR = `0x${'22'.repeat(20)}`;
const OTHER = `0x${'33'.repeat(20)}`;
const UNIT = 1e18;

type Row = [atS: number, from: string, to: string, units: number];

const features = (rows: readonly Row[], asOfS: number, creator: string | undefined = CREATOR) => {
  const transfers = rows.map(
    ([timestampS, from, to, units]): LpTransfer => ({ timestampS, from, to, value: units * UNIT }),
  );
  return lpFeatures({ pool: POOL, creator, transfers }, asOfS);
};

/** First liquidity of 100 to the creator; 60 locked, 20 burned, 10 to another wallet, 10 redeemed. */
const story: readonly Row[] = [
  [0, ZERO, ZERO, 1_000 / UNIT],
  [0, ZERO, CREATOR, 100],
  [50, CREATOR, LOCKER, 60],
  [60, CREATOR, DEAD, 20],
  [70, CREATOR, OTHER, 10],
  [80, CREATOR, POOL, 10],
  [80, POOL, ZERO, 10],
];

const near = (actual: number, expected: number): void =>
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);

describe('lpFeatures', () => {
  it('follows who can pull the liquidity', () => {
    const before = features(story, 49);
    near(before.lpPullableShare, 1);
    near(before.lpCreatorShare, 1);
    near(before.lpTopShare, 1);
    assert.equal(before.lpHolders, 1);
    assert.ok(Number.isNaN(before.lpSecondsToSecured));
    const after = features(story, 100);
    near(after.lpLockedShare, 60 / 90);
    near(after.lpBurnedShare, 20 / 90);
    near(after.lpPullableShare, 10 / 90);
    near(after.lpTopShare, 10 / 90);
    near(after.lpCreatorShare, 0);
    near(after.lpHerfindahl, (60 / 90) ** 2 + (10 / 90) ** 2);
    near(after.lpRemovedShare, 0.1);
    near(after.lpMovedShare, 0.1);
    assert.deepEqual(
      [after.lpHolders, after.lpMoves, after.lpMints, after.lpFirstByCreator],
      [2, 3, 1, 1],
    );
    assert.deepEqual([after.lpSecondsSinceMove, after.lpSecondsToSecured], [20, 50]);
  });

  it('is missing where nothing is known, before the first transfer, and when all is gone', () => {
    const isMissing = (values: object): boolean => Object.values(values).every(Number.isNaN);
    assert.ok(isMissing(lpFeatures(undefined, 10)));
    assert.ok(isMissing(features([], 10)));
    assert.ok(isMissing(features(story, -1)));
    const gone: Row[] = [
      [0, ZERO, CREATOR, 5],
      [9, CREATOR, POOL, 5],
      [9, POOL, ZERO, 5],
    ];
    assert.ok(isMissing(features(gone, 10)));
    const unknown = lpFeatures(
      {
        pool: POOL,
        creator: undefined,
        transfers: [{ timestampS: 0, from: ZERO, to: OTHER, value: 1 }],
      },
      1,
    );
    assert.ok(Number.isNaN(unknown.lpCreatorShare) && Number.isNaN(unknown.lpFirstByCreator));
    assert.equal(unknown.lpTopShare, 1);
  });
});
