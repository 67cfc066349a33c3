import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { addressAtEnd, addressParam, inAddresses } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts, BlocksEvent, ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { isOtherMarket, type PoolCreatedFact } from '../../../shared/chain/fact.ts';
import { factVersion } from '../../../shared/chain/version.ts';
import { IN_MARKETS, marketParam } from '../../../shared/market/marketReads.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import {
  insertTombstones,
  type TombstoneTable,
} from '../../../shared/platform/insertTombstones.ts';
import { createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { HORIZONS_S, type Horizon, horizonSchema } from './horizons.ts';

/** A time span in Unix seconds: the start is exclusive, the end inclusive. */
export interface Span {
  readonly afterS: number;
  readonly untilS: number;
}

/** The creation of a market of another protocol than Uniswap V2. */
export interface MarketCreation {
  readonly chainId: number;
  readonly epoch: number;
  readonly block: Omit<BlockFacts, 'facts'>;
  readonly fact: PoolCreatedFact;
}

export interface HorizonQuery {
  readonly chainId: number;
  readonly bases: readonly Hex[];
  readonly span: Span;
  readonly limit: number;
}

const START_COLUMNS = [
  'chain_id',
  'first_sync_at',
  'pool',
  'block_hash',
  'block_number',
  'token0',
  'token1',
] as const;

/** Pools whose creation was seen, without a known first Sync. */
const unrecordedSql = `(SELECT toFixedString(substring(market, 13), 20) AS pool, any(token0) AS token0, any(token1) AS token1 FROM fact_markets FINAL
    WHERE chain_id = {chainId:UInt64} AND protocol = 'uniswap_v2' AND market IN ${IN_MARKETS}
      AND pool NOT IN (SELECT pool FROM pool_first_syncs FINAL WHERE chain_id = {chainId:UInt64} AND pool IN ${inAddresses('pools')})
    GROUP BY pool)`;
const recordSql = `INSERT INTO pool_first_syncs (${START_COLUMNS.join(', ')}, version, is_deleted)
  SELECT {chainId:UInt64}, argMin(e.timestamp, (e.block_number, e.log_index)), e.pool,
    argMin(e.block_hash, (e.block_number, e.log_index)), min(e.block_number), any(c.token0), any(c.token1), {version:UInt64}, 0
  FROM (SELECT * FROM fact_pool_events FINAL WHERE chain_id = {chainId:UInt64} AND kind = 'sync'
    AND pool IN (SELECT pool FROM ${unrecordedSql})) AS e
  INNER JOIN ${unrecordedSql} AS c ON c.pool = e.pool
  GROUP BY e.pool`;

/**
 * The last 20 bytes of a market's id identify it here (for a contract: its address). Of other markets only the time
 * and the tokens are read.
 */
const writeCreations = createTableWriter<MarketCreation>('pool_first_syncs', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  first_sync_at: (row, { block }) => row.uint32(block.timestampS),
  pool: (row, { fact }) => row.fixed(addressAtEnd(fact.pool)),
  block_hash: (row, { block }) => row.fixed(block.hash),
  block_number: (row, { block }) => row.uint64(block.number),
  token0: (row, { fact }) => row.fixed(fact.token0),
  token1: (row, { fact }) => row.fixed(fact.token1),
  version: (row, { epoch }) => row.uint64(factVersion(epoch)),
  is_deleted: (row) => row.uint8(0),
});

const TOMBSTONES: TombstoneTable = {
  name: 'pool_first_syncs',
  columns: START_COLUMNS,
  blockNumber: 'block_number',
  blockHash: 'block_hash',
};

const HORIZONS = `[${HORIZONS_S.map((horizonS) => `toUInt32(${horizonS})`).join(', ')}]`;
/**
 * Seconds in which a market's start reaches a horizon in the span, looked up by key instead of scanning the previous
 * year. For one block the query takes 14 ms of a core, compared with 23 with a range for each horizon; for a day,
 * which only catching up requests, half as much again.
 */
const REACHING = `(SELECT toDateTime(greatest({afterS:Int64} + 1 + number - arrayJoin(${HORIZONS}), 0), 'UTC')
      FROM numbers(toUInt64({untilS:Int64} - {afterS:Int64})))`;

/** Both sides of a market are examined: a token is the side opposite a base. */
const betweenSql = `SELECT DISTINCT ${hexText('h.side.1')} AS token, h.horizon AS horizonS, h.first_sync_s + h.horizon AS atS
  FROM (SELECT toUnixTimestamp(first_sync_at) AS first_sync_s, arrayJoin([(token0, token1), (token1, token0)]) AS side,
      arrayJoin(${HORIZONS}) AS horizon
    FROM pool_first_syncs FINAL WHERE chain_id = {chainId:UInt64} AND first_sync_at IN ${REACHING}) AS h
  WHERE h.side.2 IN ${inAddresses('bases')}
    AND h.first_sync_s + h.horizon > {afterS:Int64} AND h.first_sync_s + h.horizon <= {untilS:Int64}
  ORDER BY atS LIMIT {limit:UInt32} WITH TIES`;

/** Number of the reader `horizons` in `chain_progress`. */
const HORIZONS_READER = 2;
const writeProgress = createTableWriter<{
  readonly chainId: number;
  readonly scoredUntilS: number;
  readonly updatedAtMs: number;
}>('chain_progress', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  reader: (row) => row.uint8(HORIZONS_READER),
  timestamp: (row, { scoredUntilS }) => row.uint32(scoredUntilS),
  version: (row, { updatedAtMs }) => row.uint64(updatedAtMs),
});
const firstSql = `SELECT toUnixTimestamp(b.first_sync_at) AS first_sync_s FROM pool_first_syncs AS b FINAL
  WHERE b.chain_id = {chainId:UInt64} ORDER BY b.first_sync_at LIMIT 1`;
const scoredSql = `SELECT toUnixTimestamp(p.timestamp) AS scored_until_s FROM chain_progress AS p FINAL
  WHERE p.chain_id = {chainId:UInt64} AND p.reader = 'horizons'`;

/** The table `pool_first_syncs`, and the progress of horizons in `chain_progress`. */
export const createHorizonStore = (clickhouse: Clickhouse) => ({
  /** Stores the first Sync of those pools whose creation was seen. Idempotent. */
  recordFirstSyncs: async (
    chainId: number,
    pools: readonly Hex[],
    epoch: number,
  ): Promise<void> => {
    if (pools.length === 0) return;
    const [named, markets] = [pools.map(addressParam), pools.map(marketParam)];
    const params = { chainId, pools: named, markets, version: factVersion(epoch) };
    await clickhouse.exec(recordSql, params);
  },
  /** Stores when markets of other protocols than Uniswap V2 were created. Idempotent. */
  recordCreations: async (creations: readonly MarketCreation[]): Promise<void> => {
    if (creations.length > 0) await writeCreations(clickhouse, creations);
  },
  /** Inserts tombstones for the markets that started in orphaned blocks. */
  insertStartTombstones: (reorg: ReorgEvent): Promise<void> =>
    insertTombstones(clickhouse, TOMBSTONES, reorg),
  /** The earliest start, Unix seconds; undefined if there is none. */
  earliestStart: async (chainId: number): Promise<number | undefined> => {
    const [row] = await clickhouse.query(
      firstSql,
      { chainId },
      z.object({ first_sync_s: z.number() }),
    );
    return row?.first_sync_s;
  },
  /**
   * Horizons in a time span, oldest first, of markets against a base token: at least `limit` if there are so many,
   * and always all of the same second.
   */
  between: ({ chainId, bases, span, limit }: HorizonQuery): Promise<Horizon[]> =>
    clickhouse.query(
      betweenSql,
      { chainId, bases: bases.map(addressParam), ...span, limit },
      horizonSchema,
    ),
  /** Unix seconds up to which all horizons are scored; undefined before the first. */
  scoredUntil: async (chainId: number): Promise<number | undefined> => {
    const schema = z.object({ scored_until_s: z.number() });
    const [row] = await clickhouse.query(scoredSql, { chainId }, schema);
    return row?.scored_until_s;
  },
  saveScoredUntil: (chainId: number, scoredUntilS: number, updatedAtMs: number): Promise<void> =>
    writeProgress(clickhouse, [{ chainId, scoredUntilS, updatedAtMs }]),
});
/**
 * When markets started (Uniswap V2 pools with their first Sync, others with their creation), and up to when the
 * horizons counted from there are scored.
 */
export type HorizonStore = ReturnType<typeof createHorizonStore>;

/** Pools cached: some 150 bytes each. */
const REMEMBERED_MAX = 100_000;

const creationsIn = (events: readonly BlocksEvent[]): MarketCreation[] =>
  events.flatMap(({ chainId, epoch, blocks }) =>
    blocks.flatMap((block) =>
      block.facts.flatMap((fact) =>
        fact.kind === 'poolCreated' && isOtherMarket(fact) ? [{ chainId, epoch, block, fact }] : [],
      ),
    ),
  );

export const createMarketStarts = (ports: {
  chainId: number;
  horizons: HorizonStore;
  rememberedMax?: number;
}) => {
  const { chainId, horizons, rememberedMax: max = REMEMBERED_MAX } = ports;
  /** Pools with a stored first Sync, and pools whose creation was not seen. */
  const recorded = new LRUCache<Hex, true>({ max });
  return {
    /** Records the pools whose first Sync is among stored events, and the markets created in them. */
    record: async (events: readonly BlocksEvent[], epoch: number): Promise<void> => {
      const synced = new Set<Hex>();
      for (const { blocks } of events) {
        for (const { facts } of blocks) {
          for (const fact of facts) {
            if (fact.kind !== 'sync' || isOtherMarket(fact)) continue;
            if (!recorded.has(fact.pool)) synced.add(fact.pool);
          }
        }
      }
      await Promise.all([
        horizons.recordFirstSyncs(chainId, [...synced], epoch),
        horizons.recordCreations(creationsIn(events)),
      ]);
      for (const pool of synced) recorded.set(pool, true);
    },
    /** Inserts tombstones for the markets that started in orphaned blocks. Idempotent. */
    insertTombstones: (reorg: ReorgEvent): Promise<void> => {
      recorded.clear();
      return horizons.insertStartTombstones(reorg);
    },
  };
};
/** Records when markets started: horizons are counted from there. */
export type MarketStarts = ReturnType<typeof createMarketStarts>;
