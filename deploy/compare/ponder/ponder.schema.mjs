import { onchainTable, primaryKey } from 'ponder';

/** @param columns what an event of this kind has beside its place */
const eventTable = (name, columns) =>
  onchainTable(
    name,
    (t) => ({
      blockNumber: t.integer().notNull(),
      logIndex: t.integer().notNull(),
      timestamp: t.integer().notNull(),
      blockHash: t.hex().notNull(),
      txHash: t.hex().notNull(),
      address: t.hex().notNull(),
      ...columns(t),
    }),
    (table) => ({ key: primaryKey({ columns: [table.blockNumber, table.logIndex] }) }),
  );

export const transfer = eventTable('transfer', (t) => ({
  from: t.hex().notNull(),
  to: t.hex().notNull(),
  value: t.bigint().notNull(),
}));
export const sync = eventTable('sync', (t) => ({
  reserve0: t.bigint().notNull(),
  reserve1: t.bigint().notNull(),
}));
export const swap = eventTable('swap', (t) => ({
  sender: t.hex().notNull(),
  to: t.hex().notNull(),
  amount0In: t.bigint().notNull(),
  amount1In: t.bigint().notNull(),
  amount0Out: t.bigint().notNull(),
  amount1Out: t.bigint().notNull(),
}));
