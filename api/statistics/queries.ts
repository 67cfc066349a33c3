import { countSchema } from '../../shared/messages/schemas.ts';
import { type Database, POINT_READ } from '../../shared/platform/clickhouse.ts';
import { isScamOutcome } from '../../shared/rules/isScamOutcome.ts';
import { count, fraction, z } from '../server/schema.ts';

/** Number of rings. */
export const countRings = async (database: Database, chainId: number): Promise<number> => {
  const [row] = await database.query(
    `SELECT count() AS rings FROM clusters FINAL WHERE chain_id = {chainId:UInt64} AND merged_into = '' ${POINT_READ}`,
    { chainId },
    z.object({ rings: countSchema }),
  );
  return row?.rings ?? 0;
};

/** Outcomes of predictions: `pipeline/scorer/outcome/OUTCOMES.md`. */
const outcomesRow = z.object({
  /** Tokens with a prediction whose week ended within the last 90 days of the chain. */
  decided: countSchema,
  /** Those that were called SCAM and drained, or LEGIT and not drained. */
  right: countSchema,
  /**
   * US dollars that left pools within a week after their token was first called SCAM, over tokens that were drained
   * after that.
   */
  savedUsd: z.number(),
});
export type OutcomeTotals = z.output<typeof outcomesRow>;

const ACCURACY_DAYS = 90;

/** Sums over the outcomes that the scorer stored a week after each verdict. */
export const outcomeTotals = async (
  database: Database,
  chainId: number,
): Promise<OutcomeTotals> => {
  const rows = await database.query(
    `WITH (SELECT max(timestamp) FROM chain_progress FINAL WHERE chain_id = {chainId:UInt64} AND reader = 'scorer') AS chain_now,
       outcome != 'excluded' AND isNotNull(prediction)
         AND judged_at + INTERVAL 7 DAY > chain_now - INTERVAL ${ACCURACY_DAYS} DAY AS counts
     SELECT countIf(counts) AS decided,
       countIf(counts AND (prediction = 'SCAM') = (${isScamOutcome('outcome')})) AS right,
       sumIf(greatest(liquidity_at_flag_usd - liquidity_after_flag_usd, 0), flag_outcome = 'rug') AS savedUsd
     FROM token_outcomes FINAL WHERE chain_id = {chainId:UInt64} ${POINT_READ}`,
    { chainId },
    outcomesRow,
  );
  return rows[0] ?? { decided: 0, right: 0, savedUsd: 0 };
};

const scoredRow = z.object({
  /** The last scored block; all before it are scored too. */
  block: countSchema,
  /** Its time, Unix seconds. */
  timestampS: countSchema,
  /** Highest block known at that time. */
  head: countSchema,
});
export type ScoredState = z.output<typeof scoredRow>;

/** Progress of the scorer; undefined before its first block. */
export const lastScored = async (
  database: Database,
  chainId: number,
): Promise<ScoredState | undefined> => {
  const [scored] = await database.query(
    `SELECT block_number AS block, toUnixTimestamp(timestamp) AS timestampS, head FROM chain_progress FINAL
     WHERE chain_id = {chainId:UInt64} AND reader = 'scorer'`,
    { chainId },
    scoredRow,
  );
  return scored;
};

/** Source of the figure `accuracy`. */
const ACCURACY_SOURCES = ['measured', 'training'] as const;

/** Statistics of the whole service. */
export const globalStatsSchema = z
  .object({
    tokens_analyzed: count,
    scam_rate: fraction,
    accuracy: fraction.nullable().openapi({
      description:
        'share of right predictions; `accuracy_source` says how it was determined; null if unknown',
    }),
    accuracy_source: z.enum(ACCURACY_SOURCES).nullable().openapi({
      description:
        'measured: over `accuracy_samples` tokens whose week ended in the last 90 days, by the verdict an hour after launch: SCAM and drained, or LEGIT and not. training: no such week has ended yet, so the figure is what the model reached on the tokens it was tested with, and says nothing of this service. null: there is no figure',
    }),
    accuracy_samples: count.openapi({
      description:
        'number of tokens on whose outcomes the measured accuracy is based; 0 unless measured',
    }),
    wallets_tracked: count,
    clusters_detected: count,
    total_saved: z.number().openapi({
      description:
        'USD: over tokens drained within 7 days after they were first flagged SCAM, liquidity at the flag minus liquidity 7 days later',
    }),
  })
  .openapi('GlobalStats');
export type GlobalStats = z.infer<typeof globalStatsSchema>;
