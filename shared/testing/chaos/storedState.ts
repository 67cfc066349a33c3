import { z } from 'zod';
import type { Clickhouse } from '../../adapters/clickhouse.ts';

const text = z.object({ line: z.string() });
const lines = async (clickhouse: Clickhouse, sql: string): Promise<string[]> =>
  (await clickhouse.query(sql, {}, text)).map(({ line }) => line).toSorted();

/** One line a stored transfer, as `transferLines` writes it. */
export const storedTransfers = (clickhouse: Clickhouse): Promise<string[]> =>
  lines(
    clickhouse,
    `SELECT concat(t.block_hash, ' ', toString(t.log_index), ' ', t.token, ' ', t.from_address, ' ',
      t.to_address, ' ', toString(t.value)) AS line FROM transfers AS t`,
  );

/** One line a stored pool event, as `poolEventLines` writes it. */
export const storedPoolEvents = (clickhouse: Clickhouse): Promise<string[]> =>
  lines(
    clickhouse,
    `SELECT concat(e.block_hash, ' ', toString(e.log_index), ' ', e.pool, ' ', toString(e.kind), ' ',
      toString(e.reserve0), ' ', toString(e.reserve1)) AS line FROM pool_events AS e`,
  );

const tokenSchema = z.object({ token: z.string(), creator: z.string(), block: z.string() });

/** Stored tokens with creator and the block that showed them first. */
export const storedTokens = (clickhouse: Clickhouse) =>
  clickhouse.query(
    'SELECT t.token AS token, t.creator AS creator, t.created_block_hash AS block FROM tokens AS t',
    {},
    tokenSchema,
  );

const verdictSchema = z
  .object({ token: z.string(), block: z.string(), doc: z.string() })
  .transform(({ doc, ...row }) => ({
    ...row,
    features: z.object({ features: z.record(z.number()) }).parse(JSON.parse(doc)).features,
  }));

/** Verdicts in force. */
export const storedVerdicts = (clickhouse: Clickhouse) =>
  clickhouse.query(
    'SELECT v.token AS token, v.block_hash AS block, v.doc AS doc FROM verdicts AS v',
    {},
    verdictSchema,
  );

/** Blocks of which the history holds verdicts. */
export const historyBlocks = (clickhouse: Clickhouse): Promise<string[]> =>
  lines(
    clickhouse,
    `SELECT DISTINCT concat('0x', lower(hex(h.block_hash))) AS line FROM verdict_history AS h FINAL`,
  );

const alertSchema = z
  .object({
    watchId: z.number(),
    type: z.string(),
    block: z.string(),
    logIndex: z.number(),
    severity: z.string(),
    details: z.string(),
  })
  .transform(({ details, ...row }) => {
    const change = z
      .object({ liquidity_change: z.number().optional() })
      .parse(JSON.parse(details)).liquidity_change;
    return { ...row, change: change ?? null };
  });

/** Alerts in force. */
export const storedAlerts = (clickhouse: Clickhouse) =>
  clickhouse.query(
    `SELECT a.watch_id AS watchId, a.type AS type, concat('0x', lower(hex(a.block_hash))) AS block,
      a.log_index AS logIndex, toString(a.severity) AS severity, a.details AS details
      FROM alerts AS a FINAL`,
    {},
    alertSchema,
  );
