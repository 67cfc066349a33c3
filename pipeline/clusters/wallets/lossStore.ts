import { z } from 'zod';
import { addressParam, asAddress, inAddresses } from '../../../shared/chain/address.ts';
import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import { isListed, LISTED_BASE_MIN } from '../../../shared/market/listedPools.ts';
import { HELD_AT_BLOCK_ENDS, readHeldMarkets } from '../../../shared/market/marketHoldings.ts';
import { knownFactories } from '../../../shared/market/marketReads.ts';
import { addressSchema, countSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { TokenLoss, TokenMarket, Trader } from './tokenLoss.ts';

/** Traders examined per token, those who paid most first. */
const TRADERS_MAX = 10_000;
/** Share of its peak at which a pool counts as empty: the same as in the scorer's features. */
const DRAINED_TO_PEAK_MAX = 0.05;
const WEI = 1e18;
/** Facts of all blocks count. */
const UP_TO = Number.MAX_SAFE_INTEGER;
/** Markets of other protocols than Uniswap V2 examined per token. */
const MARKETS_PER_TOKEN_MAX = 8;

const tradersSql = `SELECT ${hexText('node')} AS token_hex, ${hexText('other')} AS wallet_hex,
    sumIf(value, kind = 'bought') AS paid, sumIf(value, kind = 'sold') AS received
  FROM graph_neighbours FINAL
  WHERE chain_id = {chainId:UInt64} AND node IN ${inAddresses('tokens')}
    AND source = 'movement' AND direction = 'in' AND kind IN ('bought', 'sold')
  GROUP BY node, other ORDER BY paid DESC, other LIMIT ${TRADERS_MAX} BY node`;
const traderRow = z.object({
  token_hex: addressSchema,
  wallet_hex: addressSchema,
  paid: z.number(),
  received: z.number(),
});

const POOLS = `(SELECT token, pool, token_is_0, factory FROM dim_pools FINAL
    WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')}
      AND other_token = ${asAddress('weth')})`;

/** Whole native units in Uniswap V2 pools after every change. */
const HELD_IN_RESERVES = `SELECT p.token AS token, toFixedString(concat(repeat('\\0', 12), e.pool), 32) AS pool, e.block_number AS block_number,
      toUInt64(e.log_index) AS log_index, e.tx_hash AS tx_hash, e.timestamp AS timestamp,
      toFloat64(if(p.token_is_0 = 1, e.reserve1, e.reserve0)) / ${WEI} AS base, ${isListed('p')} AS is_listed
    FROM (SELECT * FROM fact_pool_events FINAL WHERE chain_id = {chainId:UInt64} AND kind = 'sync' AND pool IN (SELECT pool FROM ${POOLS})) AS e
    INNER JOIN ${POOLS} AS p ON p.pool = e.pool`;
/** The same for other markets at the end of every block; each belongs to one token. */
const HELD_ELSEWHERE = `SELECT toFixedString(unhex(transform(lower(hex(h.market)), {markets:Array(String)}, {assets:Array(String)}, '')), 20) AS token,
      h.market AS pool, h.block_number AS block_number, toUInt64(0) AS log_index, h.fall_tx AS tx_hash,
      h.timestamp AS timestamp, h.base / ${WEI} AS base, 1 AS is_listed
    FROM ${HELD_AT_BLOCK_ENDS} AS h`;

/** The market of each token with the highest holdings ever, and the event that left it nearly empty. */
const poolsSql = `SELECT token_hex, peak, is_drained, drain_block, drain_tx, drain_s
  FROM (SELECT ${hexText('s.token')} AS token_hex, any(s.peak) AS peak, any(s.is_listed) AND any(s.peak) >= ${LISTED_BASE_MIN} AS is_listed, s.pool AS pool,
      countIf((s.block_number, s.log_index) > s.last_above) > 0 AS is_drained,
      minIf(s.block_number, (s.block_number, s.log_index) > s.last_above) AS drain_block,
      ${hexText('argMinIf(s.tx_hash, (s.block_number, s.log_index), (s.block_number, s.log_index) > s.last_above)')} AS drain_tx,
      toUnixTimestamp(argMinIf(s.timestamp, (s.block_number, s.log_index), (s.block_number, s.log_index) > s.last_above)) AS drain_s
    FROM (SELECT *, max(if(base > ${DRAINED_TO_PEAK_MAX} * peak, (block_number, log_index), (0, 0)))
          OVER (PARTITION BY token, pool) AS last_above
      FROM (SELECT *, max(base) OVER (PARTITION BY token, pool) AS peak FROM (${HELD_IN_RESERVES} UNION ALL ${HELD_ELSEWHERE}))) AS s
    GROUP BY s.token, s.pool)
  ORDER BY is_listed DESC, peak DESC, pool LIMIT 1 BY token_hex`;
const poolRow = z.object({
  token_hex: addressSchema,
  peak: z.number(),
  is_drained: z.number(),
  drain_block: countSchema,
  drain_tx: z.string(),
  drain_s: countSchema,
});

const lossesSql = `SELECT ${hexText('l.token')} AS token, l.stolen_usd AS stolenUsd, l.victims AS victims, l.block_number AS number,
    ${hexText('l.tx_hash')} AS txHash, toUnixTimestamp(l.at) AS atS
  FROM token_losses AS l FINAL
  WHERE l.chain_id = {chainId:UInt64} AND l.token IN ${inAddresses('tokens')}`;
const lossRow = z
  .object({
    token: addressSchema,
    stolenUsd: z.number(),
    victims: countSchema,
    number: countSchema,
    txHash: hashSchema,
    atS: countSchema,
  })
  .transform(
    ({ token, stolenUsd, victims, ...drain }): TokenLoss => ({
      token,
      stolenUsd,
      victims,
      drain: drain.txHash === ZERO_HASH ? null : drain,
    }),
  );

const drainOf = (row: z.output<typeof poolRow> | undefined): TokenLoss['drain'] => {
  if (row?.is_drained !== 1) return null;
  return { number: row.drain_block, txHash: hashSchema.parse(row.drain_tx), atS: row.drain_s };
};

const writeLosses = createTableWriter<
  TokenLoss & { readonly chainId: number; readonly version: number }
>('token_losses', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  token: (row, { token }) => row.fixed(token),
  stolen_usd: (row, { stolenUsd }) => row.float64(stolenUsd),
  victims: (row, { victims }) => row.uint32(victims),
  block_number: (row, { drain }) => row.uint64(drain?.number ?? 0),
  tx_hash: (row, { drain }) => row.fixed(drain?.txHash ?? ZERO_HASH),
  at: (row, { drain }) => row.uint32(drain?.atS ?? 0),
  version: (row, { version }) => row.uint64(version),
});

/** Losses of one chain in ClickHouse. `weth`: the token in which pools are valued. */
export const createLossStore = (clickhouse: Clickhouse, chainId: number, weth: Hex) => ({
  /**
   * The markets of tokens against the native currency, wrapped or not; an empty list for a token without any.
   */
  markets: async (tokens: readonly Hex[]): Promise<TokenMarket[]> => {
    if (tokens.length === 0) return [];
    const { markets: found, params: held } = await readHeldMarkets(clickhouse, {
      chainId,
      tokens,
      bases: [weth, ZERO_ADDRESS],
      upTo: UP_TO,
      marketsMax: MARKETS_PER_TOKEN_MAX,
    });
    const params = {
      ...held,
      assets: found.map(({ asset }) => addressParam(asset)),
      tokens: tokens.map(addressParam),
      weth: addressParam(weth),
      factories: knownFactories(chainId),
    };
    const [traders, pools] = await Promise.all([
      clickhouse.query(tradersSql, params, traderRow),
      clickhouse.query(poolsSql, params, poolRow),
    ]);
    const poolOf = new Map(pools.map((row) => [row.token_hex, row]));
    const tradersOf = groupBy(
      traders,
      ({ token_hex }) => token_hex,
      ({ wallet_hex, paid, received }): Trader => ({ wallet: wallet_hex, paid, received }),
    );
    return tokens.map((token) => ({
      token,
      traders: tradersOf.get(token) ?? [],
      peak: poolOf.get(token)?.peak ?? 0,
      drain: drainOf(poolOf.get(token)),
    }));
  },
  /** Losses as last stored. */
  read: async (tokens: readonly Hex[]): Promise<Map<Hex, TokenLoss>> => {
    if (tokens.length === 0) return new Map();
    const params = { chainId, tokens: tokens.map(addressParam) };
    const rows = await clickhouse.query(lossesSql, params, lossRow);
    return new Map(rows.map((loss) => [loss.token, loss]));
  },
  write: (losses: readonly TokenLoss[], version: number): Promise<void> =>
    writeLosses(
      clickhouse,
      losses.map((loss) => ({ ...loss, chainId, version })),
    ),
});
/** Losses of tokens, and the data they are computed from. */
export type LossStore = ReturnType<typeof createLossStore>;
