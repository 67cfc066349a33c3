-- Verdicts from before there were entries get theirs, as token_entries_view makes them.
INSERT INTO token_entries (chain_id, token, is_gone, entry, name, symbol, is_scam, confidence, percent, risk_score, risk, created_at, analyzed_at, version, seq)
SELECT chain_id, token, 0,
  toJSONString((name, symbol, confidence, risk_score, toString(model), toUnixTimestamp(created_at), toUnixTimestamp64Milli(analyzed_at), block_number)),
  name, symbol, toUInt8(prediction = 'SCAM'), confidence, toUInt8(floor(confidence * 100 + 0.5)), risk_score, toUInt16(floor(risk_score * 100 + 0.5)),
  created_at, analyzed_at, version, toUInt64(toUnixTimestamp64Nano(now64(9)))
FROM token_verdicts FINAL
WHERE (chain_id, token) NOT IN (SELECT chain_id, token FROM token_entries)
