import { LRUCache } from 'lru-cache';
import type { Hex } from '../../../shared/chain/block.ts';
import type { CacheMeter } from '../../../shared/platform/metrics/cacheMetrics.ts';
import type { Touched } from '../ingest/touched.ts';
import type { PoolReader } from './poolReader.ts';
import type { Pool, PoolStore } from './poolStore.ts';

/** Pools and non-pools remembered: some 300 bytes each. */
const REMEMBERED_MAX = 100_000;

/** Knows which tokens a pool trades. */
export interface PoolDirectory {
  /** Finds the pools with events: created by them, remembered, stored, or found by asking. */
  resolve(touched: Touched, epoch: number): Promise<void>;
  /** Remembers those of the contracts that are stored pools: one may act long after its last trade. */
  recall(contracts: readonly Hex[]): Promise<void>;
  /** Asks contracts that look like tokens whether they are pools, and keeps those that are. */
  adopt(contracts: readonly Hex[], epoch: number): Promise<void>;
  /** The pool, once resolved and as long as it is remembered. */
  get(pool: Hex): Pool | undefined;
  forget(): void;
}

export const createPoolDirectory = (ports: {
  chainId: number;
  pools: PoolStore;
  poolReader: PoolReader;
  rememberedMax?: number;
  meter?: CacheMeter | undefined;
}): PoolDirectory => {
  const { chainId, pools, poolReader } = ports;
  const max = ports.rememberedMax ?? REMEMBERED_MAX;
  const known = new LRUCache<Hex, Pool>({ max });
  const strangers = new LRUCache<Hex, true>({ max });
  /** Contracts that were no stored pools when they were looked for. */
  const unlisted = new LRUCache<Hex, true>({ max });
  const remember = (found: readonly Pool[]): void => {
    for (const pool of found) {
      known.set(pool.pool, pool);
      unlisted.delete(pool.pool);
    }
  };
  return {
    resolve: async (touched, epoch) => {
      const created = touched.pairs.map(({ fact, blockNumber, blockHash }) => {
        const { pool, token0, token1 } = fact;
        return { pool, token0, token1, created: { blockNumber, blockHash } };
      });
      await pools.insert(chainId, created, epoch);
      remember(created);
      const unknown = [...touched.pools.keys()].filter(
        (pool) => !known.has(pool) && !strangers.has(pool),
      );
      ports.meter?.asked(touched.pools.size, unknown.length);
      remember(await pools.find(chainId, unknown));
      const missing = unknown.filter((pool) => !known.has(pool));
      const read = missing.length > 0 ? await poolReader.read(missing) : [];
      await pools.insert(chainId, read, epoch);
      remember(read);
      for (const pool of missing) if (!known.has(pool)) strangers.set(pool, true);
    },
    recall: async (contracts) => {
      const unknown = contracts.filter((one) => !known.has(one) && !unlisted.has(one));
      for (const contract of unknown) unlisted.set(contract, true);
      remember(await pools.find(chainId, unknown));
    },
    adopt: async (contracts, epoch) => {
      const read = contracts.length > 0 ? await poolReader.read(contracts) : [];
      await pools.insert(chainId, read, epoch);
      remember(read);
    },
    get: (pool) => known.get(pool),
    forget: () => {
      known.clear();
      strangers.clear();
      unlisted.clear();
    },
  };
};
