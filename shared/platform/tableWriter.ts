import type { Clickhouse } from './clickhouse.ts';
import { createRowWriter, type RowWriter } from './rowWriter.ts';

/** What each column of a table holds of a value, in the order in which columns are written. */
export type ColumnWriters<T> = Readonly<Record<string, (row: RowWriter, value: T) => void>>;

/** Inserts values as rows of a table; none is no request. */
export const createTableWriter = <T>(table: string, columns: ColumnWriters<T>) => {
  const names = Object.keys(columns);
  const writers = Object.values(columns);
  return async (
    clickhouse: Pick<Clickhouse, 'insertBinary'>,
    values: readonly T[],
  ): Promise<void> => {
    if (values.length === 0) return;
    const row = createRowWriter();
    for (const value of values) {
      for (const write of writers) write(row, value);
    }
    await clickhouse.insertBinary(table, names, row.finish());
  };
};
