-- Every change of a token's state is taken from the count it was in and added to the one it is in.
CREATE MATERIALIZED VIEW IF NOT EXISTS token_counts_view TO token_counts AS
SELECT chain_id, cell.1 AS is_scam, cell.2 AS level, cell.3 AS percent, cell.4 AS day, sum(cell.5) AS tokens
FROM (
  SELECT chain_id, arrayConcat(
    if(is_gone = 1, [], [(is_scam, toUInt8((risk >= 2500) + (risk >= 5000) + (risk >= 7500)), percent, toDate(created_at), toInt64(1))]),
    if(was_there = 0, [], [(old_is_scam, toUInt8((old_risk >= 2500) + (old_risk >= 5000) + (old_risk >= 7500)), old_percent, toDate(old_created_at), toInt64(-1))])) AS cells
  FROM token_states
) ARRAY JOIN cells AS cell
GROUP BY chain_id, is_scam, level, percent, day
HAVING tokens != 0
