import { z } from 'zod';
import { countSchema } from '../../shared/messages/schemas.ts';
import type { Database } from './verdict.ts';

/** Counts over the verdicts in force. */
export interface VerdictTotals {
  readonly tokens: number;
  readonly scams: number;
  readonly wallets: number;
}

/** How many tokens were analysed, how many of them are scams, and how many wallets made them. */
export const verdictTotals = async (
  database: Database,
  chainId: number,
): Promise<VerdictTotals> => {
  const rows = await database.query(
    `SELECT count() AS tokens, countIf(prediction = 'SCAM') AS scams, uniqExact(creator) AS wallets
     FROM token_verdicts FINAL WHERE chain_id = {chainId:UInt64}`,
    { chainId },
    z.object({ tokens: countSchema, scams: countSchema, wallets: countSchema }),
  );
  return rows[0] ?? { tokens: 0, scams: 0, wallets: 0 };
};

/**
 * US dollars: over tokens ever flagged SCAM, the pool's liquidity when first flagged minus the
 * last one known up to seven days later, where that is a loss.
 */
export const totalSavedUsd = async (database: Database, chainId: number): Promise<number> => {
  const rows = await database.query(
    `WITH flagged AS (
       SELECT token, min(analyzed_at) AS flagged_at, argMin(liquidity_usd, analyzed_at) AS at_flag
       FROM verdict_history FINAL
       WHERE chain_id = {chainId:UInt64} AND prediction = 'SCAM' GROUP BY token
     )
     SELECT sum(greatest(at_flag - later, 0)) AS saved_usd FROM (
       SELECT history.token, any(flagged.at_flag) AS at_flag,
         argMax(history.liquidity_usd, history.analyzed_at) AS later
       FROM (SELECT token, liquidity_usd, analyzed_at FROM verdict_history FINAL
             WHERE chain_id = {chainId:UInt64}) AS history
       INNER JOIN flagged ON history.token = flagged.token
       WHERE history.analyzed_at <= flagged.flagged_at + INTERVAL 7 DAY
       GROUP BY history.token
     )`,
    { chainId },
    z.object({ saved_usd: z.number() }),
  );
  return rows[0]?.saved_usd ?? 0;
};

/** Blocks between the chain's head and the last one scored; undefined before the first. */
export const blockLag = async (
  database: Database,
  chainId: number,
): Promise<number | undefined> => {
  const rows = await database.query(
    `SELECT toInt64(head) - toInt64(block_number) AS lag FROM chain_progress FINAL
     WHERE chain_id = {chainId:UInt64}`,
    { chainId },
    z.object({ lag: z.number().int() }),
  );
  const lag = rows[0]?.lag;
  return lag === undefined ? undefined : Math.max(0, lag);
};
