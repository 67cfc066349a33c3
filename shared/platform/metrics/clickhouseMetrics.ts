import { Counter, Histogram } from 'prom-client';
import type { ClickhouseMeter, ClickhouseOperation } from '../clickhouse.ts';
import type { MetricsRegistry } from './registry.ts';
import { WORK_SECONDS } from './seconds.ts';

const OPERATIONS: readonly ClickhouseOperation[] = ['query', 'insert', 'exec', 'ping'];

/** Tables are those of the migrations, so labels stay few. */
export const createClickhouseMetrics = (registry: MetricsRegistry): ClickhouseMeter => {
  const registers = [registry];
  const insertSeconds = new Histogram({
    name: 'tsd_clickhouse_insert_seconds',
    help: 'Time of one insert into ClickHouse.',
    labelNames: ['table'],
    buckets: WORK_SECONDS,
    registers,
  });
  const insertedRows = new Counter({
    name: 'tsd_clickhouse_inserted_rows_total',
    help: 'Rows inserted, as the server counts them: with those of views on the table.',
    labelNames: ['table'],
    registers,
  });
  const querySeconds = new Histogram({
    name: 'tsd_clickhouse_query_seconds',
    help: 'Time of one query or statement.',
    buckets: WORK_SECONDS,
    registers,
  });
  const errors = new Counter({
    name: 'tsd_clickhouse_errors_total',
    help: 'Requests that failed: kind retry passes by itself, fatal does not.',
    labelNames: ['operation', 'kind'],
    registers,
  });
  // Counted from zero on: the first failure is an increase.
  for (const operation of OPERATIONS) {
    for (const kind of ['retry', 'fatal']) errors.inc({ operation, kind }, 0);
  }
  return {
    inserted: (table, rows, tookMs) => {
      insertSeconds.observe({ table }, tookMs / 1_000);
      insertedRows.inc({ table }, rows);
    },
    queried: (tookMs) => querySeconds.observe(tookMs / 1_000),
    failed: (operation, kind) => errors.inc({ operation, kind }),
  };
};
