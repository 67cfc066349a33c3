import type { Hex } from '../../../shared/chain/block.ts';
import type { VerdictLock } from '../../../shared/messages/verdictDoc.ts';
import { isRunning, type StudiedLock } from './studiedLock.ts';

/** Whether it was shown that nobody can withdraw it before its end, which is in the future. */
export const isBelieved = (lock: StudiedLock, atS: number): boolean =>
  isRunning(lock, atS) && lock.belief.kind === 'behaviour';

const sharesOf = (locks: readonly StudiedLock[]): number =>
  Math.min(
    1,
    locks.reduce((sum, { share }) => sum + share, 0),
  );

/** Whether the result is unknown: there is a relevant lock, and it could not be determined whether it holds. */
const isOpen = (locks: readonly StudiedLock[], atS: number): boolean =>
  locks.some((lock) => isRunning(lock, atS) && lock.belief.kind === 'unknown');

/**
 * What believed locks hold as of a time: `lp_locked_share` of the main market's liquidity, with `lp_unlock_at`, the
 * end of the first of them (Unix seconds), and `supply_locked_share` of the token. Absent if there is no such lock,
 * or if it is unknown whether one holds.
 */
export const lockFeatures = (
  locks: readonly StudiedLock[],
  market: Hex | undefined,
  atS: number,
): Record<string, number> => {
  const ofMarket = locks.filter((lock) => lock.kind !== 'supply' && lock.market === market);
  const ofSupply = locks.filter(({ kind }) => kind === 'supply');
  const liquidity = ofMarket.filter((lock) => isBelieved(lock, atS));
  const supply = ofSupply.filter((lock) => isBelieved(lock, atS));
  return {
    ...(ofMarket.length > 0 && !isOpen(ofMarket, atS) && { lp_locked_share: sharesOf(liquidity) }),
    ...(liquidity.length > 0 && {
      lp_unlock_at: Math.min(...liquidity.map(({ unlockAtS }) => unlockAtS)),
    }),
    ...(ofSupply.length > 0 && !isOpen(ofSupply, atS) && { supply_locked_share: sharesOf(supply) }),
  };
};

const stateOf = (lock: StudiedLock, atS: number): VerdictLock['state'] => {
  if (lock.isOver || lock.isGone) return 'withdrawn';
  return lock.unlockAtS > atS ? 'locked' : 'unlocked';
};

const beliefOf = ({ belief }: StudiedLock): VerdictLock['belief'] =>
  belief.kind === 'early' || belief.kind === 'empty' ? 'fake' : belief.kind;

/** Locks in the form of verdicts, as of a time. */
export const shownLocks = (locks: readonly StudiedLock[], atS: number): VerdictLock[] =>
  locks.map((lock) => ({
    kind: lock.kind,
    locker: lock.locker,
    lock_id: String(lock.lockId),
    asset: lock.asset,
    position: lock.position > 0n ? String(lock.position) : null,
    market: lock.market ?? null,
    owner: lock.owner,
    amount: String(lock.held),
    share: lock.share,
    locked_at_s: lock.lockedAtS,
    locked_tx: lock.lockedTx,
    unlock_at_s: lock.unlockAtS,
    extended: lock.extended,
    withdrawn: String(lock.withdrawn),
    state: stateOf(lock, atS),
    belief: beliefOf(lock),
  }));
