import pLimit from 'p-limit';
import type { Hex } from '../../../shared/chain/block.ts';
import type { WatchChanged, WatchItem } from '../../../shared/messages/watchMessage.ts';
import { createWatchTable, type Watch, type WatchTable } from './watchTable.ts';

/** Where the watchlists are kept, and how their changes come. */
export interface WatchSource {
  /** Begins to pass on every change from now on; resolves when none can be missed any more. */
  listen(onChange: (change: WatchChanged) => void): Promise<void>;
  /** All items, in pages. */
  snapshot(): AsyncIterable<readonly WatchItem[]>;
}

/** Watched addresses in memory. */
export interface WatchIndex {
  /**
   * Reads all items; again at any time, which puts right what a lost change left wrong. Changes
   * that come in the meantime are kept.
   */
  load(): Promise<void>;
  find(address: Hex): Watch[];
  counts(): { items: number; bytes: number };
}

/** Removed items remembered between loads, for changes that two API processes send crosswise. */
const REMOVED_KEPT_MAX = 10_000;

const keyOf = ({ family, id }: Pick<Watch, 'family' | 'id'>): string => `${id}:${family}`;

/**
 * Keeps the items equal to the source. Listening begins before the snapshot is read, and an item's
 * id is never used again: so an item once removed stays out, whatever a snapshot or a late message
 * says, and an item added twice is one.
 */
export const createWatchIndex = (source: WatchSource, seed: number): WatchIndex => {
  const removed = new Set<string>();
  let table = createWatchTable(seed);
  /** The table a load is filling, which then replaces the other. */
  let loading: WatchTable | undefined;
  let isListening = false;

  const add = (to: WatchTable | undefined, item: WatchItem): void => {
    if (!removed.has(keyOf(item))) to?.put(item);
  };
  const apply = ({ change, item }: WatchChanged): void => {
    if (change === 'added') {
      add(table, item);
      add(loading, item);
      return;
    }
    removed.add(keyOf(item));
    table.remove(item);
    loading?.remove(item);
    // A page of the snapshot may still hold any of them.
    if (!loading) forgetEldest(removed, REMOVED_KEPT_MAX);
  };

  // Two at a time would lose changes that come between the end of one and that of the other.
  const oneAtATime = pLimit(1);
  const load = async (): Promise<void> => {
    if (!isListening) await source.listen(apply);
    isListening = true;
    const fresh = createWatchTable(seed);
    loading = fresh;
    try {
      for await (const page of source.snapshot()) for (const item of page) add(fresh, item);
      table = fresh;
    } finally {
      loading = undefined;
    }
  };

  return {
    load: () => oneAtATime(load),
    find: (address) => table.find(address),
    counts: () => ({ items: table.size(), bytes: table.bytes() }),
  };
};

const forgetEldest = (keys: Set<string>, kept: number): void => {
  for (const key of keys) {
    if (keys.size <= kept) return;
    keys.delete(key);
  }
};
