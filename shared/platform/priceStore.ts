import { z } from 'zod';
import { addressParam, asAddress, inAddresses } from '../chain/addressSet.ts';
import { type BasePrices, basePricesOf } from '../chain/basePrices.ts';
import type { Hex } from '../chain/block.ts';
import { KNOWN_STABLE_DECIMALS } from '../chain/chains.ts';
import { addressSchema } from '../messages/schemas.ts';
import type { Clickhouse } from './clickhouse.ts';
import type { Clock } from './clock.ts';
import type { PricingConfig } from './config.ts';

/** US dollar prices of the base tokens, from the chain's own pools. */
export interface PriceStore {
  prices(chainId: number): Promise<BasePrices>;
}

/** Milliseconds for which prices are reused. */
const PRICE_AGE_MS_MAX = 15_000;

/** Where each pool of the wrapped native token against a stable one stands. */
const stablePoolsSql = `SELECT concat('0x', lower(hex(p.other_token))) AS stable,
    toString(argMax(if(p.token_is_0 = 1, e.reserve0, e.reserve1), (e.block_number, e.log_index))) AS native_reserve,
    toString(argMax(if(p.token_is_0 = 1, e.reserve1, e.reserve0), (e.block_number, e.log_index))) AS stable_reserve
  FROM (SELECT * FROM dim_pools FINAL WHERE chain_id = {chainId:UInt64} AND token = ${asAddress('weth')}
    AND other_token IN ${inAddresses('stables')}) AS p
  INNER JOIN (SELECT * FROM fact_pool_events FINAL WHERE chain_id = {chainId:UInt64} AND kind = 'sync'
    AND pool IN (SELECT pool FROM dim_pools FINAL WHERE chain_id = {chainId:UInt64} AND token = ${asAddress('weth')}
      AND other_token IN ${inAddresses('stables')})) AS e ON e.pool = p.pool
  GROUP BY p.other_token, e.pool`;
const stablePoolSchema = z.object({
  stable: addressSchema,
  native_reserve: z.string(),
  stable_reserve: z.string(),
});

const decimalsSql = `SELECT concat('0x', lower(hex(t.token))) AS address, t.decimals AS decimals
  FROM dim_tokens AS t FINAL WHERE t.chain_id = {chainId:UInt64} AND t.token IN ${inAddresses('stables')}`;
const decimalsSchema = z.object({ address: addressSchema, decimals: z.number().nullable() });

export const createPriceStore = (parts: {
  clickhouse: Clickhouse;
  pricing: PricingConfig;
  clock: Clock;
}): PriceStore => {
  const { clickhouse, pricing, clock } = parts;
  let cached: { prices: BasePrices; atMs: number } | undefined;
  const read = async (chainId: number): Promise<BasePrices> => {
    const params = {
      chainId,
      weth: addressParam(pricing.weth),
      stables: pricing.stables.map(addressParam),
    };
    const [pools, decimals] = await Promise.all([
      clickhouse.query(stablePoolsSql, params, stablePoolSchema),
      clickhouse.query(decimalsSql, params, decimalsSchema),
    ]);
    const known = new Map<Hex, number>(KNOWN_STABLE_DECIMALS);
    for (const row of decimals) if (row.decimals !== null) known.set(row.address, row.decimals);
    return basePricesOf({ pricing, decimals: known, pools });
  };
  return {
    prices: async (chainId) => {
      const now = clock.now();
      if (cached && now - cached.atMs < PRICE_AGE_MS_MAX) return cached.prices;
      cached = { prices: await read(chainId), atMs: now };
      return cached.prices;
    },
  };
};
