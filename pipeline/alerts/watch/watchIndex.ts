import type { Hex } from '../../../shared/chain/block.ts';
import type { WatchChanged, WatchItem } from '../../../shared/messages/watchMessage.ts';

/** The fields of a watchlist item that the rules need. */
export type Watch = Omit<WatchItem, 'createdAtMs'>;

/** Items by their address. */
const createTable = () => {
  const byAddress = new Map<Hex, readonly Watch[]>();
  /**
   * Interns repeated texts and lists: every item arrives with its own copies, which take as much memory as the rest
   * of it.
   */
  const known = new Map<string, unknown>();
  const once = <T>(key: string, value: T): T => {
    if (!known.has(key)) known.set(key, value);
    return known.get(key) as T;
  };
  let count = 0;
  const find = (address: Hex): readonly Watch[] => byAddress.get(address) ?? [];
  const remove = ({ address, family, id }: Watch): void => {
    const before = find(address);
    const after = before.filter((item) => item.id !== id || item.family !== family);
    count += after.length - before.length;
    if (after.length > 0) byAddress.set(address, after);
    else byAddress.delete(address);
  };
  const put = (item: Watch): void => {
    remove(item);
    const { id, type, address, sensitivity } = item;
    const family = once(`family ${item.family}`, item.family);
    const alerts = once(`alerts ${item.alerts.join()}`, item.alerts);
    const watch = { family, id, type, address, alerts, sensitivity };
    // Not spread: a spread array reserves room for sixteen more entries.
    byAddress.set(address, find(address).concat(watch));
    count += 1;
  };
  return { put, remove, find, size: () => count };
};

/** An empty index. */
export const createWatchIndex = () => {
  let table = createTable();
  return {
    /** Replaces all items once every page is read; until then the previous ones are used. */
    load: async (pages: AsyncIterable<readonly Watch[]>): Promise<void> => {
      const fresh = createTable();
      for await (const page of pages) for (const item of page) fresh.put(item);
      table = fresh;
    },
    /** Applies a change; idempotent. */
    apply: ({ change, item }: Pick<WatchChanged, 'change'> & { readonly item: Watch }): void => {
      if (change === 'added') table.put(item);
      else table.remove(item);
    },
    /** The items of an address, in no particular order. */
    find: (address: Hex): readonly Watch[] => table.find(address),
    counts: (): { items: number } => ({ items: table.size() }),
  };
};
