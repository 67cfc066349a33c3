import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { inAddresses } from '../../shared/chain/address.ts';
import {
  type AddedWatch,
  createWatchlistStore,
  type WatchPlace,
} from '../../shared/families/watchlistStore.ts';
import { addressSchema } from '../../shared/messages/schemas.ts';
import type { WatchItem } from '../../shared/messages/watchMessage.ts';
import type { Database } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { hexText } from '../../shared/rules/hexText.ts';

/** An item to add to a family's watchlist. */
export type NewWatch = Pick<WatchItem, 'family' | 'type' | 'address' | 'alerts' | 'sensitivity'>;

/** One page of a watchlist. */
export interface WatchPage {
  readonly family: string;
  readonly type?: 'token' | 'wallet' | undefined;
  readonly limit: number;
  readonly offset: number;
  /** Items older than this one; `offset` is then ignored. */
  readonly before?: Pick<WatchItem, 'createdAtMs' | 'id'> | undefined;
}

/** Dependencies of the watchlist. */
export interface WatchlistDependencies {
  readonly database: Database;
  readonly redis: Redis;
  readonly chainId: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** Names of those addresses that are analysed tokens. */
const tokenNames = async (
  database: Database,
  chainId: number,
  addresses: readonly string[],
): Promise<Map<string, string>> => {
  if (addresses.length === 0) return new Map();
  const rows = await database.query(
    `SELECT ${hexText('v.token')} AS token, v.name AS name FROM token_verdicts AS v FINAL
     WHERE v.chain_id = {chainId:UInt64} AND v.token IN ${inAddresses('addresses')}`,
    { chainId, addresses: addresses.map((address) => address.slice(2)) },
    z.object({ token: addressSchema, name: z.string() }),
  );
  return new Map(rows.map(({ token, name }) => [token, name]));
};

type Place = Pick<WatchItem, 'createdAtMs' | 'id'>;
const newestFirst = (a: Place, b: Place): number => b.createdAtMs - a.createdAtMs || b.id - a.id;

/** The items of one page, newest first, and the number of matches. */
const pageOf = (
  all: readonly WatchPlace[],
  { type, limit, offset, before }: WatchPage,
): { items: WatchItem[]; total: number } => {
  const matching = all
    .filter((item) => type === undefined || item.type === type)
    .toSorted(newestFirst);
  const start = before ? matching.findIndex((item) => newestFirst(before, item) < 0) : offset;
  const shown = start < 0 ? [] : matching.slice(start, start + limit);
  return { items: shown.map((item) => item.read()), total: matching.length };
};

/** Bits by which a random 64-bit number exceeds the integers that JSON carries exactly. */
const SPARE_BITS = 11n;

/** A random non-zero integer of 53 bits: an id reveals neither the number of items nor another id. */
const newWatchId = (): number =>
  Number(randomBytes(8).readBigUInt64BE() >> SPARE_BITS) || newWatchId();

/** Watchlists in Redis; analysed tokens are listed with their name. */
export const createWatchlist = (dependencies: WatchlistDependencies) => {
  const { database, redis, chainId, clock } = dependencies;
  const store = createWatchlistStore(redis);
  return {
    list: async (
      page: WatchPage,
    ): Promise<{ items: (WatchItem & { name?: string })[]; total: number }> => {
      const { items, total } = pageOf(await store.places(page.family), page);
      const tokens = items.filter(({ type }) => type === 'token').map(({ address }) => address);
      const names = await tokenNames(database, chainId, tokens);
      const named = items.map((item) => {
        const name = item.type === 'token' ? names.get(item.address) : undefined;
        return name === undefined ? item : { ...item, name };
      });
      return { items: named, total };
    },

    /** At most `itemsMax` items per family, each (type, address) once, also under concurrency. */
    add: (watch: NewWatch, itemsMax: number): Promise<AddedWatch> =>
      store.add({ ...watch, id: newWatchId(), createdAtMs: clock.now() }, itemsMax),

    /** Resolves to false if the family has no such item. */
    remove: async (family: string, id: number): Promise<boolean> => {
      const item = (await store.places(family)).find((one) => one.id === id);
      return item !== undefined && store.remove(item.read());
    },

    /** Removes all items that watch an address; resolves to their number. */
    removeAddress: async (
      family: string,
      address: WatchItem['address'],
      types: readonly WatchItem['type'][],
    ): Promise<number> => {
      let removed = 0;
      for (const type of types) {
        const item = await store.find({ family, type, address });
        if (item && (await store.remove(item))) removed += 1;
      }
      return removed;
    },
  };
};
/** Watchlists of key families. */
export type Watchlist = ReturnType<typeof createWatchlist>;
