import { LRUCache } from 'lru-cache';
import type { Hex } from '../../../shared/chain/block.ts';
import type { BlocksEvent, ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import type { HorizonStore } from './horizonStore.ts';

/** Pools remembered: some 150 bytes each. */
const REMEMBERED_MAX = 100_000;

/** Keeps the births of pools: horizons are counted from there. */
export interface PoolBirths {
  /** Records the pools whose first Sync is among stored events. */
  record(events: readonly BlocksEvent[], epoch: number): Promise<void>;
  /** Buries the births in orphaned blocks. Again: changes nothing. */
  bury(reorg: ReorgEvent): Promise<void>;
}

export const createPoolBirths = (ports: {
  chainId: number;
  horizons: HorizonStore;
  rememberedMax?: number;
}): PoolBirths => {
  const { chainId, horizons, rememberedMax: max = REMEMBERED_MAX } = ports;
  /** Pools that are born, or will never be: nobody saw them being created. */
  const settled = new LRUCache<Hex, true>({ max });
  return {
    record: async (events, epoch) => {
      const synced = new Set<Hex>();
      for (const { blocks } of events) {
        for (const { facts } of blocks) {
          for (const fact of facts) {
            if (fact.kind === 'sync' && !settled.has(fact.pool)) synced.add(fact.pool);
          }
        }
      }
      await horizons.recordBirths(chainId, [...synced], epoch);
      for (const pool of synced) settled.set(pool, true);
    },
    bury: (reorg) => {
      settled.clear();
      return horizons.buryBirths(reorg);
    },
  };
};
