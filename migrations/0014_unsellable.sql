-- A token that holders could not sell any more is an outcome of its own, beside one whose liquidity was taken out.
ALTER TABLE token_outcomes
  MODIFY COLUMN outcome Enum8('survived' = 0, 'rug' = 1, 'excluded' = 2, 'unsellable' = 3) COMMENT 'What became of the token within 7 days of judged_at, unsellable: its holders could not sell it any more',
  MODIFY COLUMN flag_outcome Nullable(Enum8('survived' = 0, 'rug' = 1, 'excluded' = 2, 'unsellable' = 3)) COMMENT 'What became of the token within 7 days of flagged_at, null: never flagged, or they are not over';

-- A model of a chain may have one of older markets beside it.
ALTER TABLE models
  ADD COLUMN IF NOT EXISTS life_card String COMMENT 'What the model of markets older than a day was trained on and how it did, as JSON, empty: the one of the release' CODEC(ZSTD(3)) AFTER trees,
  ADD COLUMN IF NOT EXISTS life_onnx String COMMENT 'Its ONNX file, base64, empty: the one of the release' CODEC(ZSTD(3)) AFTER life_card,
  ADD COLUMN IF NOT EXISTS life_trees String COMMENT 'The same trees as JSON, empty: the one of the release' CODEC(ZSTD(3)) AFTER life_onnx;

DROP TABLE IF EXISTS outcomes, shadow_verdicts, model_calibration;

-- For analysts: what became of each token within a week of its verdict.
CREATE VIEW IF NOT EXISTS outcomes (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract of the token',
  pool String COMMENT 'Pool or market that held most of its base token at judged_at: contract, or id in its manager (32 bytes)',
  judged_at DateTime('UTC') COMMENT 'First Sync, of a market first liquidity, plus one hour: the verdict made by then counts',
  prediction Nullable(Enum8('LEGIT' = 0, 'SCAM' = 1)) COMMENT 'Last verdict made by then, null: none',
  probability Nullable(Float64) COMMENT 'Its calibrated probability of a scam, 0 to 1, null: none',
  critical_check LowCardinality(String) COMMENT 'Id of the critical check the verdict rested on, empty: none',
  model LowCardinality(String) COMMENT 'Version of the model',
  outcome Enum8('survived' = 0, 'rug' = 1, 'excluded' = 2, 'unsellable' = 3) COMMENT 'What became of the token within 7 days of judged_at, unsellable: its holders could not sell it any more',
  lead_s Nullable(UInt32) COMMENT 'Seconds from judged_at to the rug, null: no rug',
  left_usd Float64 COMMENT 'Liquidity at judged_at minus liquidity 7 days later, at least 0, US dollars',
  flagged_at Nullable(DateTime('UTC')) COMMENT 'Last trade that the first SCAM verdict knew, null: never flagged',
  flag_outcome Nullable(Enum8('survived' = 0, 'rug' = 1, 'excluded' = 2, 'unsellable' = 3)) COMMENT 'What became of the token within 7 days of flagged_at, null: never flagged, or they are not over',
  liquidity_at_flag_usd Float64 COMMENT 'Liquidity at flagged_at, US dollars',
  liquidity_after_flag_usd Float64 COMMENT 'Liquidity 7 days after flagged_at, US dollars',
  bought_after_flag_usd Float64 COMMENT 'Paid by buyers within 7 days after flagged_at, US dollars'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, concat('0x', if(startsWith(hex(f.market), repeat('0', 24)), substring(lower(hex(f.market)), 25), lower(hex(f.market)))) AS pool,
  f.judged_at AS judged_at, f.prediction AS prediction, f.probability AS probability, f.critical_check AS critical_check,
  f.model AS model, f.outcome AS outcome, f.lead_s AS lead_s, f.left_usd AS left_usd, f.flagged_at AS flagged_at,
  f.flag_outcome AS flag_outcome, f.liquidity_at_flag_usd AS liquidity_at_flag_usd,
  f.liquidity_after_flag_usd AS liquidity_after_flag_usd, f.bought_after_flag_usd AS bought_after_flag_usd
FROM token_outcomes AS f FINAL;

-- For analysts: what a model in the shadow said beside the model in force, and what became of the token where that is known.
CREATE VIEW IF NOT EXISTS shadow_verdicts (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract of the token',
  horizon_s UInt32 COMMENT 'Age of the main pool, seconds',
  as_of DateTime('UTC') COMMENT 'Time whose facts both rest on',
  model_sha256 String COMMENT 'Hash of the model in the shadow',
  probability Float64 COMMENT 'Probability of a rug within 7 days, by the model in the shadow, 0 to 1',
  in_force_sha256 String COMMENT 'Hash of the model in force then',
  in_force_probability Float64 COMMENT 'The same by the model in force then',
  outcome Nullable(Enum8('survived' = 0, 'rug' = 1, 'excluded' = 2, 'unsellable' = 3)) COMMENT 'What became of the token within 7 days of its first hour, null: not known yet'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, f.horizon_s AS horizon_s, f.as_of AS as_of, lower(hex(f.model_sha256)) AS model_sha256,
  f.probability AS probability, v.model_sha256 AS in_force_sha256, v.features['market_probability'] AS in_force_probability, o.outcome AS outcome
FROM shadow_scores AS f FINAL
INNER JOIN (SELECT chain_id, token, block_number, block_hash, horizon_s, model_sha256, features FROM verdict_history FINAL WHERE horizon_s > 0) AS v
  ON v.chain_id = f.chain_id AND v.token = f.token AND v.block_number = f.block_number AND v.block_hash = f.block_hash AND v.horizon_s = f.horizon_s
LEFT JOIN (SELECT chain_id, token, toNullable(outcome) AS outcome FROM token_outcomes FINAL) AS o ON o.chain_id = f.chain_id AND o.token = f.token;

-- For analysts: how the probabilities of each model did, week by week of the chain, on tokens an hour old.
CREATE VIEW IF NOT EXISTS model_calibration (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  week Date COMMENT 'Monday of the week in which the tokens were an hour old',
  model String COMMENT 'Version of the model',
  model_sha256 String COMMENT 'Hash of the model',
  tokens UInt64 COMMENT 'Tokens whose outcome is known',
  predicted Float64 COMMENT 'Mean probability of a rug or that holders cannot sell, 0 to 1',
  seen Float64 COMMENT 'Share of rugs and of tokens that holders could not sell, 0 to 1',
  brier Float64 COMMENT 'Mean square of probability minus outcome',
  log_loss Float64 COMMENT 'Mean of -ln of the probability of what came, nats'
) SQL SECURITY DEFINER AS
SELECT v.chain_id AS chain_id, toMonday(v.as_of) AS week, v.model AS model, v.model_sha256 AS model_sha256, count() AS tokens,
  avg(v.p) AS predicted, avg(o.rug) AS seen, avg((v.p - o.rug) * (v.p - o.rug)) AS brier, avg(-log(greatest(0.001, if(o.rug = 1, v.p, 1 - v.p)))) AS log_loss
FROM (SELECT chain_id, token, as_of, model, model_sha256, features['market_probability'] AS p FROM verdict_history FINAL
  WHERE horizon_s = 3600 AND mapContains(features, 'market_probability')) AS v
INNER JOIN (SELECT chain_id, token, toUInt8(outcome IN ('rug', 'unsellable')) AS rug FROM token_outcomes FINAL WHERE outcome != 'excluded') AS o
  ON o.chain_id = v.chain_id AND o.token = v.token
GROUP BY v.chain_id, week, v.model, v.model_sha256;
