import type { Clickhouse } from '../../shared/adapters/clickhouse.ts';
import type { BlocksEvent, ReorgEvent } from '../../shared/chain/chainEvent.ts';
import { factVersion, tombstoneVersion } from '../../shared/chain/version.ts';
import { createRowWriter, type RowWriter } from '../../shared/encode/rowWriter.ts';
import {
  FACT_COLUMNS,
  FACT_TABLES,
  type FactTable,
  type RowContext,
  tableOf,
  writeFactRow,
} from './facts/factRows.ts';

/** Where facts are kept. */
export interface FactStore {
  /** Inserts all facts of the events. Doing it again changes nothing. */
  insert(events: readonly BlocksEvent[]): Promise<void>;
  /** Buries all facts of the orphaned blocks. Doing it again changes nothing. */
  bury(reorg: ReorgEvent): Promise<void>;
}

/** Rows of all events, one writer for each table that gets any. */
const encode = (events: readonly BlocksEvent[]): Map<FactTable, RowWriter> => {
  const writers = new Map<FactTable, RowWriter>();
  for (const event of events) {
    for (const block of event.blocks) {
      const context: RowContext = {
        chainId: event.chainId,
        version: factVersion(event.epoch),
        block,
      };
      for (const fact of block.facts) {
        const table = tableOf(fact);
        if (!table) continue;
        let writer = writers.get(table);
        if (!writer) {
          writer = createRowWriter();
          writers.set(table, writer);
        }
        writeFactRow(writer, context, fact);
      }
    }
  }
  return writers;
};

/** Copies every living row of the orphaned blocks as its own tombstone. */
const burySql = (table: FactTable): string => {
  const columns = FACT_COLUMNS[table].filter((c) => c !== 'version' && c !== 'is_deleted');
  return `INSERT INTO ${table} (${columns.join(', ')}, version, is_deleted)
    SELECT ${columns.join(', ')}, {version:UInt64}, 1 FROM ${table} FINAL
    WHERE chain_id = {chainId:UInt64} AND block_number > {ancestor:UInt64}
      AND lower(hex(block_hash)) IN {orphaned:Array(String)}`;
};

/** The fact tables in ClickHouse. */
export const createFactStore = (clickhouse: Clickhouse): FactStore => ({
  insert: async (events) => {
    const writers = encode(events);
    await Promise.all(
      [...writers].map(([table, writer]) =>
        clickhouse.insertBinary(table, FACT_COLUMNS[table], writer.finish()),
      ),
    );
  },
  bury: async ({ chainId, epoch, ancestor, orphaned }) => {
    const params = {
      chainId,
      version: tombstoneVersion(epoch),
      ancestor: ancestor.number,
      orphaned: orphaned.map(({ hash }) => hash.slice(2)),
    };
    await Promise.all(FACT_TABLES.map((table) => clickhouse.exec(burySql(table), params)));
  },
});
