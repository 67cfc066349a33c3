import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { WatchChanged, WatchItem } from '../../shared/messages/watchMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { withLock } from '../../shared/platform/withLock.ts';
import {
  findRemovedWatchItem,
  findWatchItem,
  findWatchOf,
  listWatchItems,
  saveWatchItem,
  tokenNames,
} from './queries.ts';
import type { Watchlist, WatchPage } from './watchlist.ts';

/** What the watchlist needs of its surroundings. */
export interface WatchlistDependencies {
  readonly database: Pick<Clickhouse, 'query' | 'exec'>;
  readonly redis: Redis;
  /** Resolves when the stream has stored the change. */
  readonly publish: (change: WatchChanged) => Promise<void>;
  readonly chainId: number;
  readonly clock: Clock;
}

/** One page of a watchlist; tokens that were analysed carry their name. */
const listNamed = async (
  database: Pick<Clickhouse, 'query'>,
  chainId: number,
  page: WatchPage,
): Promise<{ items: (WatchItem & { name?: string })[]; total: number }> => {
  const { items, total } = await listWatchItems(database, page);
  const tokens = items.filter((item) => item.type === 'token').map((item) => item.address);
  const names =
    tokens.length > 0 ? await tokenNames(database, chainId, tokens) : new Map<string, string>();
  const named = items.map((item) => {
    const name = names.get(item.address);
    return name === undefined ? item : { ...item, name };
  });
  return { items: named, total };
};

/** Bits of a random 64-bit number beyond the integers that JSON carries exactly. */
const SPARE_BITS = 11n;

/** A random integer of 53 bits, but 0: nobody learns from an id how many there are, or another one. */
const newWatchId = (): number =>
  Number(randomBytes(8).readBigUInt64BE() >> SPARE_BITS) || newWatchId();

/** Watchlists in ClickHouse; every change is announced before it is confirmed to the client. */
export const createWatchlist = (dependencies: WatchlistDependencies): Watchlist => {
  const { database, redis, publish, chainId, clock } = dependencies;
  const exclusively = <T>(family: string, work: () => Promise<T>): Promise<T> =>
    withLock({ redis, clock }, `watchlist-lock:${family}`, work);

  /** Stores the item and announces it; without the announcement it is taken back. */
  const store = async (item: WatchItem): Promise<void> => {
    await saveWatchItem(database, item, 'added');
    try {
      await publish({ v: 1, change: 'added', item });
    } catch (error) {
      await saveWatchItem(database, item, 'removed');
      throw error;
    }
  };

  /** Stores the removal and announces it. Under the lock of the family. */
  const removeItem = async (family: string, id: number): Promise<boolean> => {
    const item = await findWatchItem(database, family, id);
    if (item) await saveWatchItem(database, item, 'removed');
    // An earlier request may have died between storing and announcing: announce again.
    const gone = item ?? (await findRemovedWatchItem(database, family, id));
    if (gone) await publish({ v: 1, change: 'removed', item: gone });
    return item !== undefined;
  };

  return {
    list: (page) => listNamed(database, chainId, page),

    add: (watch, itemsMax) =>
      exclusively(watch.family, async () => {
        const existing = await findWatchOf(database, watch);
        if (existing) {
          // An earlier request may have died between storing and announcing.
          await publish({ v: 1, change: 'added', item: existing });
          return { kind: 'exists', item: existing };
        }
        const { total } = await listWatchItems(database, {
          family: watch.family,
          limit: 1,
          offset: 0,
        });
        if (total >= itemsMax) return { kind: 'full' };
        const item = { ...watch, id: newWatchId(), createdAtMs: clock.now() };
        await store(item);
        return { kind: 'added', item };
      }),

    remove: (family, id) => exclusively(family, () => removeItem(family, id)),

    removeAddress: (family, address, types) =>
      exclusively(family, async () => {
        let removed = 0;
        for (const type of types) {
          const item = await findWatchOf(database, { family, type, address });
          if (item && (await removeItem(family, item.id))) removed += 1;
        }
        return removed;
      }),
  };
};
