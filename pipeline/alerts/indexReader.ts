import { z } from 'zod';
import { addressParam, asAddress, inAddresses } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { isListed } from '../../shared/market/listedPools.ts';
import { knownFactories, readMarketStates } from '../../shared/market/marketReads.ts';
import { readDecimals } from '../../shared/market/readDecimals.ts';
import { addressSchema, hashSchema } from '../../shared/messages/schemas.ts';
import type { ScoreMessage } from '../../shared/messages/scoreMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { amountsOf } from './marketReader.ts';
import { type KnownMarket, knownPool } from './pools/marketStates.ts';
import { type TokenProfile, tokenProfileSchema } from './rules/rule.ts';

/** Reads of the index that other roles maintain. It may be behind the stream or ahead of it. */
export interface IndexReader {
  /** The requested Uniswap V2 pools that are indexed, with their reserves before a block. */
  pools(pools: readonly Hex[], beforeBlock: number): Promise<KnownMarket[]>;
  /** The requested tokens that are indexed. */
  profiles(tokens: readonly Hex[]): Promise<TokenProfile[]>;
  /** Decimals of the requested tokens that report them. */
  decimals(tokens: readonly Hex[]): Promise<Map<Hex, number>>;
  /** The tax measured by a message's verdict, and the previous measurement; undefined if there is none. */
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

const profilesSql = `SELECT ${hexText('t.token')} AS token, t.name AS name, t.symbol AS symbol,
    ${hexText('t.creator')} AS creator, ${hexText('t.created_tx')} AS createdTx,
    toFloat64(t.total_supply) AS totalSupply
  FROM dim_tokens AS t FINAL
  WHERE t.chain_id = {chainId:UInt64} AND t.token IN ${inAddresses('tokens')}`;

/** The last two verdicts with a measured tax. */
const taxesSql = `SELECT ${hexText('h.block_hash')} AS block_hash_hex, assumeNotNull(h.trade_tax) AS tax
  FROM verdict_history AS h FINAL
  WHERE h.chain_id = {chainId:UInt64} AND h.token = ${asAddress('token')}
    AND h.block_number <= {block:UInt64} AND h.trade_tax IS NOT NULL
  ORDER BY h.block_number DESC LIMIT 2`;
const taxRow = z.object({ block_hash_hex: hashSchema, tax: z.number() });

/** The index of one chain in ClickHouse. */
export const createIndexReader = (clickhouse: Clickhouse, chainId: number): IndexReader => ({
  pools: async (pools, beforeBlock) => {
    const params = {
      chainId,
      pools: pools.map(addressParam),
      factories: knownFactories(chainId),
    };
    // There is nothing before the first block of a chain.
    const untilBlock = Math.max(0, beforeBlock - 1);
    const [known, stateOf] = await Promise.all([
      clickhouse.query(poolsSql, params, poolRow),
      readMarketStates(
        clickhouse,
        chainId,
        pools.map((market) => ({ market, untilBlock, isUniswapV2: true })),
      ),
    ]);
    return known.map(({ address, side0, side1, is_listed }) => {
      const pool = knownPool(address, [side0, side1], null);
      return {
        ...pool,
        reserves: amountsOf(stateOf({ ...pool, market: address })),
        isListed: is_listed === 1,
      };
    });
  },
  profiles: (tokens) =>
    clickhouse.query(
      profilesSql,
      { chainId, tokens: tokens.map(addressParam) },
      tokenProfileSchema,
    ),
  decimals: (tokens) => readDecimals(clickhouse, chainId, tokens),
  taxes: async ({ token, blockNumber, blockHash }) => {
    const params = { chainId, token: addressParam(token), block: blockNumber };
    const [now, before] = await clickhouse.query(taxesSql, params, taxRow);
    if (now?.block_hash_hex !== blockHash) return undefined;
    return { now: now.tax, before: before?.tax };
  },
});
