import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import type { BlocksEvent } from '../../../shared/chain/chainEvent.ts';
import { isOtherMarket, NAMED_BY_HASH, type Protocol } from '../../../shared/chain/fact.ts';
import { factVersion } from '../../../shared/chain/version.ts';
import { marketId } from '../../../shared/market/marketId.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { createRowWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { Pool, PoolReader } from './poolStore.ts';

/** Where the tokens of markets are kept whose creation was not seen. */
export interface MarketSidesStore {
  /** Those of the markets whose tokens are stored, by creation or by answer. */
  known(chainId: number, markets: readonly Hex[]): Promise<Hex[]>;
  insert(chainId: number, markets: readonly Pool[], epoch: number): Promise<void>;
}

const ID_DIGITS = 64;
const inMarkets = `(SELECT toFixedString(unhex(arrayJoin({markets:Array(String)})), 32))`;
const knownSql = `SELECT DISTINCT ${hexText('market')} AS id FROM (
    SELECT f.market AS market FROM fact_markets AS f FINAL WHERE f.chain_id = {chainId:UInt64} AND f.market IN ${inMarkets}
    UNION ALL
    SELECT d.market AS market FROM dim_market_sides AS d FINAL WHERE d.chain_id = {chainId:UInt64} AND d.market IN ${inMarkets})`;
const knownSchema = z.object({ id: z.string() });

/** The table `dim_market_sides`. */
export const createMarketSidesStore = (clickhouse: Clickhouse): MarketSidesStore => ({
  known: async (chainId, markets) => {
    if (markets.length === 0) return [];
    const params = { chainId, markets: markets.map((market) => marketId(market).slice(2)) };
    const rows = await clickhouse.query(knownSql, params, knownSchema);
    return rows.map(({ id }): Hex => `0x${id.slice(-ID_DIGITS).slice(24)}`);
  },
  insert: async (chainId, markets, epoch) => {
    if (markets.length === 0) return;
    const row = createRowWriter();
    for (const { pool, token0, token1 } of markets) {
      row.uint64(chainId);
      row.fixed(marketId(pool));
      row.fixed(token0);
      row.fixed(token1);
      row.uint64(factVersion(epoch));
    }
    const columns = ['chain_id', 'market', 'token0', 'token1', 'version'];
    await clickhouse.insertBinary('dim_market_sides', columns, row.finish());
  },
});

/** Markets remembered, with tokens or without: some 200 bytes each. */
const REMEMBERED_MAX = 100_000;
/** Curves do not answer like pools, and their logs name the token. */
const SILENT: ReadonlySet<Protocol> = new Set(['four_meme', 'virtuals']);

/** Learns which tokens are traded in markets that were created before anything was read. */
export interface MarketSides {
  /** Asks the contracts of traded markets that are unknown, each once. Doing it again changes nothing. */
  resolve(events: readonly BlocksEvent[], epoch: number): Promise<void>;
}

/** Markets with a trade whose contract can be asked. */
const tradedMarkets = (events: readonly BlocksEvent[]): Set<Hex> => {
  const markets = new Set<Hex>();
  for (const { blocks } of events) {
    for (const { facts } of blocks) {
      for (const fact of facts) {
        if (fact.kind !== 'swap' || !isOtherMarket(fact)) continue;
        if (!NAMED_BY_HASH.has(fact.protocol) && !SILENT.has(fact.protocol)) markets.add(fact.pool);
      }
    }
  }
  return markets;
};

export const createMarketSides = (ports: {
  chainId: number;
  store: MarketSidesStore;
  poolReader: PoolReader;
  rememberedMax?: number;
}): MarketSides => {
  const { chainId, store, poolReader, rememberedMax: max = REMEMBERED_MAX } = ports;
  const settled = new LRUCache<Hex, true>({ max });
  return {
    resolve: async (events, epoch) => {
      const traded = [...tradedMarkets(events)].filter((market) => !settled.has(market));
      const known = new Set(await store.known(chainId, traded));
      const missing = traded.filter((market) => !known.has(market));
      const read = missing.length > 0 ? await poolReader.read(missing) : [];
      await store.insert(chainId, read, epoch);
      for (const market of traded) settled.set(market, true);
    },
  };
};
