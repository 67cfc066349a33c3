import { z } from 'zod';
import { addressParam, asAddress, inAddresses } from '../../../shared/chain/addressSet.ts';
import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import { knownFactories, OF_KNOWN_FACTORIES } from '../../../shared/market/marketReads.ts';
import { addressSchema, countSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { createTableWriter } from '../../../shared/platform/tableWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { TokenLoss, TokenMarket, Trader } from './tokenLoss.ts';

/** What was lost with tokens, and what that follows from. */
export interface LossStore {
  /** The markets of tokens against the wrapped native token; of a token without any, an empty one. */
  markets(tokens: readonly Hex[]): Promise<TokenMarket[]>;
  /** Losses as they were stored last. */
  read(tokens: readonly Hex[]): Promise<Map<Hex, TokenLoss>>;
  write(losses: readonly TokenLoss[], version: number): Promise<void>;
}

/** Traders of one token that are looked at, those who paid most first. */
const TRADERS_MAX = 10_000;
/** Share of its peak at which a pool is empty: the same as in the features of the scorer. */
const DRAINED_TO_PEAK_MAX = 0.05;
const WEI = 1e18;

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

const POOLS = `(SELECT token, pool, token_is_0 FROM dim_pools FINAL
    WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')}
      AND other_token = ${asAddress('weth')})`;

const MARKETS = `(SELECT market, toString(protocol) AS kind_of, if(token1 = ${asAddress('weth')}, token0, token1) AS token, token1 != ${asAddress('weth')} AS base_is_0
    FROM fact_markets FINAL WHERE chain_id = {chainId:UInt64} AND protocol IN ('uniswap_v3', 'pancake_v3', 'slipstream', 'solidly')
      AND ((token0 IN ${inAddresses('tokens')} AND token1 = ${asAddress('weth')})
        OR (token1 IN ${inAddresses('tokens')} AND token0 = ${asAddress('weth')})) AND ${OF_KNOWN_FACTORIES}
    ORDER BY block_number, log_index LIMIT 1 BY market)`;
const eventsOf = (kinds: string): string =>
  `(SELECT * FROM fact_market_events FINAL WHERE chain_id = {chainId:UInt64} AND kind IN (${kinds})
      AND manager = toFixedString('', 20) AND market IN (SELECT market FROM ${MARKETS}))`;
const place = `e.block_number AS block_number, toUInt64(e.log_index) AS log_index, e.block_hash AS block_hash, e.tx_hash AS tx_hash, e.timestamp AS timestamp`;

/** Whole native units after every change of a pool that logs its reserves. */
const HELD_IN_RESERVES = `SELECT p.token AS token, toFixedString(concat(repeat('\\0', 12), e.pool), 32) AS pool, ${place},
      toFloat64(if(p.token_is_0 = 1, e.reserve1, e.reserve0)) / ${WEI} AS base
    FROM (SELECT * FROM fact_pool_events FINAL WHERE chain_id = {chainId:UInt64} AND kind = 'sync' AND pool IN (SELECT pool FROM ${POOLS})) AS e
    INNER JOIN ${POOLS} AS p ON p.pool = e.pool
    UNION ALL SELECT m.token, e.market, ${place}, toFloat64(if(m.base_is_0, e.reserve0, e.reserve1)) / ${WEI} AS base
    FROM ${eventsOf(`'sync'`)} AS e INNER JOIN ${MARKETS} AS m ON m.market = e.market WHERE m.kind_of = 'solidly'`;
/** The same of pools with concentrated liquidity: all that was paid in less all that left. What is burned leaves with a collect. */
const HELD_IN_TICKS = `SELECT m.token AS token, e.market AS pool, ${place},
      sum(toFloat64(if(m.base_is_0, e.amount0_in, e.amount1_in)) - toFloat64(if(m.base_is_0, e.amount0_out, e.amount1_out)))
        OVER (PARTITION BY m.token, e.market ORDER BY e.block_number, e.log_index) / ${WEI} AS base
    FROM ${eventsOf(`'swap', 'mint', 'collect'`)} AS e INNER JOIN ${MARKETS} AS m ON m.market = e.market WHERE m.kind_of != 'solidly'`;

/** The pool of each token that ever held most, and the event after which it held next to nothing. */
const poolsSql = `SELECT token_hex, peak, is_drained, drain_block, drain_hash, drain_tx, drain_s
  FROM (SELECT ${hexText('s.token')} AS token_hex, any(s.peak) AS peak, s.pool AS pool,
      countIf((s.block_number, s.log_index) > s.last_above) > 0 AS is_drained,
      minIf(s.block_number, (s.block_number, s.log_index) > s.last_above) AS drain_block,
      ${hexText('argMinIf(s.block_hash, (s.block_number, s.log_index), (s.block_number, s.log_index) > s.last_above)')} AS drain_hash,
      ${hexText('argMinIf(s.tx_hash, (s.block_number, s.log_index), (s.block_number, s.log_index) > s.last_above)')} AS drain_tx,
      toUnixTimestamp(argMinIf(s.timestamp, (s.block_number, s.log_index), (s.block_number, s.log_index) > s.last_above)) AS drain_s
    FROM (SELECT *, max(if(base > ${DRAINED_TO_PEAK_MAX} * peak, (block_number, log_index), (0, 0)))
          OVER (PARTITION BY token, pool) AS last_above
      FROM (SELECT *, max(base) OVER (PARTITION BY token, pool) AS peak FROM (${HELD_IN_RESERVES} UNION ALL ${HELD_IN_TICKS}))) AS s
    GROUP BY s.token, s.pool)
  ORDER BY peak DESC, pool LIMIT 1 BY token_hex`;
const poolRow = z.object({
  token_hex: addressSchema,
  peak: z.number(),
  is_drained: z.number(),
  drain_block: countSchema,
  drain_hash: z.string(),
  drain_tx: z.string(),
  drain_s: countSchema,
});
const drainSchema = z.object({ hash: hashSchema, txHash: hashSchema });

const lossesSql = `SELECT ${hexText('token')} AS token_hex, stolen_usd, victims, block_number,
    ${hexText('block_hash')} AS hash, ${hexText('tx_hash')} AS tx_hex, toUnixTimestamp(at) AS at_s
  FROM token_losses FINAL
  WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')}`;
const lossRow = z
  .object({
    token_hex: addressSchema,
    stolen_usd: z.number(),
    victims: countSchema,
    block_number: countSchema,
    hash: hashSchema,
    tx_hex: hashSchema,
    at_s: countSchema,
  })
  .transform(
    (row): TokenLoss => ({
      token: row.token_hex,
      stolenUsd: row.stolen_usd,
      victims: row.victims,
      drain:
        row.tx_hex === ZERO_HASH
          ? null
          : { number: row.block_number, hash: row.hash, txHash: row.tx_hex, atS: row.at_s },
    }),
  );

const drainOf = (row: z.output<typeof poolRow> | undefined): TokenLoss['drain'] => {
  if (row?.is_drained !== 1) return null;
  const names = drainSchema.parse({ hash: row.drain_hash, txHash: row.drain_tx });
  return { number: row.drain_block, atS: row.drain_s, ...names };
};

const writeLosses = createTableWriter<
  TokenLoss & { readonly chainId: number; readonly version: number }
>('token_losses', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  token: (row, { token }) => row.fixed(token),
  stolen_usd: (row, { stolenUsd }) => row.float64(stolenUsd),
  victims: (row, { victims }) => row.uint32(victims),
  block_number: (row, { drain }) => row.uint64(drain?.number ?? 0),
  block_hash: (row, { drain }) => row.fixed(drain?.hash ?? ZERO_HASH),
  tx_hash: (row, { drain }) => row.fixed(drain?.txHash ?? ZERO_HASH),
  at: (row, { drain }) => row.uint32(drain?.atS ?? 0),
  version: (row, { version }) => row.uint64(version),
});

/** Losses of one chain in ClickHouse. `weth`: what pools are valued by. */
export const createLossStore = (clickhouse: Clickhouse, chainId: number, weth: Hex): LossStore => ({
  markets: async (tokens) => {
    if (tokens.length === 0) return [];
    const params = {
      chainId,
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
  read: async (tokens) => {
    if (tokens.length === 0) return new Map();
    const params = { chainId, tokens: tokens.map(addressParam) };
    const rows = await clickhouse.query(lossesSql, params, lossRow);
    return new Map(rows.map((loss) => [loss.token, loss]));
  },
  write: (losses, version) =>
    writeLosses(
      clickhouse,
      losses.map((loss) => ({ ...loss, chainId, version })),
    ),
});
