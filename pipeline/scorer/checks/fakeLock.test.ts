import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import type { StudiedLock } from '../locks/studiedLock.ts';
import { checkInputOf } from '../testing/checkInputOf.ts';
import type { CheckInput } from './checkInput.ts';
import { runChecks } from './checks.ts';

const OTHER = `0x${'b'.repeat(40)}` as const;
const SLOT = `0x${'e'.repeat(64)}` as const;
const LOCK: StudiedLock = {
  kind: 'liquidity',
  market: OTHER,
  locker: OTHER,
  lockId: 1n,
  asset: OTHER,
  position: 0n,
  owner: OTHER,
  amount: 5n,
  held: 5n,
  share: 0.5,
  lockedAtS: 1,
  lockedTx: SLOT,
  unlockAtS: 2_000_000_000,
  extended: 0,
  withdrawn: 0n,
  isOver: false,
  isGone: false,
  lockedBy: OTHER,
  belief: { kind: 'unknown' },
};
const withLock = (change: Partial<StudiedLock>, insider: Hex = OTHER): CheckInput =>
  checkInputOf({ locks: [{ ...LOCK, ...change }], insiders: new Set([insider]) });
const EARLY = {
  kind: 'early',
  blockNumber: 7,
  caller: OTHER,
  selector: '0xdeadbeef',
  shownBy: [],
} as const;
const EMPTY = {
  kind: 'empty',
  blockNumber: 7,
  shownBy: { method: 'eth_call', params: [] },
} as const;
/** For `checkResult.test.ts`. */
export const INPUTS: readonly CheckInput[] = [
  withLock({}),
  withLock({ belief: EMPTY }),
  withLock({ belief: { kind: 'behaviour', blockNumber: 7, shownBy: [] } }),
  ...(['lockOwner', 'lockerOwner', 'creator', 'insider', 'anyone'] as const).map((role) =>
    withLock({ kind: 'supply', belief: { ...EARLY, role } }),
  ),
];

describe('fakeLock', () => {
  it('accuses of a lock that a stranger made only where it holds most, and never of a crumb', () => {
    const fails = (input: CheckInput): boolean =>
      runChecks(input).some(({ id, status }) => id === 'fake_lock' && status === 'fail');
    const belief = { ...EARLY, role: 'anyone' } as const;
    assert.ok(fails(withLock({ belief })));
    assert.ok(fails(withLock({ belief }, SLOT)));
    assert.ok(!fails(withLock({ belief, share: 0.49 }, SLOT)));
    assert.ok(!fails(withLock({ belief, lockedBy: undefined })));
    assert.ok(!fails(withLock({ belief, share: 0.009 })));
    assert.ok(!fails(withLock({ belief: EMPTY, share: 0.49 }, SLOT)));
    assert.deepEqual(
      runChecks(checkInputOf()).filter(({ id }) => id === 'fake_lock'),
      [],
    );
  });
});
