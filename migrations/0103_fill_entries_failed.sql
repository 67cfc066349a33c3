-- Verdicts from before failed checks were kept: a change of state that changes nothing else.
INSERT INTO token_entries (chain_id, token, is_gone, entry, name, symbol, is_scam, confidence, percent, risk_score, risk, created_at, analyzed_at, was_there,
  old_name, old_symbol, old_is_scam, old_confidence, old_percent, old_risk_score, old_risk, old_created_at, old_analyzed_at, failed, version, seq)
SELECT chain_id, token, 0,
  toJSONString((name, symbol, confidence, risk_score, toString(model), toUnixTimestamp(created_at), toUnixTimestamp64Milli(analyzed_at), block_number)),
  name, symbol, toUInt8(prediction = 'SCAM') AS scam, confidence, toUInt8(floor(confidence * 100 + 0.5)) AS percents, risk_score, toUInt16(floor(risk_score * 100 + 0.5)) AS hundredths,
  created_at, analyzed_at, 1, name, symbol, scam, confidence, percents, risk_score, hundredths, created_at, analyzed_at,
  arraySort(arrayMap(check -> check.1, arrayFilter(check -> check.2 = 'fail', JSONExtract(doc, 'checks', 'Array(Tuple(id String, status String))')))) AS failing,
  version, toUInt64(toUnixTimestamp64Nano(now64(9)))
FROM token_verdicts FINAL
WHERE notEmpty(failing) AND (chain_id, token) NOT IN (SELECT chain_id, token FROM token_entries WHERE notEmpty(failed))
