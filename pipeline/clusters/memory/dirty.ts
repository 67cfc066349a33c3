import type { Hex } from '../../../shared/chain/block.ts';
import type { RingChanges } from '../graph/ring.ts';

/** What changed in memory and is not stored yet. */
export interface Dirty {
  readonly rings: Set<string>;
  /** Rings that are no more, with the ring they went into, or null. */
  readonly ended: Map<string, string | null>;
  readonly wallets: Set<Hex>;
  /** Tokens of which has to be found out again what was lost with them. */
  readonly tokens: Set<Hex>;
}

export const createDirty = (): Dirty => ({
  rings: new Set(),
  ended: new Map(),
  wallets: new Set(),
  tokens: new Set(),
});

/** Notes what a step of the detector changed. */
export const noteRings = (dirty: Dirty, { changed, removed }: RingChanges): void => {
  for (const { id, mergedInto } of removed) {
    dirty.rings.delete(id);
    dirty.ended.set(id, mergedInto);
  }
  for (const { id } of changed) {
    dirty.ended.delete(id);
    dirty.rings.add(id);
  }
};

/** Forgets what has been stored meanwhile; what changed since stays. */
export const isClean = ({ rings, ended, wallets, tokens }: Dirty): boolean =>
  rings.size + ended.size + wallets.size + tokens.size === 0;
