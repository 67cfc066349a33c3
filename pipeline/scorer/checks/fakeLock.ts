import { ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import { isBelieved } from '../locks/lockFeatures.ts';
import { LOCK_SHARE_MIN, type LockCaller, type StudiedLock } from '../locks/studiedLock.ts';
import { defineCheck } from './checkDefinition.ts';
import type { CheckInput } from './checkInput.ts';
import { type CheckOutcome, type Evidence, simulationEvidence } from './checkResult.ts';
import { functionName } from './contractEvidence.ts';

const CALLERS: Readonly<Record<LockCaller, Sentence>> = {
  lockOwner: sentence('byLockOwner'),
  lockerOwner: sentence('byLockerOwner'),
  creator: sentence('byCreator'),
  insider: sentence('byInsider'),
  anyone: sentence('byAnyone'),
};

/** The last millisecond that a date can represent; longer locks count as permanent. */
const DATE_MAX_MS = 8.64e15;
const dateOf = (seconds: number): number => Math.min(seconds * 1_000, DATE_MAX_MS);

const whatOf = ({ kind }: StudiedLock): Sentence =>
  kind === 'supply' ? sentence('ofSupply') : sentence('ofLiquidity');

/**
 * Share of the liquidity or the supply from which it does not matter who owns it: whoever can withdraw it ends the
 * market.
 */
const MAJORITY = 0.5;

/**
 * Locks created by insiders, or that hold most of it. Anyone can log a lock of another's token, and send a little of
 * it to a contract that pretends to lock; such a fake lock by others says nothing about the token.
 */
const ownLocks = ({ locks, insiders }: CheckInput): StudiedLock[] =>
  locks.filter(
    ({ lockedBy, share }) =>
      lockedBy !== undefined && (insiders.has(lockedBy) || share >= MAJORITY),
  );

const reasonOf = (lock: StudiedLock): Sentence => {
  const { locker, share, unlockAtS, belief } = lock;
  const [what, until] = [whatOf(lock), dateOf(unlockAtS)];
  return belief.kind === 'early'
    ? sentence('lockOpens', { locker, share, what, until, who: CALLERS[belief.role] })
    : sentence('lockEmpty', { locker, what, until });
};

const evidenceOf = ({ locker, asset, belief }: StudiedLock): Evidence[] => {
  if (belief.kind === 'early') {
    const { blockNumber, caller, selector, shownBy } = belief;
    const note = sentence('lockOpenedBy', { locker, call: functionName(selector), caller });
    return [simulationEvidence(blockNumber, note, shownBy)];
  }
  if (belief.kind !== 'empty') return [];
  const { method, params } = belief.shownBy;
  return [
    {
      kind: 'call',
      ref: `${method}(${asset})@${belief.blockNumber}`,
      note: sentence('lockHolds', { locker }),
      request: { method, params: [...params] },
    },
  ];
};

const isFake = ({ belief, share }: StudiedLock): boolean =>
  belief.kind === 'empty' || (belief.kind === 'early' && share >= LOCK_SHARE_MIN);

/** Whether what is claimed to be locked really is. No check for tokens without locks. */
const fakeLock = (input: CheckInput): readonly CheckOutcome[] => {
  const check = { severity: 'critical' } as const;
  const own = ownLocks(input);
  const fake = own.filter(isFake).toSorted((a, b) => b.share - a.share);
  const [worst] = fake;
  if (worst) {
    const evidence = fake.flatMap(evidenceOf);
    const value = fake.length;
    return [{ ...check, status: 'fail', value, reason: reasonOf(worst), evidence }];
  }
  const believed = input.locks
    .filter((lock) => isBelieved(lock, 0))
    .toSorted((a, b) => b.share - a.share);
  const [largest] = believed;
  if (largest) {
    const { share, unlockAtS } = largest;
    const what = whatOf(largest);
    const reason = sentence('lockHoldsUntil', { share, what, until: dateOf(unlockAtS) });
    return [{ ...check, status: 'pass', value: 0, reason }];
  }
  return input.locks.length > 0
    ? [{ ...check, status: 'unknown', reason: sentence('lockUntried') }]
    : [];
};

/** Addresses whose locks count as the token's own. */
export const insidersOf = (
  addresses: readonly (string | null | undefined)[],
): ReadonlySet<string> =>
  new Set(addresses.flatMap((address) => (address && address !== ZERO_ADDRESS ? [address] : [])));

export const fakeLockCheck = defineCheck({
  id: 'fake_lock',
  question: { topic: 'liquidity', whenPassed: 'no' },
  failsIf:
    'those behind the token say that liquidity or supply is locked, and it is not: the locker has none of it, or it can be taken out early',
  severity: 'critical',
  run: fakeLock,
});
