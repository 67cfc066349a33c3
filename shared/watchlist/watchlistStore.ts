import type { Redis } from 'ioredis';
import { type WatchChanged, type WatchItem, watchItemSchema } from '../messages/watchMessage.ts';
import { ANNOUNCE_LUA, CHANGE_KEYS } from '../platform/changes.ts';
import { createScript, onRedis } from '../platform/redis.ts';

/** The outcome of adding: stored, there already, or the family's cap is reached. */
export type AddedWatch =
  | { kind: 'added'; item: WatchItem }
  | { kind: 'exists'; item: WatchItem }
  | { kind: 'full' };

/**
 * Watchlists in Redis: a hash a key family, `watchlist:<family>`, with a field an item: `<type> <address>` to
 * `<id> <Unix milliseconds of creation> <sensitivity> <alerts, comma-separated>`.
 */
export interface WatchlistStore {
  /** All items of a family, in no order. */
  items(family: string): Promise<WatchItem[]>;
  /** Stores an item and announces it, unless its address is watched or the family has `itemsMax`. */
  add(item: WatchItem, itemsMax: number): Promise<AddedWatch>;
  /** The family's item by what it watches. */
  find(watch: Pick<WatchItem, 'family' | 'type' | 'address'>): Promise<WatchItem | undefined>;
  /** Removes this very item and announces that; resolves to false where it is not there any more. */
  remove(item: WatchItem): Promise<boolean>;
  /** All items of all families, in pages. An item that is there all the time is in at least one. */
  pages(): AsyncIterable<readonly WatchItem[]>;
}

const ADD = `${ANNOUNCE_LUA}
local stored = redis.call('HGET', KEYS[3], ARGV[1])
if stored then return stored end
if redis.call('HLEN', KEYS[3]) >= tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
announce('watch', ARGV[4])
return 1
`;
const REMOVE = `${ANNOUNCE_LUA}
if redis.call('HGET', KEYS[3], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[3], ARGV[1])
announce('watch', ARGV[3])
return 1
`;

const PREFIX = 'watchlist:';
/** Families of one page: few, because chain events wait while a page is taken in. */
const FAMILIES_AT_ONCE = 100;

const keyOf = (family: string): string => `${PREFIX}${family}`;
const fieldOf = ({ type, address }: Pick<WatchItem, 'type' | 'address'>): string =>
  `${type} ${address}`;
const valueOf = ({ id, createdAtMs, sensitivity, alerts }: WatchItem): string =>
  `${id} ${createdAtMs} ${sensitivity} ${alerts.join(',')}`;
const itemOf = (family: string, field: string, value: string): WatchItem => {
  const [type, address] = field.split(' ');
  const [id, createdAtMs, sensitivity, alerts] = value.split(' ');
  return watchItemSchema.parse({
    family,
    id: Number(id),
    type,
    address,
    alerts: alerts === '' ? [] : alerts?.split(','),
    sensitivity,
    createdAtMs: Number(createdAtMs),
  });
};

/** Watchlists in Redis. Every method throws RetryableError while Redis is away. */
export const createWatchlistStore = (redis: Redis): WatchlistStore => {
  const add = createScript(redis, ADD);
  const remove = createScript(redis, REMOVE);
  const keysOf = (family: string): string[] => [...CHANGE_KEYS, keyOf(family)];
  const message = (change: WatchChanged['change'], item: WatchItem): string =>
    JSON.stringify({ v: 1, change, item } satisfies WatchChanged);
  const items = async (family: string): Promise<WatchItem[]> =>
    Object.entries(await onRedis(() => redis.hgetall(keyOf(family)))).map(([field, value]) =>
      itemOf(family, field, value),
    );

  return {
    items,
    add: async (item, itemsMax) => {
      const field = fieldOf(item);
      const args = [field, valueOf(item), itemsMax, message('added', item)];
      const answer = await onRedis(() => add(keysOf(item.family), args));
      if (answer === 0) return { kind: 'full' };
      if (answer === 1) return { kind: 'added', item };
      return { kind: 'exists', item: itemOf(item.family, field, String(answer)) };
    },
    find: async (watch) => {
      const field = fieldOf(watch);
      const value = await onRedis(() => redis.hget(keyOf(watch.family), field));
      return value === null ? undefined : itemOf(watch.family, field, value);
    },
    remove: async (item) => {
      const args = [fieldOf(item), valueOf(item), message('removed', item)];
      return (await onRedis(() => remove(keysOf(item.family), args))) === 1;
    },
    pages: async function* () {
      let cursor = '0';
      do {
        const [next, keys] = await onRedis(() =>
          redis.scan(cursor, 'MATCH', `${PREFIX}*`, 'COUNT', FAMILIES_AT_ONCE),
        );
        cursor = next;
        const families = keys.map((key) => key.slice(PREFIX.length));
        yield (await Promise.all(families.map(items))).flat();
      } while (cursor !== '0');
    },
  };
};
