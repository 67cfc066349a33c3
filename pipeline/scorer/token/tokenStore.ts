import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/addressSet.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import type { ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { factVersion } from '../../../shared/chain/version.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import {
  insertTombstones,
  type TombstoneTable,
} from '../../../shared/platform/insertTombstones.ts';
import { createRowWriter } from '../../../shared/platform/rowWriter.ts';
import type { TokenRecord } from './confirmToken.ts';

/** Where confirmed tokens are kept. */
export interface TokenStore {
  /** Those of the addresses that are confirmed tokens. */
  known(chainId: number, addresses: readonly Hex[]): Promise<Set<Hex>>;
  insert(records: readonly TokenRecord[], epoch: number): Promise<void>;
  /** Buries the tokens first seen in an orphaned block. */
  bury(reorg: ReorgEvent): Promise<void>;
}

const COLUMNS = [
  'chain_id',
  'token',
  'name',
  'symbol',
  'decimals',
  'total_supply',
  'creator',
  'creator_source',
  'created_block',
  'created_block_hash',
  'created_tx',
  'created_at',
  'code_hash',
  'confirmed_by',
] as const;

const CREATOR_SOURCE = { unknown: 0, deployment: 1, first_transfer: 2, pair_created: 3 } as const;
const CONFIRMED_BY = { calls: 1, code: 2 } as const;

const encode = (records: readonly TokenRecord[], epoch: number): Uint8Array => {
  const row = createRowWriter();
  for (const record of records) {
    row.uint64(record.chainId);
    row.fixed(record.token);
    row.string(record.name);
    row.string(record.symbol);
    if (row.nullable(record.decimals !== undefined)) row.uint8(record.decimals ?? 0);
    if (row.nullable(record.totalSupply !== undefined)) row.uint256(record.totalSupply ?? '0x0');
    row.fixed(record.creator);
    row.uint8(CREATOR_SOURCE[record.creatorSource]);
    row.uint64(record.createdBlock);
    row.fixed(record.createdBlockHash);
    row.fixed(record.createdTx);
    row.uint32(record.createdAtS);
    row.fixed(record.codeHash);
    row.uint8(CONFIRMED_BY[record.confirmedBy]);
    row.uint64(factVersion(epoch));
    row.uint8(0);
  }
  return row.finish();
};

const knownSql = `SELECT concat('0x', lower(hex(t.token))) AS address FROM dim_tokens AS t FINAL
  WHERE t.chain_id = {chainId:UInt64} AND t.token IN ${inAddresses('addresses')}`;

const BURIED: TombstoneTable = {
  name: 'dim_tokens',
  columns: COLUMNS,
  blockNumber: 'created_block',
  blockHash: 'created_block_hash',
};

/** The table `dim_tokens`. */
export const createTokenStore = (clickhouse: Clickhouse): TokenStore => ({
  known: async (chainId, addresses) => {
    if (addresses.length === 0) return new Set();
    const params = { chainId, addresses: addresses.map(addressParam) };
    const rows = await clickhouse.query(knownSql, params, z.object({ address: addressSchema }));
    return new Set(rows.map(({ address }) => address));
  },
  insert: async (records, epoch) => {
    if (records.length === 0) return;
    const columns = [...COLUMNS, 'version', 'is_deleted'];
    await clickhouse.insertBinary('dim_tokens', columns, encode(records, epoch));
  },
  bury: (reorg) => insertTombstones(clickhouse, BURIED, reorg),
});
