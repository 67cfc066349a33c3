import type { Hex } from '../../shared/chain/block.ts';
import { chainPosition } from '../../shared/chain/version.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLruSet } from '../../shared/runtime/lruSet.ts';
import type { Activity } from './activityStore.ts';
import type { Touched } from './facts/touched.ts';
import type { PoolReader } from './poolReader.ts';
import type { Pool, PoolStore } from './poolStore.ts';
import type { TokenReader } from './tokenReader.ts';
import type { TokenStore } from './tokenStore.ts';
import type { TokenRecord } from './tokens/tokenRecord.ts';

export interface DiscoveryPorts {
  readonly chainId: number;
  readonly tokens: TokenStore;
  readonly pools: PoolStore;
  readonly tokenReader: TokenReader;
  readonly poolReader: PoolReader;
  readonly logger: Logger;
}

/** Finds the tokens behind facts: known ones in the store, new ones on the chain. */
export interface Discovery {
  /** Stores what is new and returns every token whose verdict is due. */
  discover(touched: Touched, epoch: number): Promise<Activity[]>;
  /** Forgets what was remembered of the chain: a reorg may have removed it. */
  forget(): void;
}

/** Contracts remembered as tokens, as no tokens, and pools: some 100 bytes each. */
const REMEMBERED_MAX = 200_000;

export const createDiscovery = (ports: DiscoveryPorts): Discovery => {
  const { chainId, tokens, pools, tokenReader, poolReader, logger } = ports;
  const knownTokens = createLruSet<Hex>(REMEMBERED_MAX);
  const notTokens = createLruSet<Hex>(REMEMBERED_MAX);
  const notPools = createLruSet<Hex>(REMEMBERED_MAX);
  // Values matter here, so a Map with the same bound stands for the set.
  const knownPools = new Map<Hex, Pool>();

  const remember = (found: readonly Pool[]): void => {
    for (const pool of found) {
      knownPools.set(pool.pool, pool);
      if (knownPools.size <= REMEMBERED_MAX) continue;
      const oldest = knownPools.keys().next();
      if (!oldest.done) knownPools.delete(oldest.value);
    }
  };

  /** The pools with events: created in this batch, remembered, stored, or found by asking. */
  const resolvePools = async (touched: Touched, epoch: number): Promise<void> => {
    const created = touched.pairs.map(({ fact, blockNumber, blockHash }) => ({
      pool: fact.pool,
      token0: fact.token0,
      token1: fact.token1,
      created: { blockNumber, blockHash },
    }));
    await pools.insert(chainId, created, epoch);
    remember(created);
    const unknown = [...touched.pools.keys()].filter(
      (pool) => !knownPools.has(pool) && !notPools.has(pool),
    );
    remember(await pools.find(chainId, unknown));
    const missing = unknown.filter((pool) => !knownPools.has(pool));
    const read = missing.length > 0 ? await poolReader.read(missing) : [];
    await pools.insert(chainId, read, epoch);
    remember(read);
    for (const pool of missing) if (!knownPools.has(pool)) notPools.add(pool);
  };

  /** Confirms candidates that are neither known as tokens nor as anything else. */
  const confirmTokens = async (touched: Touched, epoch: number): Promise<void> => {
    const poolTokens = [...touched.pools.keys()].flatMap((pool) => {
      const known = knownPools.get(pool);
      return known ? [known.token0, known.token1] : [];
    });
    const unknown = [...new Set([...touched.sightings.keys(), ...poolTokens])].filter(
      (token) => !knownTokens.has(token) && !notTokens.has(token) && !knownPools.has(token),
    );
    for (const token of await tokens.known(chainId, unknown)) knownTokens.add(token);
    const candidates = unknown.flatMap((token) => {
      const sighting = touched.sightings.get(token);
      return sighting && !knownTokens.has(token) ? [sighting] : [];
    });
    if (candidates.length === 0) return;
    const results = await tokenReader.read(chainId, candidates);
    const records: TokenRecord[] = [];
    results.forEach((result, i) => {
      const token = candidates[i]?.token;
      if (!token) return;
      if (result.kind === 'token') records.push(result.record);
      else notTokens.add(token);
    });
    await tokens.insert(records, epoch);
    for (const { token } of records) knownTokens.add(token);
    logger.debug({ candidates: candidates.length, tokens: records.length }, 'candidates read');
  };

  /** Every known token that was touched, with the highest block that did it. */
  const activitiesOf = (touched: Touched, epoch: number): Activity[] => {
    const lastBlocks = new Map<Hex, number>();
    const touch = (token: Hex, block: number): void => {
      if (!knownTokens.has(token)) return;
      lastBlocks.set(token, Math.max(block, lastBlocks.get(token) ?? 0));
    };
    for (const { token, blockNumber } of touched.sightings.values()) touch(token, blockNumber);
    for (const [contract, block] of touched.contracts) touch(contract, block);
    for (const [pool, block] of touched.pools) {
      const known = knownPools.get(pool);
      if (!known) continue;
      touch(known.token0, block);
      touch(known.token1, block);
    }
    return [...lastBlocks].map(([token, block]) => ({
      token,
      position: chainPosition(epoch, block),
    }));
  };

  return {
    discover: async (touched, epoch) => {
      await resolvePools(touched, epoch);
      await confirmTokens(touched, epoch);
      return activitiesOf(touched, epoch);
    },
    forget: () => {
      knownTokens.clear();
      notTokens.clear();
      knownPools.clear();
    },
  };
};
