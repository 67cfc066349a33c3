-- Every change of a token's state rewrites what its failed checks show of it, and takes it from those that fail no more.
CREATE MATERIALIZED VIEW IF NOT EXISTS token_checks_view TO token_checks AS
SELECT chain_id, listed.1 AS check_id, token, is_scam, percent, risk, created_at,
  if(listed.2 = 1, [], failed) AS failed, if(listed.2 = 1, '', entry) AS entry, seq, listed.2 AS is_deleted
FROM (
  SELECT chain_id, token, is_scam, percent, risk, created_at, failed, entry, seq,
    if(is_gone = 1, [], failed) AS live, if(was_there = 0, [], old_failed) AS left,
    arrayConcat(arrayMap(id -> (id, toUInt8(0)), live),
      arrayMap(id -> (id, toUInt8(1)), arrayFilter(id -> NOT has(live, id), left))) AS changes
  FROM token_entries
) ARRAY JOIN changes AS listed
