import { StorageType } from 'nats';
import { z } from 'zod';
import { type WatchItem, watchChangedSchema } from '../../messages/watchMessage.ts';
import { errorMessage } from '../../platform/errors.ts';
import { createWatchlistStore } from '../../watchlist/watchlistStore.ts';
import { until } from '../pipelineProcess.ts';
import { type LiveStack, STACK_WAIT_MS_MAX, type Store } from './liveStack.ts';

/** Writes to one store, one after the other, and remembers what it confirmed. */
export interface PromiseKeeper {
  /** Number of the last write that was confirmed. */
  confirmed(): number;
  /** Whether a write was refused. */
  hasFailed(): boolean;
  /** Resolves when no more is written. */
  stop(): Promise<void>;
  /** The numbers up to the last confirmed one that the store does not have. */
  missing(): Promise<number[]>;
}

/** How a number is written, confirmed, and how all that are there are read. */
interface Ledger {
  prepare(): Promise<unknown>;
  write(number: number): Promise<unknown>;
  read(): Promise<ReadonlySet<number>>;
}

const ANSWER_MS_MAX = 5_000;

const natsLedger = ({ nats }: LiveStack, name: string): Ledger => ({
  prepare: async () => {
    const jsm = await nats.jetstreamManager();
    await jsm.streams.add({ name, subjects: [name], storage: StorageType.File });
  },
  write: (number) => nats.jetstream().publish(name, String(number), { timeout: ANSWER_MS_MAX }),
  read: async () => {
    const jsm = await nats.jetstreamManager();
    const { state } = await jsm.streams.info(name);
    const numbers = new Set<number>();
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      numbers.add(Number((await jsm.streams.getMessage(name, { seq })).string()));
    }
    return numbers;
  },
});

/** A watchlist: a number is there if its item is, and the announcement of it too unless that was trimmed since. */
const redisLedger = ({ redis }: LiveStack, name: string): Ledger => {
  const store = createWatchlistStore(redis);
  const announced = async (): Promise<number[]> =>
    (await redis.xrange('changes', '-', '+'))
      .map(([, [, text = '']]) => watchChangedSchema.parse(JSON.parse(text)).item)
      .flatMap(({ family, id }) => (family === name ? [id] : []));
  return {
    prepare: async () => undefined,
    write: async (number) => {
      const item: WatchItem = {
        family: name,
        id: number,
        type: 'wallet',
        address: `0x${number.toString(16).padStart(40, '0')}`,
        alerts: ['rug_pull'],
        sensitivity: 'medium',
        createdAtMs: number,
      };
      const { kind } = await store.add(item, Number.MAX_SAFE_INTEGER);
      if (kind !== 'added') throw new Error(`the item ${number} is there already`);
    },
    read: async () => {
      const ids = (await store.items(name)).map(({ id }) => id);
      const numbers = new Set(await announced());
      const first = [...numbers].reduce((least, number) => Math.min(least, number), Infinity);
      const isWhole = (id: number): boolean => numbers.has(id) || (id < first && numbers.size > 0);
      return new Set(ids.filter(isWhole));
    },
  };
};

const clickhouseLedger = ({ clickhouse }: LiveStack, name: string): Ledger => ({
  prepare: () =>
    clickhouse.exec(`CREATE TABLE ${name} (n UInt64) ENGINE = MergeTree ORDER BY n`, {}),
  write: (number) => clickhouse.insert(name, [{ n: number }]),
  read: async () => {
    const rows = await clickhouse.query(
      `SELECT n FROM ${name}`,
      {},
      z.object({ n: z.coerce.number() }),
    );
    return new Set(rows.map(({ n }) => n));
  },
});

const LEDGERS: Readonly<Record<Store, (stack: LiveStack, name: string) => Ledger>> = {
  nats: natsLedger,
  redis: redisLedger,
  clickhouse: clickhouseLedger,
};

/**
 * Begins to write to a store; stops by itself at the first write that fails.
 * @param name of a stream, family or table that is not there yet.
 */
export const keepPromises = async (
  stack: LiveStack,
  store: Store,
  name: string,
): Promise<PromiseKeeper> => {
  const ledger = LEDGERS[store](stack, name);
  await ledger.prepare();
  let [isOver, hasFailed, confirmed] = [false, false, 0];
  const writing = (async () => {
    try {
      while (!isOver) {
        await ledger.write(confirmed + 1);
        confirmed += 1;
      }
    } catch (error) {
      hasFailed = true;
      if (confirmed === 0) throw new Error(`${store}: ${errorMessage(error)}`, { cause: error });
    }
  })();
  return {
    confirmed: () => confirmed,
    hasFailed: () => hasFailed,
    stop: async () => {
      isOver = true;
      await writing;
    },
    missing: async () => {
      const read = () => ledger.read().catch(() => undefined);
      const there = await until(`${store} can be read`, read, STACK_WAIT_MS_MAX);
      return Array.from({ length: confirmed }, (_, i) => i + 1).filter((n) => !there.has(n));
    },
  };
};
