-- Every verdict in force changes the state of its token, unless a newer verdict has already done so. The same verdict again is a repeat,
-- which keeps what the token was before. failed: ids of the checks that fail, sorted.
-- entry: name, symbol, confidence, risk score, model, birth (Unix seconds), analysis (Unix milliseconds), block.
CREATE MATERIALIZED VIEW IF NOT EXISTS token_entries_view TO token_entries AS
SELECT chain_id, token, new.1 AS is_gone,
  toJSONString((new.2, new.3, new.5, new.6, new.9, toUnixTimestamp(new.7), toUnixTimestamp64Milli(new.8), new.10)) AS entry,
  new.2 AS name, new.3 AS symbol, new.4 AS is_scam,
  new.5 AS confidence, toUInt8(floor(new.5 * 100 + 0.5)) AS percent, new.6 AS risk_score, toUInt16(floor(new.6 * 100 + 0.5)) AS risk,
  new.7 AS created_at, new.8 AS analyzed_at,
  before.1 AS was_there, before.2 AS old_name, before.3 AS old_symbol, before.4 AS old_is_scam,
  before.5 AS old_confidence, before.6 AS old_percent, before.7 AS old_risk_score, before.8 AS old_risk, before.9 AS old_created_at,
  before.10 AS old_analyzed_at, new.11 AS failed, before.11 AS old_failed,
  new_version AS version, greatest(toUInt64(toUnixTimestamp64Nano(now64(9))), old_seq + 1) AS seq, is_repeat
FROM (
  SELECT chain_id, token, new, new_version, old_seq,
    toUInt8(old_seq > 0 AND new_version = old_version AND (new.1, new.2, new.3, new.4, new.5, new.6, new.7, new.8, new.11) =
      (old.1, old.2, old.3, old.4, old.5, old.7, old.9, old.10, old.11)) AS is_repeat,
    if(is_repeat = 1, older, (toUInt8(old_seq > 0 AND old.1 = 0), old.2, old.3, old.4, old.5, old.6, old.7, old.8, old.9, old.10, old.11)) AS before
  FROM (
    SELECT chain_id, token, max(version) AS new_version,
      argMax((is_deleted, name, symbol, toUInt8(prediction = 'SCAM'), confidence, risk_score, created_at, analyzed_at, toString(model), block_number,
        arraySort(arrayMap(check -> check.1, arrayFilter(check -> check.2 = 'fail', JSONExtract(doc, 'checks', 'Array(Tuple(id String, status String))'))))), version) AS new
    FROM token_verdicts GROUP BY chain_id, token
  ) AS verdicts
  LEFT JOIN (
    SELECT chain_id, token, max(seq) AS old_seq, argMax(version, seq) AS old_version,
      argMax((is_gone, name, symbol, is_scam, confidence, percent, risk_score, risk, created_at, analyzed_at, failed), seq) AS old,
      argMax((was_there, old_name, old_symbol, old_is_scam, old_confidence, old_percent, old_risk_score, old_risk, old_created_at, old_analyzed_at,
        old_failed), seq) AS older
    FROM token_entries WHERE (chain_id, token) IN (SELECT chain_id, token FROM token_verdicts) GROUP BY chain_id, token
  ) AS states USING (chain_id, token)
  WHERE new_version >= old_version
)
