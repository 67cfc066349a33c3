import type { Hex } from '../../../shared/chain/block.ts';
import type { RpcCall } from '../../../shared/platform/rpc/jsonRpc.ts';
import type { SimulationParams } from '../simulation/simulateParams.ts';
import type { HeldLock } from './heldLocks.ts';

/** Who withdraws from a lock. */
export type LockCaller = 'lockOwner' | 'lockerOwner' | 'creator' | 'insider' | 'anyone';

/** Whether a lock can be believed, with the evidence. */
export type Belief =
  /** The owner's withdrawal works after the end, and nobody's does before. */
  | { readonly kind: 'behaviour'; readonly blockNumber: number; readonly shownBy: SimulationParams }
  /** Withdrawn before the end, in a simulation. */
  | {
      readonly kind: 'early';
      readonly blockNumber: number;
      readonly caller: Hex;
      readonly role: LockCaller;
      readonly selector: Hex;
      readonly shownBy: SimulationParams;
    }
  /** The locker holds nothing of it. */
  | { readonly kind: 'empty'; readonly blockNumber: number; readonly shownBy: RpcCall }
  | { readonly kind: 'unknown' };

/** A lock, with its creator and whether it is believed. */
export interface StudiedLock extends HeldLock {
  readonly belief: Belief;
  /** Sender of the locking transaction; undefined while not read. */
  readonly lockedBy: Hex | undefined;
}

/** Share of the supply below which a lock that opens early does not count against the token. */
export const LOCK_SHARE_MIN = 0.01;

/** Whether a lock should hold now, and is large enough to matter. */
export const isRunning = (lock: HeldLock, nowS: number): boolean =>
  !lock.isOver && lock.unlockAtS > nowS;
