import type { ReorgEvent } from '../chain/chainEvent.ts';
import { tombstoneVersion } from '../chain/version.ts';
import type { Clickhouse } from './clickhouse.ts';

/** A table whose rows come from blocks. */
export interface TombstoneTable {
  readonly name: string;
  /** All columns but `version` and `is_deleted`. */
  readonly columns: readonly string[];
  /** Columns with the number and the hash of a row's block. */
  readonly blockNumber: string;
  readonly blockHash: string;
}

/** Parameters of the statements that write a reorg's tombstones. */
export const tombstoneParams = ({ chainId, epoch, ancestor, orphaned }: ReorgEvent) => ({
  chainId,
  version: tombstoneVersion(epoch),
  ancestor: ancestor.number,
  orphaned: orphaned.map(({ hash }) => hash.slice(2)),
});

/** Copies every live row of the orphaned blocks as its own tombstone. Idempotent. */
export const insertTombstones = (
  clickhouse: Clickhouse,
  { name, columns, blockNumber, blockHash }: TombstoneTable,
  reorg: ReorgEvent,
): Promise<void> =>
  clickhouse.exec(
    `INSERT INTO ${name} (${columns.join(', ')}, version, is_deleted)
      SELECT ${columns.join(', ')}, {version:UInt64}, 1 FROM ${name} FINAL
      WHERE chain_id = {chainId:UInt64} AND ${blockNumber} > {ancestor:UInt64}
        AND lower(hex(${blockHash})) IN {orphaned:Array(String)}`,
    tombstoneParams(reorg),
  );
