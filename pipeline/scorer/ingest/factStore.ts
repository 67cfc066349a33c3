import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlockFacts, BlocksEvent, ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import type {
  BurnFact,
  Fact,
  MintFact,
  NativeTransferFact,
  OwnershipTransferredFact,
  PairCreatedFact,
  PoolEventFact,
  SwapFact,
  SyncFact,
  TransferFact,
} from '../../../shared/chain/fact.ts';
import { factVersion } from '../../../shared/chain/version.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import {
  insertTombstones,
  type TombstoneTable,
} from '../../../shared/platform/insertTombstones.ts';
import { createRowWriter, type RowWriter } from '../../../shared/platform/rowWriter.ts';

/** Where facts are kept. */
export interface FactStore {
  /** Inserts all facts of the events. Doing it again changes nothing. */
  insert(events: readonly BlocksEvent[]): Promise<void>;
  /** Inserts tombstones for all facts of the orphaned blocks. Doing it again changes nothing. */
  insertTombstones(reorg: ReorgEvent): Promise<void>;
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

const tombstoneTable = (name: FactTable): TombstoneTable => ({
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
  insertTombstones: async (reorg) => {
    await Promise.all(
      FACT_TABLES.map((table) => insertTombstones(clickhouse, tombstoneTable(table), reorg)),
    );
  },
});

/** Tables that hold facts, with the columns in the order their rows are written. */
export const FACT_COLUMNS = {
  fact_transfers: [
    'chain_id',
    'token',
    'block_number',
    'block_hash',
    'log_index',
    'timestamp',
    'tx_hash',
    'tx_index',
    'from_address',
    'to_address',
    'value',
    'version',
    'is_deleted',
  ],
  fact_native_transfers: [
    'chain_id',
    'to_address',
    'block_number',
    'block_hash',
    'tx_index',
    'timestamp',
    'tx_hash',
    'from_address',
    'value',
    'version',
    'is_deleted',
  ],
  fact_pools: [
    'chain_id',
    'pool',
    'block_number',
    'block_hash',
    'log_index',
    'timestamp',
    'tx_hash',
    'tx_index',
    'factory',
    'token0',
    'token1',
    'version',
    'is_deleted',
  ],
  fact_pool_events: [
    'chain_id',
    'pool',
    'block_number',
    'block_hash',
    'log_index',
    'timestamp',
    'tx_hash',
    'tx_index',
    'kind',
    'sender',
    'recipient',
    'amount0_in',
    'amount1_in',
    'amount0_out',
    'amount1_out',
    'reserve0',
    'reserve1',
    'version',
    'is_deleted',
  ],
  fact_ownership_transfers: [
    'chain_id',
    'contract',
    'block_number',
    'block_hash',
    'log_index',
    'timestamp',
    'tx_hash',
    'tx_index',
    'previous_owner',
    'new_owner',
    'version',
    'is_deleted',
  ],
} as const;
export type FactTable = keyof typeof FACT_COLUMNS;
export const FACT_TABLES = Object.keys(FACT_COLUMNS) as FactTable[];

/** The table a fact goes to; a creation only makes its contract a candidate for a token. */
export const tableOf = (fact: Fact): FactTable | undefined => {
  switch (fact.kind) {
    case 'transfer':
      return 'fact_transfers';
    case 'nativeTransfer':
      return 'fact_native_transfers';
    case 'pairCreated':
      return 'fact_pools';
    case 'sync':
    case 'swap':
    case 'mint':
    case 'burn':
      return 'fact_pool_events';
    case 'ownershipTransferred':
      return 'fact_ownership_transfers';
    case 'creation':
      return undefined;
  }
};

/** What all rows of one block share. */
export interface RowContext {
  readonly chainId: number;
  /** See `factVersion`. */
  readonly version: number;
  readonly block: Omit<BlockFacts, 'facts'>;
}

/** Writes one fact as a row of its table, in the order of `FACT_COLUMNS`. */
export const writeFactRow = (row: RowWriter, context: RowContext, fact: Fact): void => {
  switch (fact.kind) {
    case 'transfer':
      writeTransfer(row, context, fact);
      break;
    case 'nativeTransfer':
      writeNativeTransfer(row, context, fact);
      break;
    case 'pairCreated':
      writePool(row, context, fact);
      break;
    case 'sync':
    case 'swap':
    case 'mint':
    case 'burn':
      writePoolEvent(row, context, fact);
      break;
    case 'ownershipTransferred':
      writeOwnershipTransfer(row, context, fact);
      break;
    case 'creation':
      return;
  }
  row.uint64(context.version);
  row.uint8(0);
};

/** Chain, subject, and the place of a log: the beginning of every row that stems from one. */
const writeLogPlace = (
  row: RowWriter,
  { chainId, block }: RowContext,
  subject: Hex,
  fact: { logIndex: number; txHash: Hex; txIndex: number },
): void => {
  row.uint64(chainId);
  row.fixed(subject);
  row.uint64(block.number);
  row.fixed(block.hash);
  row.uint32(fact.logIndex);
  row.uint32(block.timestampS);
  row.fixed(fact.txHash);
  row.uint32(fact.txIndex);
};

const writeTransfer = (row: RowWriter, context: RowContext, fact: TransferFact): void => {
  writeLogPlace(row, context, fact.token, fact);
  row.fixed(fact.from);
  row.fixed(fact.to);
  row.uint256(fact.value);
};

const writeNativeTransfer = (
  row: RowWriter,
  { chainId, block }: RowContext,
  fact: NativeTransferFact,
): void => {
  row.uint64(chainId);
  row.fixed(fact.to);
  row.uint64(block.number);
  row.fixed(block.hash);
  row.uint32(fact.txIndex);
  row.uint32(block.timestampS);
  row.fixed(fact.txHash);
  row.fixed(fact.from);
  row.uint256(fact.value);
};

const writePool = (row: RowWriter, context: RowContext, fact: PairCreatedFact): void => {
  writeLogPlace(row, context, fact.pool, fact);
  row.fixed(fact.factory);
  row.fixed(fact.token0);
  row.fixed(fact.token1);
};

const writeOwnershipTransfer = (
  row: RowWriter,
  context: RowContext,
  fact: OwnershipTransferredFact,
): void => {
  writeLogPlace(row, context, fact.contract, fact);
  row.fixed(fact.previousOwner);
  row.fixed(fact.newOwner);
};

interface PoolEventColumns {
  /** Value of the Enum8 column `kind`. */
  readonly kind: number;
  readonly sender: Hex;
  readonly recipient: Hex;
  /** amount0_in, amount1_in, amount0_out, amount1_out, reserve0, reserve1. */
  readonly amounts: readonly Hex[];
}

const NONE: Hex = '0x0';

const syncColumns = (fact: SyncFact): PoolEventColumns => ({
  kind: 1,
  sender: ZERO_ADDRESS,
  recipient: ZERO_ADDRESS,
  amounts: [NONE, NONE, NONE, NONE, fact.reserve0, fact.reserve1],
});

const swapColumns = (fact: SwapFact): PoolEventColumns => ({
  kind: 2,
  sender: fact.sender,
  recipient: fact.to,
  amounts: [fact.amount0In, fact.amount1In, fact.amount0Out, fact.amount1Out, NONE, NONE],
});

const mintColumns = (fact: MintFact): PoolEventColumns => ({
  kind: 3,
  sender: fact.sender,
  recipient: ZERO_ADDRESS,
  amounts: [fact.amount0, fact.amount1, NONE, NONE, NONE, NONE],
});

const burnColumns = (fact: BurnFact): PoolEventColumns => ({
  kind: 4,
  sender: fact.sender,
  recipient: fact.to,
  amounts: [NONE, NONE, fact.amount0, fact.amount1, NONE, NONE],
});

const poolEventColumns = (fact: PoolEventFact): PoolEventColumns => {
  switch (fact.kind) {
    case 'sync':
      return syncColumns(fact);
    case 'swap':
      return swapColumns(fact);
    case 'mint':
      return mintColumns(fact);
    case 'burn':
      return burnColumns(fact);
  }
};

const writePoolEvent = (row: RowWriter, context: RowContext, fact: PoolEventFact): void => {
  const columns = poolEventColumns(fact);
  writeLogPlace(row, context, fact.pool, fact);
  row.uint8(columns.kind);
  row.fixed(columns.sender);
  row.fixed(columns.recipient);
  for (const amount of columns.amounts) row.uint256(amount);
};
