import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { addressAtEnd } from '../../../shared/chain/address.ts';
import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import type { BlocksEvent } from '../../../shared/chain/chainEvent.ts';
import { isOtherMarket } from '../../../shared/chain/fact.ts';
import { NAMED_BY_HASH, protocolsOf } from '../../../shared/chain/protocol.ts';
import { factVersion } from '../../../shared/chain/version.ts';
import { marketId } from '../../../shared/market/marketId.ts';
import { IN_MARKETS, marketParam } from '../../../shared/market/marketReads.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { Pool, PoolReader } from './poolStore.ts';

/** A market that returned its tokens, and the block of the trade because of which it was asked. */
interface AskedMarket extends Pool {
  readonly askedIn: BlockRef;
}

/** A Uniswap V2 pool with this id proves nothing: any contract can log its creation. */
const knownSql = `SELECT DISTINCT ${hexText('market')} AS id FROM fact_markets FINAL
  WHERE chain_id = {chainId:UInt64} AND protocol != 'uniswap_v2' AND market IN ${IN_MARKETS}`;
const knownSchema = z.object({ id: z.string() });

/** The protocol `asked` of `fact_markets`. */
const ASKED = 0;
const write = createTableWriter<AskedMarket & { chainId: number; version: number }>(
  'fact_markets',
  {
    chain_id: (row, { chainId }) => row.uint64(chainId),
    protocol: (row) => row.uint8(ASKED),
    market: (row, { pool }) => row.fixed(marketId(pool)),
    block_number: (row, { askedIn }) => row.uint64(askedIn.number),
    block_hash: (row, { askedIn }) => row.fixed(askedIn.hash),
    token0: (row, { token0 }) => row.fixed(token0),
    token1: (row, { token1 }) => row.fixed(token1),
    version: (row, { version }) => row.uint64(version),
  },
);

/** Rows of `fact_markets` that are not from a log. */
export const createMarketSidesStore = (clickhouse: Clickhouse) => ({
  /** Those markets whose tokens are stored, from a creation or an answer. */
  known: async (chainId: number, markets: readonly Hex[]): Promise<Hex[]> => {
    if (markets.length === 0) return [];
    const params = { chainId, markets: markets.map(marketParam) };
    const rows = await clickhouse.query(knownSql, params, knownSchema);
    return rows.map(({ id }) => addressAtEnd(id));
  },
  insert: (chainId: number, markets: readonly AskedMarket[], epoch: number): Promise<void> => {
    const version = factVersion(epoch);
    return write(
      clickhouse,
      markets.map((market) => ({ ...market, chainId, version })),
    );
  },
});
/**
 * Where tokens of markets with unseen creation are stored: with the facts of the block, so that its tombstones apply
 * to them too.
 */
export type MarketSidesStore = ReturnType<typeof createMarketSidesStore>;

/** Markets cached, with or without tokens: some 200 bytes each. */
const REMEMBERED_MAX = 100_000;
/** Curves do not answer like pools, and their logs name the token. */
const SILENT = protocolsOf('curve', 'bonding');

/** Traded markets whose contract can be asked, each with the block of its first trade. */
const tradedMarkets = (events: readonly BlocksEvent[]): Map<Hex, BlockRef> => {
  const markets = new Map<Hex, BlockRef>();
  for (const { blocks } of events) {
    for (const { facts, number, hash } of blocks) {
      for (const fact of facts) {
        if (fact.kind !== 'swap' || !isOtherMarket(fact) || markets.has(fact.pool)) continue;
        if (NAMED_BY_HASH.has(fact.protocol) || SILENT.includes(fact.protocol)) continue;
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
}) => {
  const { chainId, store, poolReader } = ports;
  const settled = new LRUCache<Hex, true>({ max: REMEMBERED_MAX });
  return {
    /** Asks the contracts of unknown traded markets, each once. Idempotent. */
    resolve: async (events: readonly BlocksEvent[], epoch: number): Promise<void> => {
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
    /** After a reorg: a market whose answer was reverted is asked again when it is traded again. */
    forget: (): void => settled.clear(),
  };
};
/** Learns which tokens are traded in markets that were created before the first block read. */
export type MarketSides = ReturnType<typeof createMarketSides>;
