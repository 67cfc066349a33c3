import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressesOf } from '../../../shared/testing/evmData.ts';
import { heldLocks, type MarketPosition } from './heldLocks.ts';
import { foldLocks, type LockRow, positionKey } from './lockLedger.ts';

const [TOKEN, POOL, LOCKER, OWNER, OTHER, ZERO] = addressesOf(1, 2, 3, 4, 5, 0);
const UNTIL_S = 2_000;

const row = (change: Partial<LockRow>): LockRow => ({
  act: 'locked',
  locker: LOCKER,
  lockId: 7n,
  asset: POOL,
  position: 0n,
  owner: OWNER,
  amount: 100n,
  unlockAtS: UNTIL_S,
  atS: 1_000,
  txHash: `0x${'a'.repeat(64)}`,
  ...change,
});
const extended = row({ act: 'extended', asset: ZERO, owner: ZERO, amount: 0n, unlockAtS: 3_000 });
const withdrawn = (amount: bigint, change: Partial<LockRow> = {}) =>
  row({ act: 'withdrawn', amount, unlockAtS: 0, ...change });

/** The rest of the locks after these rows. */
const after = (...rows: readonly LockRow[]) =>
  foldLocks(rows).locks.map(({ amount, unlockAtS, owner, isOver }) => ({
    amount,
    unlockAtS,
    owner,
    isOver,
  }));
const plain = { amount: 100n, unlockAtS: UNTIL_S, owner: OWNER, isOver: false };

describe('foldLocks', () => {
  const unnumbered = { lockId: 0n };
  /** `left`: difference of the rest from the lock of `row({})`. */
  const cases: readonly (readonly [
    name: string,
    rows: readonly LockRow[],
    left: readonly Partial<typeof plain>[],
  ])[] = [
    ['a lock', [row({})], [{}]],
    ['one that is longer, by its number alone', [row({}), extended], [{ unlockAtS: 3_000 }]],
    [
      'one that grew and went to another',
      [row({}), row({ act: 'added', amount: 5n }), row({ act: 'handedOver', owner: OTHER })],
      [{ amount: 105n, owner: OTHER }],
    ],
    ['one of which a part was taken out', [row({}), withdrawn(40n)], [{ amount: 60n }]],
    ['one that is over', [row({}), withdrawn(100n)], [{ amount: 0n, isOver: true }]],
    [
      'locks without numbers, of which the one that ends first is taken out first',
      [row({ ...unnumbered, unlockAtS: 3_000 }), row(unnumbered), withdrawn(130n, unnumbered)],
      [
        { amount: 70n, unlockAtS: 3_000 },
        { amount: 0n, isOver: true },
      ],
    ],
    [
      'nothing of what other lockers log, or of a lock that was never made',
      [withdrawn(1n), row({}), withdrawn(9n, { locker: OTHER }), withdrawn(9n, { lockId: 8n })],
      [{}],
    ],
  ];
  for (const [name, rows, left] of cases) {
    const expected = left.map((change) => ({ ...plain, ...change }));
    it(`shows ${name}`, () => assert.deepEqual(after(...rows), expected));
  }
});

describe('heldLocks', () => {
  const pools = new Set([POOL]);
  const NOTHING = { marketPositions: new Map<string, MarketPosition>() };
  /** Held amount, share and whether it is gone, for locks of a token of which the locker has a balance. */
  const held = (rows: readonly LockRow[], balance: bigint, received = balance) => {
    const lockers = new Map([[LOCKER, { balance, received }]]);
    const assets = new Map([[POOL, { supply: 400n, lockers }]]);
    return heldLocks(TOKEN, pools, { ...foldLocks(rows), ...NOTHING, assets }).map(
      (lock) => [lock.held, lock.share, lock.isGone] as const,
    );
  };

  it('are what the locker has, whatever it says', () => {
    assert.deepEqual(held([row({})], 100n), [[100n, 0.25, false]]);
    assert.deepEqual(held([row({})], 30n), [[30n, 0.075, false]]);
    assert.deepEqual(held([row({})], 0n), [[0n, 0, false]]);
    assert.deepEqual(held([row({})], 0n, 100n), [[0n, 0, true]], 'it was there');
  });

  it('hold the same tokens once', () => {
    const rows = [row({}), row({ lockId: 8n })];
    assert.deepEqual(
      held(rows, 130n).map(([amount]) => amount),
      [100n, 30n],
    );
  });

  it('hold a position as long as the locker owns it, with the liquidity that is left in it', () => {
    const position = { asset: OTHER, position: 9n };
    const claim = row({ ...position, amount: 0n });
    const of = (act: LockRow['act'], change: Partial<LockRow>) =>
      row({ act, locker: ZERO, ...position, ...change });
    const place = { pool: POOL, manager: OTHER, position: 9n, isInRange: true, poolLiquidity: 80n };
    const shown = (...rows: readonly LockRow[]) =>
      heldLocks(TOKEN, pools, {
        ...foldLocks(rows),
        assets: new Map(),
        marketPositions: new Map([[positionKey(position), place]]),
      }).map(({ kind, market, held: amount, share, isGone }) => {
        return { kind, market, amount, share, isGone };
      });
    const grown = of('increased', { amount: 40n });
    const moved = of('moved', { owner: LOCKER });
    const here = { kind: 'position', market: POOL, amount: 40n, share: 0.5, isGone: false };
    assert.deepEqual(shown(grown, moved, claim), [here]);
    const emptied = of('decreased', { amount: 30n });
    assert.deepEqual(shown(grown, moved, claim, emptied), [{ ...here, amount: 10n, share: 0.125 }]);
    const gone = of('moved', { owner: OWNER });
    assert.deepEqual(shown(grown, moved, claim, gone), [
      { ...here, amount: 0n, share: 0, isGone: true },
    ]);
  });
});
