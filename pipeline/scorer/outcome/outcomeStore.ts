import { z } from 'zod';
import { addressParam, asAddress, inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { factVersion } from '../../../shared/chain/version.ts';
import type { BasePrices } from '../../../shared/market/basePrices.ts';
import { isListed, LISTED_BASE_MIN } from '../../../shared/market/listedPools.ts';
import {
  HELD_AND_BOUGHT,
  HELD_PROTOCOLS,
  readHeldMarkets,
} from '../../../shared/market/marketHoldings.ts';
import { marketId } from '../../../shared/market/marketId.ts';
import { knownFactories, OF_KNOWN_FACTORIES } from '../../../shared/market/marketReads.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import {
  insertTombstones,
  type TombstoneTable,
} from '../../../shared/platform/insertTombstones.ts';
import { type ColumnWriters, createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { PoolSync } from '../features/poolSync.ts';
import { syncsOf } from '../features/tokenFeatures.ts';
import type { Progress } from '../ingest/activityStore.ts';
import { OUTCOME_WINDOW_S, type Outcome } from './rugLabel.ts';
import {
  type ObservedPool,
  type Prediction,
  predictionSchema,
  purchasesOf,
  type TokenOutcome,
  VERDICT_AGE_S,
} from './tokenOutcome.ts';

/** The chain up to the block whose facts outcomes may use. */
export type Reached = Pick<Progress, 'chainId' | 'epoch' | 'block'>;

/** Data on a token with an open outcome. */
export interface OpenToken extends z.output<typeof openSchema> {
  /** Time from which holders cannot sell it, Unix seconds: see `readUnsellable`. */
  readonly unsellableSinceS: number | undefined;
}

/** Reads the facts from which outcomes are computed, and stores outcomes: the table `token_outcomes`. */
export interface OutcomeStore {
  /** Tokens with a pool or a market after `after` in the order of addresses, without base tokens. */
  page(chainId: number, after: Hex, bases: readonly Hex[], limit: number): Promise<Hex[]>;
  /**
   * Those tokens that have a verdict and no outcome, or whose outcome lacks the flag's week that is over now, and
   * whose first pool had its first Sync, or whose first market was created, at `firstSyncUntilS` or before.
   */
  open(
    reached: Reached,
    tokens: readonly Hex[],
    bases: readonly Hex[],
    firstSyncUntilS: number,
  ): Promise<OpenToken[]>;
  /**
   * The last verdict computed when the token's main pool was at most `VERDICT_AGE_S` old; for a verdict without pool
   * features, at most at `atS` (Unix seconds).
   */
  verdictAtAge(reached: Reached, token: Hex, atS: number): Promise<Prediction | undefined>;
  /**
   * The token's pools and markets, up to the end of two windows. Undefined if they have too many events to be read.
   */
  pools(
    reached: Reached,
    open: OpenToken,
    prices: BasePrices,
  ): Promise<readonly ObservedPool[] | undefined>;
  insert(reached: Reached, outcomes: ReadonlyMap<Hex, TokenOutcome>): Promise<void>;
  /** Inserts tombstones for outcomes that depend on orphaned blocks. */
  insertTombstones(reorg: ReorgEvent): Promise<void>;
}

/** A Uniswap V2 pool with both its reserves. */
type ObservedUniswapV2 = ObservedPool & {
  readonly syncs: readonly PoolSync[];
  /** Whether a counted factory lists it. */
  readonly isListed: boolean;
};

/**
 * Anyone can deploy a contract that logs any reserves: such pools count if a token is traded on nothing else.
 */
export const countedPools = <T extends ObservedPool & { readonly isListed: boolean }>(
  pools: readonly T[],
): readonly T[] => {
  const isTraded = pools.some(
    ({ isListed: is, syncs }) =>
      is && syncs.some(({ reserveBase }) => reserveBase >= LISTED_BASE_MIN),
  );
  return isTraded ? pools.filter(({ isListed: is }) => is) : pools;
};

/** Syncs of one token that are read: 40 MB of them. A pool with more in two weeks is no rug. */
const SYNCS_MAX = 500_000;
const poolRows = `(SELECT * FROM dim_pools FINAL WHERE chain_id = {chainId:UInt64}
    AND token IN ${inAddresses('tokens')} AND other_token IN ${inAddresses('bases')})`;

/**
 * Markets of other protocols than Uniswap V2 against base tokens, each with the token it trades; those whose hook
 * decides on trades are left out.
 */
const marketsOf = (of: string): string => `(SELECT asset, timestamp FROM fact_markets FINAL
    ARRAY JOIN [token0, token1] AS asset, [token1, token0] AS other
    WHERE chain_id = {chainId:UInt64} AND protocol IN {protocols:Array(String)} AND ${OF_KNOWN_FACTORIES}
      AND hooks = toFixedString('', 20) AND other IN ${inAddresses('basesAndNative')} AND ${of})`;

const pageSql = `SELECT DISTINCT ${hexText('p.token')} AS address
  FROM (SELECT token FROM dim_pools FINAL
      WHERE chain_id = {chainId:UInt64} AND token > ${asAddress('after')} AND other_token IN ${inAddresses('bases')}
    UNION ALL SELECT asset AS token FROM ${marketsOf(`asset > ${asAddress('after')}`)}) AS p
  WHERE p.token NOT IN ${inAddresses('bases')}
  ORDER BY p.token LIMIT {limit:UInt32}`;

const OF_TOKENS = `chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')}`;
/** Creations of markets stand in for first Syncs here: liquidity is read only for tokens that may be due. */
const openSql = `SELECT ${hexText('b.token')} AS token, b.first_sync_s AS firstSyncS, f.block AS flaggedBlock
  FROM (SELECT token, minOrNullIf(at, is_pool) AS first_sync_s, min(at) AS earliest_s
    FROM (SELECT p.token AS token, toUnixTimestamp(min(e.timestamp)) AS at, 1 AS is_pool
        FROM (SELECT pool, timestamp FROM fact_pool_events FINAL WHERE chain_id = {chainId:UInt64}
          AND kind = 'sync' AND block_number <= {upTo:UInt64}
          AND pool IN (SELECT pool FROM ${poolRows})) AS e
        INNER JOIN ${poolRows} AS p ON p.pool = e.pool GROUP BY p.token
      UNION ALL SELECT asset AS token, toUnixTimestamp(min(timestamp)) AS at, 0
        FROM ${marketsOf(`asset IN ${inAddresses('tokens')} AND (token0 IN ${inAddresses('tokens')} OR token1 IN ${inAddresses('tokens')})
          AND block_number <= {upTo:UInt64}`)}
        GROUP BY asset)
    GROUP BY token) AS b
  INNER JOIN (SELECT token, minOrNullIf(block_number, prediction = 'SCAM') AS block FROM verdict_history FINAL
    WHERE ${OF_TOKENS} AND block_number <= {upTo:UInt64} GROUP BY token) AS f ON f.token = b.token
  WHERE b.earliest_s <= {firstSyncUntilS:UInt32}
    AND b.token NOT IN (SELECT token FROM token_outcomes FINAL WHERE ${OF_TOKENS}
      AND (flagged_at IS NULL OR flag_outcome IS NOT NULL OR toUnixTimestamp(flagged_at) + ${OUTCOME_WINDOW_S} > {reachedS:UInt32}))
  ORDER BY b.token`;
const openSchema = z
  .object({
    token: addressSchema,
    /** Unix seconds of the first Sync of its first Uniswap V2 pool; undefined without one. */
    firstSyncS: z.number().nullable(),
    /** Block of the first verdict that called it a scam. */
    flaggedBlock: z.number().nullable(),
  })
  .transform(({ token, firstSyncS, flaggedBlock }) => ({
    token,
    firstSyncS: firstSyncS ?? undefined,
    flaggedBlock: flaggedBlock ?? undefined,
  }));

const HAS_FAILED = "shap_values['check:holder_sales'] > 0";
const unsellableSql = `SELECT ${hexText('u.token')} AS token, u.since_s AS sinceS
  FROM (SELECT token, toUnixTimestamp(minIf(as_of, ${HAS_FAILED})) AS since_s FROM verdict_history FINAL
    WHERE ${OF_TOKENS} AND block_number <= {upTo:UInt64}
    GROUP BY token HAVING argMax(${HAS_FAILED}, (block_number, as_of))) AS u`;
const unsellableSchema = z.object({ token: addressSchema, sinceS: z.number() });

/**
 * Which tokens holders could no longer sell, judged by what happened in their pools (the check `holder_sales`), and
 * since when, Unix seconds: those whose last verdict still says so, because a later sale refutes it.
 */
export const readUnsellable = async (
  clickhouse: Clickhouse,
  { chainId, block }: Reached,
  tokens: readonly Hex[],
): Promise<ReadonlyMap<Hex, number>> => {
  if (tokens.length === 0) return new Map();
  const params = { chainId, tokens: tokens.map(addressParam), upTo: block.number };
  const rows = await clickhouse.query(unsellableSql, params, unsellableSchema);
  return new Map(rows.map(({ token, sinceS }) => [token, sinceS]));
};

/** Features contain the age of the Uniswap V2 pool in seconds; a verdict without a pool has no such feature. */
const verdictSql = `SELECT v.prediction AS prediction, v.probability AS probability, v.model AS model, v.critical_check AS criticalCheck FROM verdict_history AS v FINAL
  WHERE v.chain_id = {chainId:UInt64} AND v.token = ${asAddress('token')} AND v.block_number <= {upTo:UInt64}
    AND if(mapContains(v.features, 'ageS'), v.features['ageS'] <= ${VERDICT_AGE_S}, v.as_of <= {atS:UInt32})
  ORDER BY v.block_number DESC, v.features['ageS'] DESC LIMIT 1`;

const poolsSql = `SELECT ${hexText('s.pool')} AS pool_address, ${hexText('any(s.other_token)')} AS base_token, any(s.is_listed) AS is_listed,
    arraySort(x -> (x.2, x.3), groupArray((toUnixTimestamp(s.timestamp), s.block_number, s.log_index,
      toString(s.base), toString(s.amount)))) AS series
  FROM (SELECT e.pool AS pool, p.other_token AS other_token, ${isListed('p')} AS is_listed, e.block_number AS block_number,
      e.log_index AS log_index, e.timestamp AS timestamp,
      if(p.token_is_0 = 1, e.reserve1, e.reserve0) AS base, if(p.token_is_0 = 1, e.reserve0, e.reserve1) AS amount
    FROM (SELECT * FROM fact_pool_events FINAL WHERE chain_id = {chainId:UInt64} AND kind = 'sync'
      AND block_number <= {upTo:UInt64} AND timestamp <= {untilS:UInt32}
      AND pool IN (SELECT pool FROM ${poolRows}) LIMIT {syncsMax:UInt32}) AS e
    INNER JOIN ${poolRows} AS p ON p.pool = e.pool) AS s
  GROUP BY s.pool`;
const poolsSchema = z.object({
  pool_address: addressSchema,
  base_token: addressSchema,
  is_listed: z.number(),
  /** Unix seconds, block, log index, base reserve, token reserve. */
  series: z.array(z.tuple([z.number(), z.number(), z.number(), z.string(), z.string()])),
});

const observed = (
  { pool_address, base_token, is_listed, series }: z.output<typeof poolsSchema>,
  prices: BasePrices,
): ObservedUniswapV2[] => {
  const base = prices.get(base_token);
  if (!base) return [];
  const syncs = syncsOf(series, base);
  return [{ pool: pool_address, isListed: is_listed === 1, syncs, purchases: purchasesOf(syncs) }];
};

/** Markets of other protocols than Uniswap V2 examined per token. */
const MARKETS_MAX = 8;
/**
 * From the first block at whose end a market held anything. A curve that became a pool is left out because its
 * liquidity is in the pool.
 */
const marketsSql = `SELECT ${hexText('h.market')} AS id, arraySort(x -> x.2, groupArray((toUnixTimestamp(h.timestamp), h.block_number, h.base, h.bought))) AS series
  FROM (SELECT *, minIf(timestamp, base > 0) OVER (PARTITION BY market) AS first_at FROM ${HELD_AND_BOUGHT}) AS h
  WHERE h.timestamp >= h.first_at AND h.timestamp <= h.first_at + ${VERDICT_AGE_S + 2 * OUTCOME_WINDOW_S}
    AND h.has_left = 0
  GROUP BY h.market`;
const marketsSchema = z.object({
  id: hashSchema,
  /** Unix seconds, block, base held at its end, base that buyers paid in it, raw units. */
  series: z.array(z.tuple([z.number(), z.number(), z.number(), z.number()])),
});

/** The native currency as a base token: what markets without the wrapped token hold. */
const NATIVE = { decimals: 18, priceNative: 1 };

/**
 * The Uniswap V2 pools of a token up to a time; if none is given, up to the end of two windows. Undefined if they
 * have too many events to be read.
 */
export const readUniswapV2 = async (
  clickhouse: Clickhouse,
  { chainId, block }: Reached,
  {
    token,
    firstSyncS,
    untilS,
  }: Pick<OpenToken, 'token' | 'firstSyncS'> & { readonly untilS?: number },
  prices: BasePrices,
): Promise<readonly ObservedUniswapV2[] | undefined> => {
  if (firstSyncS === undefined) return [];
  const params = {
    chainId,
    tokens: [addressParam(token)],
    bases: [...prices.keys()].map(addressParam),
    upTo: block.number,
    untilS: untilS ?? firstSyncS + VERDICT_AGE_S + 2 * OUTCOME_WINDOW_S,
    syncsMax: SYNCS_MAX + 1,
    factories: knownFactories(chainId),
  };
  const rows = await clickhouse.query(poolsSql, params, poolsSchema);
  const syncs = rows.reduce((sum, { series }) => sum + series.length, 0);
  return syncs > SYNCS_MAX ? undefined : rows.flatMap((row) => observed(row, prices));
};

/** The same for its markets of other protocols. */
const readMarkets = async (
  clickhouse: Clickhouse,
  { chainId, block }: Reached,
  token: Hex,
  prices: BasePrices,
): Promise<readonly ObservedPool[] | undefined> => {
  const { markets, params } = await readHeldMarkets(clickhouse, {
    chainId,
    tokens: [token],
    bases: [...prices.keys(), ZERO_ADDRESS],
    upTo: block.number,
    marketsMax: MARKETS_MAX,
  });
  if (markets.length === 0) return [];
  const rows = await clickhouse.query(marketsSql, params, marketsSchema);
  if (rows.reduce((sum, { series }) => sum + series.length, 0) > SYNCS_MAX) return undefined;
  const seriesOf = new Map(rows.map(({ id, series }) => [id, series]));
  return markets.flatMap(({ asset, market, token0, token1 }): ObservedPool[] => {
    const other = asset === token0 ? token1 : token0;
    const base = other === ZERO_ADDRESS ? NATIVE : prices.get(other);
    const series = seriesOf.get(marketId(market));
    if (!base || !series) return [];
    const native = (raw: number): number => (raw / 10 ** base.decimals) * base.priceNative;
    const syncs = series.map(([timestampS, blockNumber, left]) => {
      return { timestampS, blockNumber, reserveBase: native(left) };
    });
    const purchases = series.map(([atS, , , bought]) => ({ atS, base: native(bought) }));
    return [{ pool: market, syncs, purchases }];
  });
};

const OUTCOME: Readonly<Record<Outcome['kind'], number>> = {
  survived: 0,
  rug: 1,
  excluded: 2,
  unsellable: 3,
};

interface OutcomeRow extends TokenOutcome {
  readonly reached: Reached;
  readonly token: Hex;
}
const COLUMNS: ColumnWriters<OutcomeRow> = {
  chain_id: (row, { reached }) => row.uint64(reached.chainId),
  token: (row, { token }) => row.fixed(token),
  market: (row, { pool }) => row.fixed(marketId(pool)),
  judged_at: (row, { verdictAtS }) => row.uint32(verdictAtS),
  prediction: (row, { verdict }) =>
    row.nullable(verdict?.prediction, (said) => row.uint8(said === 'SCAM' ? 1 : 0)),
  probability: (row, { verdict }) =>
    row.nullable(verdict?.probability, (probability) => row.float64(probability)),
  critical_check: (row, { verdict }) => row.string(verdict?.criticalCheck ?? ''),
  model: (row, { verdict }) => row.string(verdict?.model ?? ''),
  outcome: (row, { outcome }) => row.uint8(OUTCOME[outcome]),
  lead_s: (row, { leadS }) => row.nullable(leadS, (seconds) => row.uint32(seconds)),
  left_usd: (row, { leftUsd }) => row.float64(leftUsd),
  flagged_at: (row, { flag }) => row.nullable(flag?.flaggedAtS, (atS) => row.uint32(atS)),
  flag_outcome: (row, { flag }) =>
    row.nullable(flag?.after?.outcome, (outcome) => row.uint8(OUTCOME[outcome])),
  liquidity_at_flag_usd: (row, { flag }) => row.float64(flag?.liquidityUsd ?? 0),
  liquidity_after_flag_usd: (row, { flag }) => row.float64(flag?.after?.liquidityUsd ?? 0),
  bought_after_flag_usd: (row, { flag }) => row.float64(flag?.after?.boughtUsd ?? 0),
  block_number: (row, { reached }) => row.uint64(reached.block.number),
  block_hash: (row, { reached }) => row.fixed(reached.block.hash),
};
const writeOutcomes = createTableWriter<OutcomeRow>('token_outcomes', {
  ...COLUMNS,
  version: (row, { reached }) => row.uint64(factVersion(reached.epoch)),
  is_deleted: (row) => row.uint8(0),
});

const marketParams = (chainId: number, bases: readonly Hex[]) => ({
  bases: bases.map(addressParam),
  basesAndNative: [...bases, ZERO_ADDRESS].map(addressParam),
  protocols: HELD_PROTOCOLS,
  factories: knownFactories(chainId),
});

const TOMBSTONES: TombstoneTable = {
  name: 'token_outcomes',
  columns: Object.keys(COLUMNS),
  blockNumber: 'block_number',
  blockHash: 'block_hash',
};

export const createOutcomeStore = (clickhouse: Clickhouse): OutcomeStore => ({
  page: async (chainId, after, bases, limit) => {
    const params = {
      chainId,
      after: addressParam(after),
      ...marketParams(chainId, bases),
      limit,
    };
    const rows = await clickhouse.query(pageSql, params, z.object({ address: addressSchema }));
    return rows.map(({ address }) => address);
  },
  open: async (reached, tokens, bases, firstSyncUntilS) => {
    const { chainId, block } = reached;
    if (tokens.length === 0) return [];
    const params = {
      chainId,
      tokens: tokens.map(addressParam),
      ...marketParams(chainId, bases),
      upTo: block.number,
      firstSyncUntilS: Math.max(0, firstSyncUntilS),
      reachedS: block.timestampS,
    };
    const found = await clickhouse.query(openSql, params, openSchema);
    const due = found.map(({ token }) => token);
    const unsellable = await readUnsellable(clickhouse, reached, due);
    return found.map((one) => ({ ...one, unsellableSinceS: unsellable.get(one.token) }));
  },
  verdictAtAge: async ({ chainId, block }, token, atS) => {
    const params = { chainId, token: addressParam(token), upTo: block.number, atS };
    const rows = await clickhouse.query(verdictSql, params, predictionSchema);
    return rows[0];
  },
  pools: async (reached, open, prices) => {
    const [pools, markets] = await Promise.all([
      readUniswapV2(clickhouse, reached, open, prices),
      readMarkets(clickhouse, reached, open.token, prices),
    ]);
    if (!pools || !markets) return undefined;
    return countedPools([...pools, ...markets.map((market) => ({ ...market, isListed: true }))]);
  },
  insert: (reached, outcomes) =>
    writeOutcomes(
      clickhouse,
      [...outcomes].map(([token, outcome]) => ({ ...outcome, reached, token })),
    ),
  insertTombstones: (reorg) => insertTombstones(clickhouse, TOMBSTONES, reorg),
});
