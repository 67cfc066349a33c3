import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { RISK_LEVEL_SQL } from '../../../shared/rules/riskLevel.ts';

// What lists, totals and searches read follows from verdicts by views: in the same insert, but each table by itself.
// A crash of ClickHouse may come between, also one of the scorer, whose insert ends with its connection.

/** Verdicts that are written again: more than are ever stored together. */
const LATEST_MAX = 2_000;

/** What `previous` holds of a verdict that was replaced, after `is_repeat` and `existed`. */
export const PREVIOUS_FIELDS = [
  'name',
  'symbol',
  'is_scam',
  'confidence',
  'risk_score',
  'created_at',
  'analyzed_at',
  'failed',
] as const;

const LATEST = `SELECT token FROM token_verdicts WHERE chain_id = {chainId:UInt64} ORDER BY analyzed_at DESC LIMIT ${LATEST_MAX}`;

const IN_FORCE = 'token_verdicts FINAL WHERE chain_id = {chainId:UInt64}';

/** The latest rows again: those that views have are replaced, those they lack are added. */
const repeatSql = (columns: string): string =>
  `INSERT INTO token_verdicts (${columns}, seq, previous) SELECT ${columns}, seq, (toUInt8(1), previous.existed,
     ${PREVIOUS_FIELDS.map((field) => `previous.${field}`).join(', ')}) FROM token_verdicts FINAL
   WHERE chain_id = {chainId:UInt64} AND token IN (${LATEST})`;

/** Adds what `token_totals` lacks of the tokens there are; the spans are those of `token_totals_view`. */
const TOTALS_SQL = `INSERT INTO token_totals (chain_id, span, start, risk, check_id, is_scam, level, percent, tokens)
  SELECT {chainId:UInt64}, span, start, at_risk, id, is_scam, level, percent, sum(counted) AS tokens FROM (
    SELECT spans.1 AS span, spans.2 AS start, spans.3 AS at_risk, '' AS id, is_scam, level, percent, counted FROM (
      SELECT is_scam, ${RISK_LEVEL_SQL} AS level, percent, risk, toDate(created_at) AS creation_day, toInt64(count()) AS counted
      FROM ${IN_FORCE} GROUP BY is_scam, level, percent, risk, creation_day
    ) ARRAY JOIN [('all', toDate(0), toUInt16(0)), ('risk', toDate(0), risk),
      ('month', toStartOfMonth(creation_day), toUInt16(0)), ('day', creation_day, toUInt16(0))] AS spans
    UNION ALL
    SELECT 'check', toDate(0), toUInt16(0), toString(arrayJoin(failed)), is_scam, ${RISK_LEVEL_SQL}, percent, toInt64(1) FROM ${IN_FORCE}
    UNION ALL
    SELECT toString(span), start, risk, toString(check_id), is_scam, level, percent, -tokens FROM token_totals
    WHERE chain_id = {chainId:UInt64}
  ) GROUP BY span, start, at_risk, id, is_scam, level, percent HAVING tokens != 0`;

/**
 * Makes what follows from verdicts whole again after an insert may have been cut off. No verdict of the chain
 * may be written meanwhile. Reads all tokens: tenths of a second of a core for each million.
 * @param columns of `token_verdicts`, all that are written but `seq` and `previous`.
 */
export const repairListings = async (
  clickhouse: Pick<Clickhouse, 'exec'>,
  chainId: number,
  columns: readonly string[],
): Promise<void> => {
  await clickhouse.exec(repeatSql(columns.join(', ')), { chainId });
  await clickhouse.exec(TOTALS_SQL, { chainId });
};
