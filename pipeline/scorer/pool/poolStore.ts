import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/addressSet.ts';
import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { factVersion } from '../../../shared/chain/version.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import {
  insertTombstones,
  type TombstoneTable,
} from '../../../shared/platform/insertTombstones.ts';
import { createRowWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';

/** A Uniswap V2 pool and its tokens. */
export interface Pool {
  readonly pool: Hex;
  readonly token0: Hex;
  readonly token1: Hex;
  /** Where PairCreated showed it; undefined where only its own answers did. */
  readonly created?: { readonly blockNumber: number; readonly blockHash: Hex };
}

/** Which pools trade which tokens. */
export interface PoolStore {
  /** Those of the addresses that are known pools. */
  find(chainId: number, pools: readonly Hex[]): Promise<Pool[]>;
  insert(chainId: number, pools: readonly Pool[], epoch: number): Promise<void>;
  /** Factories that made pools of this chain, a bounded number. */
  factories(chainId: number): Promise<Hex[]>;
  /** Buries the pools created in an orphaned block. */
  bury(reorg: ReorgEvent): Promise<void>;
}

const COLUMNS = [
  'chain_id',
  'token',
  'pool',
  'other_token',
  'token_is_0',
  'created_block',
  'created_block_hash',
] as const;

const encode = (chainId: number, pools: readonly Pool[], epoch: number): Uint8Array => {
  const row = createRowWriter();
  for (const { pool, token0, token1, created } of pools) {
    for (const tokenIs0 of [true, false]) {
      row.uint64(chainId);
      row.fixed(tokenIs0 ? token0 : token1);
      row.fixed(pool);
      row.fixed(tokenIs0 ? token1 : token0);
      row.uint8(tokenIs0 ? 1 : 0);
      row.uint64(created?.blockNumber ?? 0);
      row.fixed(created?.blockHash ?? ZERO_HASH);
      row.uint64(factVersion(epoch));
      row.uint8(0);
    }
  }
  return row.finish();
};

const hex = (column: string): string => hexText(`p.${column}`);
const findSql = `SELECT ${hex('pool')} AS address, ${hex('token')} AS side0, ${hex('other_token')} AS side1
  FROM dim_pools AS p FINAL
  WHERE p.chain_id = {chainId:UInt64} AND p.token_is_0 = 1 AND p.pool IN ${inAddresses('pools')}`;
const foundSchema = z
  .object({ address: addressSchema, side0: addressSchema, side1: addressSchema })
  .transform(({ address, side0, side1 }) => ({ pool: address, token0: side0, token1: side1 }));

/** The busiest factories: asking each for a pair is one call. */
const factoriesSql = `SELECT ${hex('factory')} AS address FROM fact_pools AS p FINAL
  WHERE p.chain_id = {chainId:UInt64} GROUP BY p.factory ORDER BY count() DESC LIMIT 10`;
const factorySchema = z.object({ address: addressSchema });

const BURIED: TombstoneTable = {
  name: 'dim_pools',
  columns: COLUMNS,
  blockNumber: 'created_block',
  blockHash: 'created_block_hash',
};

/** The table `dim_pools`. */
export const createPoolStore = (clickhouse: Clickhouse): PoolStore => ({
  find: async (chainId, pools) =>
    pools.length === 0
      ? []
      : clickhouse.query(findSql, { chainId, pools: pools.map(addressParam) }, foundSchema),
  insert: async (chainId, pools, epoch) => {
    if (pools.length === 0) return;
    const columns = [...COLUMNS, 'version', 'is_deleted'];
    await clickhouse.insertBinary('dim_pools', columns, encode(chainId, pools, epoch));
  },
  factories: async (chainId) => {
    const rows = await clickhouse.query(factoriesSql, { chainId }, factorySchema);
    return rows.map(({ address }) => address);
  },
  bury: (reorg) => insertTombstones(clickhouse, BURIED, reorg),
});
