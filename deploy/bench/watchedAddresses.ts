import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createWatchlistStore } from '../../shared/families/watchlistStore.ts';

/**
 * Watched addresses of a bench: the size for which the service is built, unless the environment gives another.
 */
export const WATCHES = Number(process.env['BENCH_WATCHES'] ?? 1_000_000);
const FAMILIES = 10_000;
/** Number stored at once: commands wait in memory until they are answered. */
const AT_ONCE = 1_000;

/** Stores a number of random wallets, watched by ten thousand families. */
export const saveWatchedAddresses = async (redis: Redis, count: number): Promise<void> => {
  const store = createWatchlistStore(redis);
  const add = (id: number) =>
    store.add(
      {
        family: `family${id % FAMILIES}`,
        id,
        type: 'wallet',
        address: `0x${randomBytes(20).toString('hex')}`,
        alerts: ['new_token', 'rug_pull'],
        sensitivity: 'medium',
        createdAtMs: Date.now(),
      },
      count,
    );
  for (let id = 1; id <= count; id += AT_ONCE) {
    const some = Math.min(AT_ONCE, count - id + 1);
    await Promise.all(
      Array.from({ length: some }, (_, i) => add(Number.MAX_SAFE_INTEGER - id - i)),
    );
  }
};
