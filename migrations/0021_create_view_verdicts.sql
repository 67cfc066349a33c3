-- For analysts: the verdict in force of each token.
CREATE VIEW IF NOT EXISTS verdicts AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, f.name AS name, f.symbol AS symbol, f.prediction AS prediction,
  f.confidence AS confidence, f.risk_score AS risk_score, f.model AS model, concat('0x', lower(hex(f.creator))) AS creator,
  f.liquidity_usd AS liquidity_usd, f.created_at AS created_at, f.analyzed_at AS analyzed_at,
  f.block_number AS block_number, concat('0x', lower(hex(f.block_hash))) AS block_hash, f.doc AS doc
FROM token_verdicts AS f FINAL
