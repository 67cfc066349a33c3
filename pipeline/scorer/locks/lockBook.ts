import type { Hex } from '../../../shared/chain/block.ts';
import type { HeldLock } from './heldLocks.ts';
import type { LockProber } from './lockProber.ts';
import type { LockStore, LockSubject } from './lockStore.ts';
import type { StudiedLock } from './studiedLock.ts';

/** A token whose locks are asked for. */
export interface LockQuestion extends LockSubject {
  readonly creator: Hex;
  /** Unix seconds after which locks do not count; undefined: all. */
  readonly untilS: number | undefined;
  /** Whether the node's current state says something about it. */
  readonly isCurrent: boolean;
}

/** The locks of tokens, with whether they can be believed. */
export interface LockBook {
  /** By token; none of tokens without locks. */
  study(
    chainId: number,
    questions: readonly LockQuestion[],
    upTo: number,
  ): Promise<Map<Hex, readonly StudiedLock[]>>;
}

const untried = (lock: HeldLock): StudiedLock => ({
  ...lock,
  belief: { kind: 'unknown' },
  lockedBy: undefined,
});

export const createLockBook = (ports: {
  readonly store: Pick<LockStore, 'read'>;
  readonly prober: LockProber;
  /** Whether the node's head says something about the facts at hand. */
  readonly isLive: () => boolean;
}): LockBook => {
  const { store, prober, isLive } = ports;
  return {
    study: async (chainId, questions, upTo) => {
      const found = await store.read(chainId, questions, upTo);
      const studied = new Map<Hex, readonly StudiedLock[]>();
      for (const { token, creator, untilS, isCurrent } of questions) {
        const locks = (found.get(token) ?? []).filter(
          ({ lockedAtS }) => untilS === undefined || lockedAtS <= untilS,
        );
        if (locks.length === 0) continue;
        const isTried = isCurrent && isLive();
        studied.set(token, isTried ? await prober.study(creator, locks) : locks.map(untried));
      }
      return studied;
    },
  };
};
