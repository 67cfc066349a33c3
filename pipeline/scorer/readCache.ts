import { LRUCache } from 'lru-cache';
import type { Hex } from '../../shared/chain/block.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';

/**
 * Rows by subject: transfers and names of a token, its markets, events of a market, ownership of a contract, locks of
 * an asset, native payments to a wallet, failed sales of a token, tokens of a creator, labels of a code (by skeleton;
 * `scams`: all that accuse).
 */
export type Rows =
  | `${'transfers' | 'token' | 'markets' | 'events' | 'ownership' | 'locks' | 'funds' | 'failures' | 'creator' | 'code'} ${Hex}`
  | 'code scams';

/** A read about some subjects. */
interface Reading<K extends string, V> {
  /** Cache key, with everything that the result depends on besides the subject and the rows. */
  readonly of: string;
  readonly keys: readonly K[];
  /** Last block whose rows count; undefined: all. */
  readonly upTo?: number;
  /**
   * The rows from which a value, or its absence, is computed: the value is cached until one of them changes.
   * Undefined: it is not cached.
   */
  readonly dependsOn: (key: K, value: V | undefined) => readonly Rows[] | undefined;
  readonly read: (missing: readonly K[]) => Promise<ReadonlyMap<K, V>>;
}

/** How a written row changes a cached value, so that it need not be read again. */
export interface CacheUpdate {
  readonly of: string;
  readonly key: string;
  /** @returns undefined if that is unknown */
  readonly change: (value: unknown) => unknown;
}

/** @param change takes a value from a read of this kind; undefined: nothing is there */
export const cacheUpdate = <V>(
  of: string,
  key: string,
  change: (value: V | undefined) => V | undefined,
): CacheUpdate => ({ of, key, change: (value) => change(value as V | undefined) });

/**
 * A cache of reads. Each value is kept until a row that it was computed from is written. Only the leading scorer
 * writes these rows, so it sees every change.
 */
export interface ReadCache {
  /** Values of the subjects, read if not cached; absent if there is nothing. */
  read<K extends string, V>(reading: Reading<K, V>): Promise<Map<K, V>>;
  /** Changes one cached value because its row was written; drops it if `change` returns undefined. */
  update(update: CacheUpdate): void;
  /**
   * Writes rows. If that fails, they may or may not be stored, and the cache is cleared. Must be followed by
   * `changed` or `update`.
   */
  write(work: () => Promise<void>): Promise<void>;
  /**
   * Drops the values that depend on rows because these were written.
   * @param block the one from which they count
   * @param updates how values that depend on them, and were read up to an earlier block, change instead of being
   * dropped
   */
  changed(rows: Iterable<Rows>, block?: number, updates?: readonly CacheUpdate[]): void;
  /** Clears the cache: rows were reverted. */
  forget(): void;
}

/** Where stores read: the cache, else ClickHouse. */
export interface Reads {
  readonly clickhouse: Clickhouse;
  readonly cache: ReadCache;
}

/** A cache that keeps nothing. */
export const NO_CACHE: ReadCache = {
  read: async ({ keys, read }) => new Map(keys.length > 0 ? await read(keys) : []),
  update: () => undefined,
  write: (work) => work(),
  changed: () => undefined,
  forget: () => undefined,
};

interface Entry {
  readonly value: unknown;
  readonly rows: readonly Rows[];
  readonly upTo: number;
  /** Number of changes recorded when the read began. */
  readonly readAt: number;
}

/** Characters of cached JSON, some four bytes of memory each, and of one value: longer values change often. */
const CHARS_MAX = 16 * 1024 * 1024;
const VALUE_CHARS_MAX = 64 * 1024;
/** Subjects with recorded changes, some 200 bytes each; with more, the cache is cleared. */
const CHANGES_MAX = 100_000;

const charsOf = ({ value, rows }: Entry): number =>
  JSON.stringify([value, rows], (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one))
    .length;

/** Cached values of earlier blocks, as of this one. */
const updatedBy = (
  updates: readonly CacheUpdate[],
  block: number,
  cached: (id: string) => Entry | undefined,
): (readonly [string, Entry])[] =>
  updates.flatMap(({ of, key, change }) => {
    const id = `${of} ${key}`;
    const entry = cached(id);
    // A repeated block is already included.
    if (!entry || entry.upTo >= block) return [];
    const value = change(entry.value);
    return value === undefined ? [] : [[id, { ...entry, value, upTo: block }] as const];
  });

export const createReadCache = (): ReadCache => {
  const entries = new LRUCache<string, Entry>({
    maxSize: CHARS_MAX,
    maxEntrySize: VALUE_CHARS_MAX,
    sizeCalculation: charsOf,
  });
  /** The last change of rows, and the latest block from which one of their changes counts. */
  const changes = new Map<Rows, { readonly at: number; readonly block: number }>();
  let now = 0;
  let emptiedAt = 0;
  /** Not a value read up to an earlier block, or while its rows were written: it may lack some of them. */
  const upToDate = (id: string): Entry | undefined => {
    const entry = entries.get(id);
    const isOutdated = entry?.rows.some((row) => {
      const change = changes.get(row);
      return change !== undefined && (change.at > entry.readAt || change.block > entry.upTo);
    });
    return isOutdated ? undefined : entry;
  };
  const forget = (): void => {
    now += 1;
    emptiedAt = now;
    changes.clear();
    entries.clear();
  };
  return {
    read: async ({ of, keys, upTo = Number.POSITIVE_INFINITY, dependsOn, read }) => {
      const known = keys.map((key) => [key, upToDate(`${of} ${key}`)] as const);
      const [found, missing] = [new Map(), [] as (typeof keys)[number][]];
      for (const [key, entry] of known) {
        if (!entry || entry.upTo > upTo) missing.push(key);
        else if (entry.value !== undefined) found.set(key, entry.value);
      }
      if (missing.length === 0) return found;
      const readAt = now;
      const values = await read(missing);
      for (const key of missing) {
        const value = values.get(key);
        const rows = dependsOn(key, value);
        if (value !== undefined) found.set(key, value);
        if (!rows || readAt < emptiedAt) continue;
        entries.set(`${of} ${key}`, { value, rows, upTo, readAt });
      }
      return found;
    },
    update: ({ of, key, change }) => {
      const id = `${of} ${key}`;
      const entry = entries.get(id);
      const value = change(entry?.value);
      if (entry && value !== undefined) entries.set(id, { ...entry, value });
      else entries.delete(id);
    },
    write: (work) =>
      work().catch((error: unknown) => {
        forget();
        throw error;
      }),
    changed: (rows, block = 0, updates = []) => {
      const updated = updatedBy(updates, block, upToDate);
      now += 1;
      for (const row of rows) {
        changes.set(row, { at: now, block: Math.max(block, changes.get(row)?.block ?? 0) });
      }
      for (const [id, entry] of updated) entries.set(id, { ...entry, readAt: now });
      if (changes.size > CHANGES_MAX) forget();
    },
    forget,
  };
};
