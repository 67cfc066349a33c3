/**
 * Columns of `token_verdicts`, in SQL, of a row that replaces the one it is selected from, as the scorer writes them:
 * for `SELECT * REPLACE (…)`.
 */
export const REPLACED_VERDICT = `greatest(seq + 1, toUInt64(toUnixTimestamp64Micro(now64(6)))) AS seq, (toUInt8(1), name, symbol, is_scam, confidence, risk_score,
  created_at, analyzed_at, failed) AS previous`;
