-- entry: name, symbol, confidence, risk score, model, birth (Unix seconds), analysis (Unix milliseconds), block.
CREATE MATERIALIZED VIEW IF NOT EXISTS token_documents_view TO token_documents AS
SELECT chain_id, token, toUInt8(prediction = 'SCAM') AS is_scam,
  toJSONString((name, symbol, confidence, risk_score, toString(model), toUnixTimestamp(created_at), toUnixTimestamp64Milli(analyzed_at), block_number)) AS entry,
  creator, doc, version, is_deleted
FROM token_verdicts
