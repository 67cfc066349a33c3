import { z } from 'zod';
import { addressParam, asAddress, inAddresses } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { KNOWN_STABLE_DECIMALS } from '../../shared/chain/chains.ts';
import { isListed } from '../../shared/market/listedPools.ts';
import { knownFactories } from '../../shared/market/marketReads.ts';
import { addressSchema, countSchema, hashSchema } from '../../shared/messages/schemas.ts';
import type { ScoreMessage } from '../../shared/messages/scoreMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { type KnownMarket, knownPool } from './pools/marketStates.ts';
import type { TokenProfile } from './rules/rule.ts';

/** What the alerts role reads of the index that other roles keep. It may be behind, or ahead. */
export interface IndexReader {
  /** Those of the pools of Uniswap V2 that are indexed, with their reserves before a block. */
  pools(pools: readonly Hex[], beforeBlock: number): Promise<KnownMarket[]>;
  /** Those of the tokens that are indexed. */
  profiles(tokens: readonly Hex[]): Promise<TokenProfile[]>;
  /** Decimals of those of the tokens that report them. */
  decimals(tokens: readonly Hex[]): Promise<Map<Hex, number>>;
  /** The tax that the verdict of a message measured, and the one measured before; undefined for none. */
  taxes(
    score: Pick<ScoreMessage, 'token' | 'blockNumber' | 'blockHash'>,
  ): Promise<{ readonly now: number; readonly before: number | undefined } | undefined>;
}

const poolsSql = `SELECT ${hexText('p.pool')} AS address, ${hexText('p.token')} AS side0,
    ${hexText('p.other_token')} AS side1, ${isListed('p')} AS is_listed
  FROM dim_pools AS p FINAL
  WHERE p.chain_id = {chainId:UInt64} AND p.token_is_0 = 1 AND p.pool IN ${inAddresses('pools')}`;
const poolRow = z.object({
  address: addressSchema,
  side0: addressSchema,
  side1: addressSchema,
  is_listed: z.number(),
});

const reservesSql = `SELECT ${hexText('e.pool')} AS address,
    toFloat64(argMax(e.reserve0, (e.block_number, e.log_index))) AS amount0,
    toFloat64(argMax(e.reserve1, (e.block_number, e.log_index))) AS amount1
  FROM fact_pool_events AS e FINAL
  WHERE e.chain_id = {chainId:UInt64} AND e.pool IN ${inAddresses('pools')}
    AND e.kind = 'sync' AND e.block_number < {beforeBlock:UInt64}
  GROUP BY e.pool`;
const reservesRow = z.object({ address: addressSchema, amount0: z.number(), amount1: z.number() });

const profilesSql = `SELECT ${hexText('t.token')} AS token, t.name AS name, t.symbol AS symbol,
    ${hexText('t.creator')} AS creator, ${hexText('t.created_tx')} AS createdTx,
    toFloat64(t.total_supply) AS totalSupply
  FROM dim_tokens AS t FINAL
  WHERE t.chain_id = {chainId:UInt64} AND t.token IN ${inAddresses('tokens')}`;
const profileRow = z.object({
  token: addressSchema,
  name: z.string(),
  symbol: z.string(),
  creator: addressSchema,
  createdTx: hashSchema,
  totalSupply: z.number().nullable(),
});

const decimalsSql = `SELECT ${hexText('t.token')} AS address, assumeNotNull(t.decimals) AS digits
  FROM dim_tokens AS t FINAL
  WHERE t.chain_id = {chainId:UInt64} AND t.token IN ${inAddresses('tokens')}
    AND t.decimals IS NOT NULL`;
const decimalsRow = z.object({ address: addressSchema, digits: countSchema });

/** The last two verdicts that measured a tax. */
const taxesSql = `SELECT ${hexText('h.block_hash')} AS block_hash_hex, assumeNotNull(h.trade_tax) AS tax
  FROM verdict_history AS h FINAL
  WHERE h.chain_id = {chainId:UInt64} AND h.token = ${asAddress('token')}
    AND h.block_number <= {block:UInt64} AND h.trade_tax IS NOT NULL
  ORDER BY h.block_number DESC LIMIT 2`;
const taxRow = z.object({ block_hash_hex: hashSchema, tax: z.number() });

/** The index of one chain in ClickHouse. */
export const createIndexReader = (clickhouse: Clickhouse, chainId: number): IndexReader => ({
  pools: async (pools, beforeBlock) => {
    const factories = knownFactories(chainId);
    const params = { chainId, pools: pools.map(addressParam), beforeBlock, factories };
    const [known, reserves] = await Promise.all([
      clickhouse.query(poolsSql, params, poolRow),
      clickhouse.query(reservesSql, params, reservesRow),
    ]);
    const byPool = new Map(reserves.map(({ address, ...amounts }) => [address, amounts]));
    return known.map(({ address, side0, side1, is_listed }) => ({
      ...knownPool(address, [side0, side1], byPool.get(address) ?? null),
      isListed: is_listed === 1,
    }));
  },
  profiles: (tokens) =>
    clickhouse.query(profilesSql, { chainId, tokens: tokens.map(addressParam) }, profileRow),
  decimals: async (tokens) => {
    if (tokens.length === 0) return new Map();
    const params = { chainId, tokens: tokens.map(addressParam) };
    const rows = await clickhouse.query(decimalsSql, params, decimalsRow);
    return new Map(rows.map(({ address, digits }) => [address, digits]));
  },
  taxes: async ({ token, blockNumber, blockHash }) => {
    const params = { chainId, token: addressParam(token), block: blockNumber };
    const [now, before] = await clickhouse.query(taxesSql, params, taxRow);
    if (now?.block_hash_hex !== blockHash) return undefined;
    return { now: now.tax, before: before?.tax };
  },
});

/** Decimals of the stable tokens, growing while the index reads their contracts. */
interface StableDecimals {
  readonly known: ReadonlyMap<Hex, number>;
  /** Asks for the unknown ones now and then; to be cleared. */
  readonly timer: NodeJS.Timeout;
}

/** How often the index is asked for decimals that no one has read yet. */
const REFRESH_EVERY_MS = 1_000;

export const watchStableDecimals = (
  stables: readonly Hex[],
  index: Pick<IndexReader, 'decimals'>,
  logger: Logger,
): StableDecimals => {
  const known = new Map(KNOWN_STABLE_DECIMALS);
  const refresh = async (): Promise<void> => {
    const unknown = stables.filter((token) => !known.has(token));
    if (unknown.length === 0) return;
    try {
      for (const [token, value] of await index.decimals(unknown)) known.set(token, value);
    } catch (error) {
      logger.debug({ err: error }, 'decimals of stable tokens are unknown for now');
    }
  };
  void refresh();
  return { known, timer: setInterval(() => void refresh(), REFRESH_EVERY_MS) };
};
