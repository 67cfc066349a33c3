import type { Hex } from '../../../shared/chain/block.ts';
import {
  type WatchChanged,
  type WatchItem,
  watchItemSchema,
} from '../../../shared/messages/watchMessage.ts';

/** What the rules need to know of one watchlist item. */
export type Watch = Omit<WatchItem, 'createdAtMs'>;

/**
 * Watched addresses in memory: a map from the bytes of an address to its items as one text. A million items took 173 bytes each as texts,
 * 517 as objects, when both were measured.
 */
export interface WatchIndex {
  /** Replaces all items once every page is read; until then the former ones are found. */
  load(pages: AsyncIterable<readonly Watch[]>): Promise<void>;
  /** Takes over a change; repeating it changes nothing. */
  apply(change: Pick<WatchChanged, 'change'> & { readonly item: Watch }): void;
  /** The items of an address, in no particular order. */
  find(address: Hex): Watch[];
  counts(): { items: number };
}

const SEPARATOR = '\n';
const watchSchema = watchItemSchema.omit({ createdAtMs: true });

const keyOf = (address: Hex): string => Buffer.from(address.slice(2), 'hex').toString('latin1');
const ownerOf = ({ family, id }: Pick<Watch, 'family' | 'id'>): string => `${family} ${id} `;
/** Joined, because texts that are added up stay in pieces. */
const textOf = ({ family, id, type, sensitivity, alerts }: Watch): string =>
  [family, id, type, sensitivity, alerts.join(',')].join(' ');
const watchOf = (text: string, address: Hex): Watch => {
  const [family, id, type, sensitivity, alerts = ''] = text.split(' ');
  return watchSchema.parse({
    family,
    id: Number(id),
    type,
    address,
    alerts: alerts === '' ? [] : alerts.split(','),
    sensitivity,
  });
};

/** Items by the bytes of their address. */
const createTable = () => {
  const texts = new Map<string, string>();
  let count = 0;
  const itemsAt = (key: string): string[] => texts.get(key)?.split(SEPARATOR) ?? [];
  const remove = (item: Watch): void => {
    const key = keyOf(item.address);
    const before = itemsAt(key);
    const after = before.filter((text) => !text.startsWith(ownerOf(item)));
    count += after.length - before.length;
    if (after.length > 0) texts.set(key, after.join(SEPARATOR));
    else texts.delete(key);
  };
  const put = (item: Watch): void => {
    remove(item);
    const key = keyOf(item.address);
    texts.set(key, [...itemsAt(key), textOf(item)].join(SEPARATOR));
    count += 1;
  };
  const find = (address: Hex): Watch[] =>
    itemsAt(keyOf(address)).map((text) => watchOf(text, address));
  return { put, remove, find, size: () => count };
};

/** An empty index. */
export const createWatchIndex = (): WatchIndex => {
  let table = createTable();
  return {
    load: async (pages) => {
      const fresh = createTable();
      for await (const page of pages) for (const item of page) fresh.put(item);
      table = fresh;
    },
    apply: ({ change, item }) => {
      if (change === 'added') table.put(item);
      else table.remove(item);
    },
    find: (address) => table.find(address),
    counts: () => ({ items: table.size() }),
  };
};
