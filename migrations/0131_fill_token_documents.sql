-- Verdicts from before there was a table of documents get their row, as token_documents_view makes it.
INSERT INTO token_documents (chain_id, token, is_scam, entry, creator, doc, version, is_deleted)
SELECT chain_id, token, toUInt8(prediction = 'SCAM'),
  toJSONString((name, symbol, confidence, risk_score, toString(model), toUnixTimestamp(created_at), toUnixTimestamp64Milli(analyzed_at), block_number)),
  creator, doc, version, is_deleted
FROM token_verdicts
