-- For analysts: what became of each token within a week of its verdict.
CREATE VIEW IF NOT EXISTS outcomes AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, concat('0x', lower(hex(f.pool))) AS pool,
  f.judged_at AS judged_at, f.prediction AS prediction, f.probability AS probability, f.critical_check AS critical_check,
  f.model AS model, f.outcome AS outcome, f.lead_s AS lead_s, f.left_usd AS left_usd, f.flagged_at AS flagged_at,
  f.flag_outcome AS flag_outcome, f.liquidity_at_flag_usd AS liquidity_at_flag_usd,
  f.liquidity_after_flag_usd AS liquidity_after_flag_usd, f.bought_after_flag_usd AS bought_after_flag_usd
FROM token_outcomes AS f FINAL
