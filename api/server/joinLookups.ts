import DataLoader from 'dataloader';
import pLimit from 'p-limit';

/** How look-ups are joined. */
export interface JoinLimits {
  /** Queries that run at the same time. */
  readonly queriesMax: number;
  /** Keys of one query. */
  readonly keysMax: number;
}

/**
 * Makes look-ups of one key each into queries of many: what is asked while all queries run goes with the next
 * one, each key once. A query costs the database milliseconds whatever it reads, a further key a fraction of one.
 * An answer is never older than its question.
 */
export const joinLookups = <K, V>(
  load: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
  { queriesMax, keysMax }: JoinLimits,
): ((key: K) => Promise<V | undefined>) => {
  const limit = pLimit(queriesMax);
  let latest: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<K, V | undefined>(
    async (keys) => {
      const found = load([...new Set(keys)]);
      latest = found.catch(() => undefined);
      const values = await found;
      return keys.map((key) => values.get(key));
    },
    {
      cache: false,
      maxBatchSize: keysMax,
      // The batch goes on taking keys until its turn has come.
      batchScheduleFn: (dispatch) => {
        void limit(async () => {
          dispatch();
          await latest;
        });
      },
    },
  );
  return (key) => loader.load(key);
};
