import { LRUCache } from 'lru-cache';
import type { Hex } from '../../shared/chain/block.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';

/**
 * Rows by what they are about: transfers and names of a token, its markets, events of a market, ownership of a contract, locks of an asset,
 * native coins that came to a wallet, tokens of a creator, labels of a code (by skeleton; `scams`: all that accuse).
 */
export type Rows =
  | `${'transfers' | 'token' | 'markets' | 'events' | 'ownership' | 'locks' | 'funds' | 'creator' | 'code'} ${Hex}`
  | 'code scams';

/** What is to be known of some subjects. */
interface Reading<K extends string, V> {
  /** Names what is read, with all that it depends on beside the subject and the rows. */
  readonly of: string;
  readonly keys: readonly K[];
  /** Last block whose rows count; undefined: whatever is there. */
  readonly upTo?: number;
  /** The rows without whose change a value, or its absence, stays as it is; undefined: it is not remembered. */
  readonly restsOn: (key: K, value: V | undefined) => readonly Rows[] | undefined;
  readonly read: (missing: readonly K[]) => Promise<ReadonlyMap<K, V>>;
}

/** How a cached value changes by a written row, so that it need not be read again. */
export interface Revision {
  readonly of: string;
  readonly key: string;
  /** @returns undefined where that cannot be said */
  readonly change: (value: unknown) => unknown;
}

/** @param change takes a value that a reading of this kind gave; undefined: that nothing is there */
export const revision = <V>(
  of: string,
  key: string,
  change: (value: V | undefined) => V | undefined,
): Revision => ({ of, key, change: (value) => change(value as V | undefined) });

/**
 * A cache of reads. Each value is kept until a row that it was computed from is written. Only the leading scorer writes these rows,
 * so it sees every change.
 */
export interface Recall {
  /** What is known of the subjects, read where it is not remembered; absent where there is nothing. */
  read<K extends string, V>(reading: Reading<K, V>): Promise<Map<K, V>>;
  /** Takes note that what is remembered of a subject was written anew by whoever reads it; undefined: it has to be read. */
  revise(revised: Revision): void;
  /** Writes rows. Where that fails, they may be there or not: everything is forgotten. `changed` or `revise` follows. */
  write(work: () => Promise<void>): Promise<void>;
  /**
   * Takes note that rows were written.
   * @param block the one they count from
   * @param revisions what they make of values that rest on them and were read up to an earlier block
   */
  changed(rows: Iterable<Rows>, block?: number, revisions?: readonly Revision[]): void;
  /** Forgets everything: rows were taken back. */
  forget(): void;
}

/** Where stores read: the cache, else ClickHouse. */
export interface Reads {
  readonly clickhouse: Clickhouse;
  readonly recall: Recall;
}

/** A cache that keeps nothing. */
export const NO_RECALL: Recall = {
  read: async ({ keys, read }) => new Map(keys.length > 0 ? await read(keys) : []),
  revise: () => undefined,
  write: (work) => work(),
  changed: () => undefined,
  forget: () => undefined,
};

interface Remembered {
  readonly value: unknown;
  readonly rows: readonly Rows[];
  readonly upTo: number;
  /** Changes that had been noted when it began to be read. */
  readonly readAt: number;
}

/** Characters of JSON that are remembered, some four bytes of memory each, and of one value: what is longer changes often. */
const CHARS_MAX = 16 * 1024 * 1024;
const VALUE_CHARS_MAX = 64 * 1024;
/** Subjects whose changes are known, some 200 bytes each; with more everything is forgotten. */
const CHANGES_MAX = 100_000;

const charsOf = ({ value, rows }: Remembered): number =>
  JSON.stringify([value, rows], (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one))
    .length;

/** What was remembered of earlier blocks, as of this one. */
const revisedBy = (
  revisions: readonly Revision[],
  block: number,
  remembered: (id: string) => Remembered | undefined,
): (readonly [string, Remembered])[] =>
  revisions.flatMap(({ of, key, change }) => {
    const id = `${of} ${key}`;
    const entry = remembered(id);
    // A block that comes again is in it already.
    if (!entry || entry.upTo >= block) return [];
    const value = change(entry.value);
    return value === undefined ? [] : [[id, { ...entry, value, upTo: block }] as const];
  });

export const createRecall = (): Recall => {
  const remembered = new LRUCache<string, Remembered>({
    maxSize: CHARS_MAX,
    maxEntrySize: VALUE_CHARS_MAX,
    sizeCalculation: charsOf,
  });
  /** The last change of rows, and the latest block that one of their changes counts from. */
  const changes = new Map<Rows, { readonly at: number; readonly block: number }>();
  let now = 0;
  let forgottenAt = 0;
  /** Not one read up to an earlier block, or while its rows were written: it may lack some of them. */
  const upToDate = (id: string): Remembered | undefined => {
    const entry = remembered.get(id);
    const isOutdated = entry?.rows.some((row) => {
      const change = changes.get(row);
      return change !== undefined && (change.at > entry.readAt || change.block > entry.upTo);
    });
    return isOutdated ? undefined : entry;
  };
  const forget = (): void => {
    now += 1;
    forgottenAt = now;
    changes.clear();
    remembered.clear();
  };
  return {
    read: async ({ of, keys, upTo = Number.POSITIVE_INFINITY, restsOn, read }) => {
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
        const rows = restsOn(key, value);
        if (value !== undefined) found.set(key, value);
        if (!rows || readAt < forgottenAt) continue;
        remembered.set(`${of} ${key}`, { value, rows, upTo, readAt });
      }
      return found;
    },
    revise: ({ of, key, change }) => {
      const id = `${of} ${key}`;
      const entry = remembered.get(id);
      const value = change(entry?.value);
      if (entry && value !== undefined) remembered.set(id, { ...entry, value });
      else remembered.delete(id);
    },
    write: (work) =>
      work().catch((error: unknown) => {
        forget();
        throw error;
      }),
    changed: (rows, block = 0, revisions = []) => {
      const revised = revisedBy(revisions, block, upToDate);
      now += 1;
      for (const row of rows) {
        changes.set(row, { at: now, block: Math.max(block, changes.get(row)?.block ?? 0) });
      }
      for (const [id, entry] of revised) remembered.set(id, { ...entry, readAt: now });
      if (changes.size > CHANGES_MAX) forget();
    },
    forget,
  };
};
