import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import type { BlocksEvent, ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { isOtherMarket, NAMED_BY_HASH, type Protocol } from '../../../shared/chain/fact.ts';
import { factVersion } from '../../../shared/chain/version.ts';
import { marketId } from '../../../shared/market/marketId.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import {
  insertTombstones,
  type TombstoneTable,
} from '../../../shared/platform/insertTombstones.ts';
import { type ColumnWriters, createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { Pool, PoolReader } from './poolStore.ts';

/** A market that returned its tokens, and the block of the trade that it was asked for. */
interface AskedMarket extends Pool {
  readonly askedIn: BlockRef;
}

/** Where the tokens of markets are kept whose creation was not seen. */
export interface MarketSidesStore {
  /** Those of the markets whose tokens are stored, by creation or by answer. */
  known(chainId: number, markets: readonly Hex[]): Promise<Hex[]>;
  insert(chainId: number, markets: readonly AskedMarket[], epoch: number): Promise<void>;
  /** Inserts tombstones for answers to trades of orphaned blocks. */
  insertTombstones(reorg: ReorgEvent): Promise<void>;
}

const ID_DIGITS = 64;
const inMarkets = `(SELECT toFixedString(unhex(arrayJoin({markets:Array(String)})), 32))`;
const knownSql = `SELECT DISTINCT ${hexText('market')} AS id FROM (
    SELECT f.market AS market FROM fact_markets AS f FINAL WHERE f.chain_id = {chainId:UInt64} AND f.market IN ${inMarkets}
    UNION ALL
    SELECT d.market AS market FROM dim_market_sides AS d FINAL WHERE d.chain_id = {chainId:UInt64} AND d.market IN ${inMarkets})`;
const knownSchema = z.object({ id: z.string() });

const COLUMNS: ColumnWriters<AskedMarket & { readonly chainId: number }> = {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  market: (row, { pool }) => row.fixed(marketId(pool)),
  token0: (row, { token0 }) => row.fixed(token0),
  token1: (row, { token1 }) => row.fixed(token1),
  asked_block: (row, { askedIn }) => row.uint64(askedIn.number),
  asked_block_hash: (row, { askedIn }) => row.fixed(askedIn.hash),
};
const TOMBSTONES: TombstoneTable = {
  name: 'dim_market_sides',
  columns: Object.keys(COLUMNS),
  blockNumber: 'asked_block',
  blockHash: 'asked_block_hash',
};

const write = createTableWriter<AskedMarket & { chainId: number; version: number }>(
  TOMBSTONES.name,
  {
    ...COLUMNS,
    version: (row, { version }) => row.uint64(version),
  },
);

/** The table `dim_market_sides`. */
export const createMarketSidesStore = (clickhouse: Clickhouse): MarketSidesStore => ({
  known: async (chainId, markets) => {
    if (markets.length === 0) return [];
    const params = { chainId, markets: markets.map((market) => marketId(market).slice(2)) };
    const rows = await clickhouse.query(knownSql, params, knownSchema);
    return rows.map(({ id }): Hex => `0x${id.slice(-ID_DIGITS).slice(24)}`);
  },
  insert: (chainId, markets, epoch) => {
    const version = factVersion(epoch);
    return write(
      clickhouse,
      markets.map((market) => ({ ...market, chainId, version })),
    );
  },
  insertTombstones: (reorg) => insertTombstones(clickhouse, TOMBSTONES, reorg),
});

/** Markets remembered, with tokens or without: some 200 bytes each. */
const REMEMBERED_MAX = 100_000;
/** Curves do not answer like pools, and their logs name the token. */
const SILENT: ReadonlySet<Protocol> = new Set(['four_meme', 'virtuals']);

/** Learns which tokens are traded in markets that were created before anything was read. */
export interface MarketSides {
  /** Asks the contracts of traded markets that are unknown, each once. Doing it again changes nothing. */
  resolve(events: readonly BlocksEvent[], epoch: number): Promise<void>;
  /** Takes back answers to trades of orphaned blocks: whoever trades there again is asked again. */
  undo(reorg: ReorgEvent): Promise<void>;
}

/** Markets with a trade whose contract can be asked, each with the block of the first. */
const tradedMarkets = (events: readonly BlocksEvent[]): Map<Hex, BlockRef> => {
  const markets = new Map<Hex, BlockRef>();
  for (const { blocks } of events) {
    for (const { facts, number, hash } of blocks) {
      for (const fact of facts) {
        if (fact.kind !== 'swap' || !isOtherMarket(fact) || markets.has(fact.pool)) continue;
        if (NAMED_BY_HASH.has(fact.protocol) || SILENT.has(fact.protocol)) continue;
        markets.set(fact.pool, { number, hash });
      }
    }
  }
  return markets;
};

export const createMarketSides = (ports: {
  chainId: number;
  store: MarketSidesStore;
  poolReader: PoolReader;
}): MarketSides => {
  const { chainId, store, poolReader } = ports;
  const settled = new LRUCache<Hex, true>({ max: REMEMBERED_MAX });
  return {
    resolve: async (events, epoch) => {
      const blockOf = tradedMarkets(events);
      const traded = [...blockOf.keys()].filter((market) => !settled.has(market));
      const known = new Set(await store.known(chainId, traded));
      const missing = traded.filter((market) => !known.has(market));
      const read = missing.length > 0 ? await poolReader.read(missing) : [];
      const asked = read.flatMap((market) => {
        const askedIn = blockOf.get(market.pool);
        return askedIn ? [{ ...market, askedIn }] : [];
      });
      await store.insert(chainId, asked, epoch);
      for (const market of traded) settled.set(market, true);
    },
    undo: async (reorg) => {
      settled.clear();
      await store.insertTombstones(reorg);
    },
  };
};
