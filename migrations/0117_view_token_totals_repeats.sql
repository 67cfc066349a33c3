-- Every change of a token's state is taken from the counts it was in and added to those it is in; a repeat is none.
CREATE MATERIALIZED VIEW IF NOT EXISTS token_totals_view TO token_totals AS
SELECT chain_id, CAST(counted.1, 'Enum8(\'all\' = 1, \'risk\' = 2, \'month\' = 3, \'day\' = 4)') AS span, counted.2 AS start, counted.3 AS risk,
  cell.1 AS is_scam, cell.2 AS level, cell.3 AS percent, sum(cell.6) AS tokens
FROM (
  SELECT chain_id, arrayConcat(
    if(is_gone = 1, [], [(is_scam, toUInt8((risk >= 2500) + (risk >= 5000) + (risk >= 7500)), percent, risk, toDate(created_at), toInt64(1))]),
    if(was_there = 0, [], [(old_is_scam, toUInt8((old_risk >= 2500) + (old_risk >= 5000) + (old_risk >= 7500)), old_percent, old_risk, toDate(old_created_at), toInt64(-1))])) AS cells
  FROM token_entries WHERE is_repeat = 0
) ARRAY JOIN cells AS cell
ARRAY JOIN [(toInt8(1), toDate(0), toUInt16(0)), (toInt8(2), toDate(0), cell.4), (toInt8(3), toStartOfMonth(cell.5), toUInt16(0)), (toInt8(4), cell.5, toUInt16(0))] AS counted
GROUP BY chain_id, span, start, risk, is_scam, level, percent
HAVING tokens != 0
