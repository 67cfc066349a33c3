import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';

/** Resolves to the result of `read`, or to a result for another caller with the same key. */
export type Share = <T>(key: string, read: () => Promise<T>) => Promise<T>;

/** Maximum age of an answer if no change is reported. */
export const SHARED_MS_MAX = 1_000;
/** Maximum age of an answer however often the data changes. */
const KEPT_MS_OUTDATED = 250;
/**
 * Size of cached answers, measured as JSON: as objects, and as texts once shown, they take several times as much
 * memory. 8 MiB of lists that nobody requested again took 30 MiB.
 */
const KEPT_BYTES_MAX = 2 * 1_048_576;

interface Answer {
  readonly value: unknown;
  /** When its read began. */
  readonly atMs: number;
}

/** Every read by itself. */
export const unshared: Share = (_key, read) => read();

/**
 * Reads shared within this process, whose answers are the same for every caller. They must contain no account data.
 */
export const createSharedReads = (args: { now: () => number; keptBytesMax?: number }) => {
  const { now, keptBytesMax = KEPT_BYTES_MAX } = args;
  const kept = new LRUCache<string, Answer>({
    maxSize: keptBytesMax,
    sizeCalculation: ({ value }, key) => (JSON.stringify(value)?.length ?? 0) + key.length + 1,
  });
  const running = new Map<string, { readonly promise: Promise<unknown>; readonly atMs: number }>();
  let outdatedAtMs = Number.NEGATIVE_INFINITY;

  const serves = ({ atMs }: { readonly atMs: number }): boolean =>
    now() - atMs < (atMs <= outdatedAtMs ? KEPT_MS_OUTDATED : SHARED_MS_MAX);

  const start = async (key: string, read: () => Promise<unknown>): Promise<unknown> => {
    const atMs = now();
    const promise = read();
    const own = { promise, atMs };
    running.set(key, own);
    try {
      const value = await promise;
      if (running.get(key) === own) kept.set(key, { value, atMs });
      return value;
    } finally {
      if (running.get(key) === own) running.delete(key);
    }
  };
  return {
    /** Callers with the same key share one read and, for a moment, its answer. Failures are not cached. */
    share: <T>(key: string, read: () => Promise<T>): Promise<T> => {
      const known = kept.get(key);
      if (known && serves(known)) return Promise.resolve(known.value as T);
      const other = running.get(key);
      if (other && serves(other)) return other.promise as Promise<T>;
      return start(key, read) as Promise<T>;
    },
    /**
     * Reports that the data has changed: older answers are served only for the shortest time, and that of `key` not
     * at all.
     */
    outdate: (key?: string): void => {
      outdatedAtMs = now();
      if (key === undefined) return;
      kept.delete(key);
      running.delete(key);
    },
  };
};

/** How look-ups are batched. */
export interface JoinLimits {
  /** Queries that run at the same time. */
  readonly queriesMax: number;
  /** Keys per query. */
  readonly keysMax: number;
}

/** Keys of one query; more can join until the query starts. */
interface Batch<K, V> {
  readonly keys: Set<K>;
  readonly found: Promise<ReadonlyMap<K, V>>;
}

/**
 * Batches look-ups of lists into queries of many keys: keys requested while all queries run go into the next one,
 * each key once. A query costs the database milliseconds whatever it reads, an additional key a fraction of one. An
 * answer is never older than its request; it may contain more than was requested.
 */
export const joinLists = <K, V>(
  load: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
  { queriesMax, keysMax }: JoinLimits,
): ((keys: readonly K[]) => Promise<ReadonlyMap<K, V>>) => {
  const limit = pLimit(queriesMax);
  let open: Batch<K, V> | undefined;
  const openBatch = (): Batch<K, V> => {
    const keys = new Set<K>();
    const found = limit(() => {
      if (open?.keys === keys) open = undefined;
      return load([...keys]);
    });
    return { keys, found };
  };
  return async (keys) => {
    const batches = new Set<Batch<K, V>>();
    for (const key of keys) {
      if (!open || open.keys.size >= keysMax) open = openBatch();
      open.keys.add(key);
      batches.add(open);
    }
    const found = await Promise.all(Array.from(batches, (batch) => batch.found));
    const [first] = found;
    return first && found.length === 1 ? first : new Map(found.flatMap((part) => [...part]));
  };
};

/** The same for look-ups of one key each. */
export const joinLookups = <K, V>(
  load: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
  limits: JoinLimits,
): ((key: K) => Promise<V | undefined>) => {
  const find = joinLists(load, limits);
  return async (key) => (await find([key])).get(key);
};
