import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import type { Sides } from '../../../shared/chain/fact.ts';
import { factVersion } from '../../../shared/chain/version.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import {
  type EdgeTable,
  insertNeighbours,
  insertNeighbourTombstones,
  type StoredEdge,
} from '../../../shared/platform/graphNeighbours.ts';
import {
  insertTombstones,
  type TombstoneTable,
} from '../../../shared/platform/insertTombstones.ts';
import type { CacheMeter } from '../../../shared/platform/metrics.ts';
import { type ColumnWriters, createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { Touched } from '../ingest/touched.ts';
import { NO_CACHE, type ReadCache, type Rows } from '../readCache.ts';
import { addressInWord } from '../simulation/evmCode.ts';
import { resultOf } from '../simulation/readOutcomes.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import { callOf, readFactories } from './knownPairs.ts';

/** A Uniswap V2 pool and its tokens. */
export interface Pool {
  readonly pool: Hex;
  readonly token0: Hex;
  readonly token1: Hex;
  /** Factory that lists it, the zero address if none does; undefined if that was not asked. */
  readonly factory?: Hex;
  /** Position of its PairCreated event; undefined if only its own answers identified it. */
  readonly created?: { readonly blockNumber: number; readonly blockHash: Hex };
}

/** A pool seen from one of its tokens: the row of this token. */
interface PoolSide {
  readonly chainId: number;
  readonly pool: Pool;
  readonly tokenIs0: boolean;
}
const COLUMNS: ColumnWriters<PoolSide> = {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  token: (row, { pool, tokenIs0 }) => row.fixed(tokenIs0 ? pool.token0 : pool.token1),
  pool: (row, { pool }) => row.fixed(pool.pool),
  other_token: (row, { pool, tokenIs0 }) => row.fixed(tokenIs0 ? pool.token1 : pool.token0),
  factory: (row, { pool }) => row.nullable(pool.factory, (factory) => row.fixed(factory)),
  token_is_0: (row, { tokenIs0 }) => row.uint8(tokenIs0 ? 1 : 0),
  created_block: (row, { pool }) => row.uint64(pool.created?.blockNumber ?? 0),
  created_block_hash: (row, { pool }) => row.fixed(pool.created?.blockHash ?? ZERO_HASH),
};
const writeSides = createTableWriter<PoolSide & { readonly version: number }>('dim_pools', {
  ...COLUMNS,
  version: (row, { version }) => row.uint64(version),
  is_deleted: (row) => row.uint8(0),
});

const hex = (column: string): string => hexText(`p.${column}`);
const findSql = `SELECT ${hex('pool')} AS address, ${hex('token')} AS side0, ${hex('other_token')} AS side1
  FROM dim_pools AS p FINAL
  WHERE p.chain_id = {chainId:UInt64} AND p.token_is_0 = 1 AND p.pool IN ${inAddresses('pools')}`;
const foundSchema = z
  .object({ address: addressSchema, side0: addressSchema, side1: addressSchema })
  .transform(({ address, side0, side1 }) => ({ pool: address, token0: side0, token1: side1 }));

/** The busiest factories: asking each for a pair is one call. */
const factoriesSql = `SELECT ${hex('factory')} AS address FROM fact_markets AS p FINAL
  WHERE p.chain_id = {chainId:UInt64} AND p.protocol = 'uniswap_v2' GROUP BY p.factory ORDER BY count() DESC LIMIT 10`;
const factorySchema = z.object({ address: addressSchema });

const TOMBSTONES: TombstoneTable = {
  name: 'dim_pools',
  columns: Object.keys(COLUMNS),
  blockNumber: 'created_block',
  blockHash: 'created_block_hash',
};
const HOLDINGS: EdgeTable = {
  ...TOMBSTONES,
  source: 'pool',
  kind: "'holds'",
  from: 'pool',
  to: 'token',
};
/** A pool's holdings of a token follow from its holders; the weight is a default until then. */
const HOLDING_WEIGHT = 0.5;

const holdingsOf = ({ pool, token0, token1 }: Pool): StoredEdge[] =>
  [token0, token1].map((token) => ({
    source: 'pool',
    kind: 'holds',
    from: pool,
    to: token,
    toIsToken: true,
    weight: HOLDING_WEIGHT,
  }));

/** What depends on the markets of the two tokens. */
export const marketRows = ({ token0, token1 }: Sides): Rows[] => [
  `markets ${token0}`,
  `markets ${token1}`,
];

/** The table `dim_pools`, and the tokens of pools in `graph_neighbours`. */
export const createPoolStore = (clickhouse: Clickhouse, cache: ReadCache = NO_CACHE) => ({
  /** Those addresses that are known pools. */
  find: async (chainId: number, pools: readonly Hex[]): Promise<Pool[]> =>
    pools.length === 0
      ? []
      : clickhouse.query(findSql, { chainId, pools: pools.map(addressParam) }, foundSchema),
  insert: async (chainId: number, pools: readonly Pool[], epoch: number): Promise<void> => {
    if (pools.length === 0) return;
    const edges = pools.flatMap(holdingsOf);
    const version = factVersion(epoch);
    const sides = pools.flatMap((pool) =>
      [true, false].map((tokenIs0) => ({ chainId, pool, tokenIs0, version })),
    );
    await cache.write(async () => {
      await insertNeighbours(clickhouse, { chainId, edges, version });
      await writeSides(clickhouse, sides);
    });
    cache.changed(pools.flatMap(marketRows));
  },
  /** Factories that created pools of this chain, a limited number. */
  factories: async (chainId: number): Promise<Hex[]> => {
    const rows = await clickhouse.query(factoriesSql, { chainId }, factorySchema);
    return rows.map(({ address }) => address);
  },
  /** Inserts tombstones for the pools created in an orphaned block. */
  insertTombstones: async (reorg: ReorgEvent): Promise<void> => {
    await insertNeighbourTombstones(clickhouse, HOLDINGS, reorg);
    await insertTombstones(clickhouse, TOMBSTONES, reorg);
  },
});
/** Which pools trade which tokens. */
export type PoolStore = ReturnType<typeof createPoolStore>;

/** `token0()` and `token1()`: first four bytes of keccak-256 of the signature. */
const SELECTORS = ['0x0dfe1681', '0xd21220a7'] as const;
export const createPoolReader = (node: ChainNode) => ({
  /** Those addresses that answer like a Uniswap V2 pool. */
  read: async (pools: readonly Hex[]): Promise<Pool[]> => {
    const calls = pools.flatMap((to) => SELECTORS.map((data) => callOf(to, data)));
    const outcomes = await node.batch(calls);
    const answered = pools.flatMap((pool, i) => {
      const token0 = addressInWord(resultOf(outcomes[2 * i]));
      const token1 = addressInWord(resultOf(outcomes[2 * i + 1]));
      return token0 && token1 && token0 !== token1 ? [{ pool, token0, token1 }] : [];
    });
    const factories = await readFactories(
      node,
      answered.map(({ pool, token0, token1 }) => ({ pool, tokens: [token0, token1] })),
    );
    return answered.map((one) => {
      const factory = factories.get(one.pool);
      return { ...one, ...(factory && { factory }) };
    });
  },
});
/** Asks contracts with pool events for the tokens they trade. */
export type PoolReader = ReturnType<typeof createPoolReader>;

/** Pools and non-pools cached: some 300 bytes each. */
const REMEMBERED_MAX = 100_000;

/**
 * Created pools. Anyone can log that a pool holds a token: unless a trusted factory says so, the pool itself must
 * confirm it.
 * @param trusted factories that need no confirmation; null: none is known
 */
const createdPools = async (
  { pairs }: Touched,
  trusted: ReadonlySet<Hex> | null,
  poolReader: PoolReader,
): Promise<Pool[]> => {
  const created = pairs.map(({ fact, blockNumber, blockHash }) => {
    const { factory, pool, token0, token1 } = fact;
    return { factory, pool, token0, token1, created: { blockNumber, blockHash } };
  });
  const claimed = created.filter(({ factory }) => !trusted?.has(factory));
  const answers = claimed.length > 0 ? await poolReader.read(claimed.map(({ pool }) => pool)) : [];
  const keyOf = ({ pool, token0, token1 }: Pool): string => [pool, token0, token1].join();
  const answered = new Map(answers.map((one) => [keyOf(one), one]));
  return created.flatMap((one) => {
    if (trusted?.has(one.factory)) return one;
    const answer = answered.get(keyOf(one));
    return answer ? { ...answer, created: one.created } : [];
  });
};

/** Knows which tokens a pool trades. */
export const createPoolDirectory = (ports: {
  chainId: number;
  pools: PoolStore;
  poolReader: PoolReader;
  /** Contracts known to create pools; null if none is. */
  factories: ReadonlySet<Hex> | null;
  rememberedMax?: number;
  meter?: CacheMeter | undefined;
}) => {
  const { chainId, pools, poolReader, factories } = ports;
  const max = ports.rememberedMax ?? REMEMBERED_MAX;
  const known = new LRUCache<Hex, Pool>({ max });
  const strangers = new LRUCache<Hex, true>({ max });
  /** Contracts that were not stored pools when they were looked up. */
  const unlisted = new LRUCache<Hex, true>({ max });
  const remember = (found: readonly Pool[]): void => {
    for (const pool of found) {
      known.set(pool.pool, pool);
      unlisted.delete(pool.pool);
    }
  };
  return {
    /** Finds the pools of events: created in them, cached, stored, or found by asking. */
    resolve: async (touched: Touched, epoch: number): Promise<void> => {
      const created = await createdPools(touched, factories, poolReader);
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
      // A pool that a lagging node does not have yet is asked again at its next event.
      const claimed = new Set(touched.pairs.map(({ fact }) => fact.pool));
      for (const pool of missing) {
        if (!known.has(pool) && !claimed.has(pool)) strangers.set(pool, true);
      }
    },
    /** Caches those contracts that are stored pools: one may have events long after its last trade. */
    recall: async (contracts: readonly Hex[]): Promise<void> => {
      const unknown = contracts.filter((one) => !known.has(one) && !unlisted.has(one));
      for (const contract of unknown) unlisted.set(contract, true);
      remember(await pools.find(chainId, unknown));
    },
    /** Asks contracts that look like tokens whether they are pools, and stores those that are. */
    adopt: async (contracts: readonly Hex[], epoch: number): Promise<void> => {
      const read = contracts.length > 0 ? await poolReader.read(contracts) : [];
      await pools.insert(chainId, read, epoch);
      remember(read);
    },
    /** The pool, once resolved and as long as it is cached. */
    get: (pool: Hex): Pool | undefined => known.get(pool),
    forget: (): void => {
      known.clear();
      strangers.clear();
      unlisted.clear();
    },
  };
};
