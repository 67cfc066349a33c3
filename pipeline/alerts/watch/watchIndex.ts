import type { Hex } from '../../../shared/chain/block.ts';
import type { WatchChanged, WatchItem } from '../../../shared/messages/watchMessage.ts';
import { createWatchTable, type Watch } from './watchTable.ts';

/** Watched addresses in memory. */
export interface WatchIndex {
  /** Replaces all items once every page is read; until then the former ones are found. */
  load(pages: AsyncIterable<readonly WatchItem[]>): Promise<void>;
  /** Takes over a change; repeating it changes nothing. */
  apply(change: WatchChanged): void;
  find(address: Hex): Watch[];
  counts(): { items: number; bytes: number };
}

/** An empty index. A random `seed` keeps clients from choosing addresses that fall together. */
export const createWatchIndex = (seed: number): WatchIndex => {
  let table = createWatchTable(seed);
  return {
    load: async (pages) => {
      const fresh = createWatchTable(seed);
      for await (const page of pages) for (const item of page) fresh.put(item);
      table = fresh;
    },
    apply: ({ change, item }) => {
      if (change === 'added') table.put(item);
      else table.remove(item);
    },
    find: (address) => table.find(address),
    counts: () => ({ items: table.size(), bytes: table.bytes() }),
  };
};
