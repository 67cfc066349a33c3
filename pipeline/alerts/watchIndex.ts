import type { Hex } from '../../shared/chain/block.ts';
import type { WatchChanged, WatchItem } from '../../shared/messages/watchMessage.ts';
import { createWatchTable, type Watch } from './watch/watchTable.ts';

/** Where the watchlists are kept, and how their changes come. */
export interface WatchSource {
  /** Begins to pass on every change from now on; resolves when none can be missed any more. */
  listen(onChange: (change: WatchChanged) => void): Promise<void>;
  /** All items, in pages. */
  snapshot(): AsyncIterable<readonly WatchItem[]>;
}

/** Watched addresses in memory. */
export interface WatchIndex {
  /** Loads all items. Changes that come in the meantime are kept. */
  load(): Promise<void>;
  find(address: Hex): Watch[];
  counts(): { items: number; bytes: number };
}

/** Removed items remembered after the load, for changes that two API processes send crosswise. */
export const REMOVED_KEPT_MAX = 10_000;

const keyOf = ({ family, id }: Pick<Watch, 'family' | 'id'>): string => `${id}:${family}`;

/**
 * Keeps the items equal to the source. Listening begins before the snapshot is read, and an item's
 * id is never used again: so an item once removed stays out, whatever a snapshot or a late message
 * says, and an item added twice is one.
 */
export const createWatchIndex = (source: WatchSource, seed: number): WatchIndex => {
  const table = createWatchTable(seed);
  const removed = new Set<string>();
  let isLoaded = false;

  const add = (item: WatchItem): void => {
    if (!removed.has(keyOf(item))) table.put(item);
  };
  const forgetRemoved = (): void => {
    for (const key of removed) {
      if (removed.size <= REMOVED_KEPT_MAX) return;
      removed.delete(key);
    }
  };
  const apply = ({ change, item }: WatchChanged): void => {
    if (change === 'added') {
      add(item);
      return;
    }
    removed.add(keyOf(item));
    table.remove(item);
    if (isLoaded) forgetRemoved();
  };

  return {
    load: async () => {
      await source.listen(apply);
      for await (const page of source.snapshot()) for (const item of page) add(item);
      isLoaded = true;
      forgetRemoved();
    },
    find: (address) => table.find(address),
    counts: () => ({ items: table.size(), bytes: table.bytes() }),
  };
};
