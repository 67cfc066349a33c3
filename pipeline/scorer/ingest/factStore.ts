import type { BlocksEvent, ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { factVersion } from '../../../shared/chain/version.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import {
  insertTombstones,
  type TombstoneTable,
} from '../../../shared/platform/insertTombstones.ts';
import { createRowWriter, type RowWriter } from '../../../shared/platform/rowWriter.ts';
import {
  FACT_COLUMNS,
  FACT_TABLES,
  type FactTable,
  type RowContext,
  tableOf,
  writeFactRow,
} from './factRows.ts';

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

const buried = (name: FactTable): TombstoneTable => ({
  name,
  columns: FACT_COLUMNS[name].filter((c) => c !== 'version' && c !== 'is_deleted'),
  blockNumber: 'block_number',
  blockHash: 'block_hash',
});

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
  bury: async (reorg) => {
    await Promise.all(
      FACT_TABLES.map((table) => insertTombstones(clickhouse, buried(table), reorg)),
    );
  },
});
