import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { countSchema, hashSchema } from '../../shared/messages/schemas.ts';
import type { Database } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { verdictSummary } from './verdict.ts';

const pastRow = verdictSummary
  .pick({
    blockNumber: true,
    prediction: true,
    confidence: true,
    riskScore: true,
    model: true,
    analyzedAtMs: true,
  })
  .extend({
    blockHash: hashSchema,
    /** Age of the main pool in seconds, for a verdict at a horizon; 0 for one after an event. */
    horizonS: countSchema,
    features: z.record(z.number()),
    /** Log-odds added by each feature and check. */
    contributions: z.record(z.number()),
  });
/** A verdict of the past. */
export type PastVerdict = Readonly<z.infer<typeof pastRow>>;

/** The verdict before which a page of the history begins. */
export interface HistoryPosition {
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly horizonS: number;
}

/** One page, newest first. */
export interface HistoryPage {
  readonly limit: number;
  readonly before?: HistoryPosition | undefined;
}

/** Rows of one verdict: it may have been stored again, and deleted by a reorg. */
const ROWS_EACH_MAX = 4;
/** A longer history is counted up to this length. */
export const HISTORY_COUNT_MAX = 10_000;

/**
 * Verdicts of a token, newest first. Reads only the end of the token's rows, however many there are: a page may be
 * short if many blocks were reorganised.
 */
export const verdictHistory = async (
  database: Database,
  chainId: number,
  token: Hex,
  page: HistoryPage,
): Promise<PastVerdict[]> => {
  const { before, limit } = page;
  return database.query(
    `SELECT h.block_number AS blockNumber, ${hexText('h.block_hash')} AS blockHash, h.horizon_s AS horizonS,
       h.prediction AS prediction, h.confidence AS confidence, h.risk_score AS riskScore, h.model AS model,
       toUnixTimestamp64Milli(h.analyzed_at) AS analyzedAtMs, h.features AS features, h.shap_values AS contributions
     FROM (
       SELECT * FROM (
         SELECT * FROM verdict_history
         WHERE chain_id = {chainId:UInt64} AND token = unhex({token:String})
           ${before ? 'AND (block_number, block_hash, horizon_s) < ({blockNumber:UInt64}, toFixedString(unhex({blockHash:String}), 32), {horizonS:UInt32})' : ''}
         ORDER BY block_number DESC, block_hash DESC, horizon_s DESC
         LIMIT {rowsMax:UInt32}
       )
       ORDER BY block_number DESC, block_hash DESC, horizon_s DESC, version DESC, analyzed_at DESC
       LIMIT 1 BY block_number, block_hash, horizon_s
     ) AS h
     WHERE h.is_deleted = 0
     ORDER BY h.block_number DESC, h.block_hash DESC, h.horizon_s DESC
     LIMIT {limit:UInt32}`,
    {
      chainId,
      token: token.slice(2),
      blockNumber: before?.blockNumber ?? 0,
      blockHash: before?.blockHash ?? '',
      horizonS: before?.horizonS ?? 0,
      rowsMax: limit * ROWS_EACH_MAX,
      limit,
    },
    pastRow,
  );
};

/** Number of a token's past verdicts, up to the counting limit. */
export const countHistory = async (
  database: Database,
  chainId: number,
  token: Hex,
): Promise<number> => {
  const rows = await database.query(
    `SELECT count() AS total FROM (
       SELECT DISTINCT block_number, block_hash, horizon_s FROM verdict_history
       WHERE chain_id = {chainId:UInt64} AND token = unhex({token:String})
       LIMIT {countMax:UInt32}
     )`,
    { chainId, token: token.slice(2), countMax: HISTORY_COUNT_MAX },
    z.object({ total: countSchema }),
  );
  return rows[0]?.total ?? 0;
};
