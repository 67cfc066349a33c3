import { LRUCache } from 'lru-cache';
import type { Hex } from '../../shared/chain/block.ts';

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

/** Reads that are remembered until what they rest on changes. Only the scorer that leads writes these rows, so it sees every change. */
export interface Recall {
  /** What is known of the subjects, read where it is not remembered; absent where there is nothing. */
  read<K extends string, V>(reading: Reading<K, V>): Promise<Map<K, V>>;
  /** Takes note that what is remembered of a subject was written anew by whoever reads it; undefined: it has to be read. */
  revise<V>(of: string, key: string, change: (value: V | undefined) => V | undefined): void;
  /** Writes rows. Where that fails, they may be there or not: everything is forgotten. `changed` or `revise` follows. */
  write(work: () => Promise<void>): Promise<void>;
  /** Takes note that rows were written. @param block the one they count from */
  changed(rows: Iterable<Rows>, block?: number): void;
  /** Forgets everything: rows were taken back. */
  forget(): void;
}

/** Remembers nothing. */
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
  /** A value read up to an earlier block, or while its rows were written, may lack some of them. */
  const isOutdated = ({ rows, readAt, upTo }: Remembered): boolean =>
    rows.some((row) => {
      const change = changes.get(row);
      return change !== undefined && (change.at > readAt || change.block > upTo);
    });
  const forget = (): void => {
    now += 1;
    forgottenAt = now;
    changes.clear();
    remembered.clear();
  };
  return {
    read: async ({ of, keys, upTo = Number.POSITIVE_INFINITY, restsOn, read }) => {
      const known = keys.map((key) => [key, remembered.get(`${of} ${key}`)] as const);
      const [found, missing] = [new Map(), [] as (typeof keys)[number][]];
      for (const [key, entry] of known) {
        if (!entry || entry.upTo > upTo || isOutdated(entry)) missing.push(key);
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
    revise: (of, key, change) => {
      const id = `${of} ${key}`;
      const entry = remembered.get(id);
      const value = change(entry?.value as Parameters<typeof change>[0]);
      if (entry && value !== undefined) remembered.set(id, { ...entry, value });
      else remembered.delete(id);
    },
    write: async (work) => {
      try {
        await work();
      } catch (error) {
        forget();
        throw error;
      }
    },
    changed: (rows, block = 0) => {
      now += 1;
      for (const row of rows) {
        changes.set(row, { at: now, block: Math.max(block, changes.get(row)?.block ?? 0) });
      }
      if (changes.size > CHANGES_MAX) forget();
    },
    forget,
  };
};
