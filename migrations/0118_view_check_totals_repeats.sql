-- Every change of a token's state is taken from the counts of the checks that failed and added to those of the checks that fail; a repeat is none.
CREATE MATERIALIZED VIEW IF NOT EXISTS check_totals_view TO check_totals AS
SELECT chain_id, check_id, cell.1 AS is_scam, cell.2 AS level, cell.3 AS percent, sum(cell.5) AS tokens
FROM (
  SELECT chain_id, arrayConcat(
    if(is_gone = 1, [], [(is_scam, toUInt8((risk >= 2500) + (risk >= 5000) + (risk >= 7500)), percent, failed, toInt64(1))]),
    if(was_there = 0, [], [(old_is_scam, toUInt8((old_risk >= 2500) + (old_risk >= 5000) + (old_risk >= 7500)), old_percent, old_failed, toInt64(-1))])) AS cells
  FROM token_entries WHERE is_repeat = 0
) ARRAY JOIN cells AS cell
ARRAY JOIN cell.4 AS check_id
GROUP BY chain_id, check_id, is_scam, level, percent
HAVING tokens != 0
