-- Models of the market that were trained on the chain's own tokens (pipeline/training/LEARNING.md), with the files they consist of:
-- what is in ClickHouse is there for every scorer, and in every backup. The shipped model has a row once something took its place.
CREATE TABLE IF NOT EXISTS models (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  sha256 FixedString(32) COMMENT 'Hash of the ONNX file, zero: the model of the release, whichever that is',
  name String COMMENT 'Version of the model, as verdicts show it',
  trained_until DateTime('UTC') COMMENT 'Time of the chain at which the model was trained: it is compared on tokens scored after that',
  tokens UInt64 COMMENT 'Tokens it was trained on, 0: the shipped model',
  card String COMMENT 'What it was trained on and how it did, as JSON, empty: the shipped model' CODEC(ZSTD(3)),
  onnx String COMMENT 'The ONNX file, base64, empty: the shipped model' CODEC(ZSTD(3)),
  trees String COMMENT 'The same trees as JSON, empty: the shipped model' CODEC(ZSTD(3)),
  made_at DateTime64(3, 'UTC') COMMENT 'When it was stored first',
  promoted_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When it was put in force last, null: never',
  version UInt64 COMMENT 'Version of the row: when it was written, Unix milliseconds'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (chain_id, sha256);

-- What models that are not in force say of the tokens scored at horizons: a candidate, and the model that was in force before.
-- Never shown to clients. A row belongs to the row of verdict_history with the same key.
CREATE TABLE IF NOT EXISTS shadow_scores (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'Contract of the token',
  model_sha256 FixedString(32) COMMENT 'Hash of the model',
  block_number UInt64 COMMENT 'Last block the verdict covers',
  block_hash FixedString(32) COMMENT 'Hash of that block',
  horizon_s UInt32 COMMENT 'Age of the main pool, seconds',
  as_of DateTime('UTC') COMMENT 'Time whose facts the score rests on',
  probability Float64 COMMENT 'Probability of a rug within 7 days, by this model, 0 to 1',
  version UInt64 COMMENT 'Version of the row: when it was written, Unix milliseconds'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (chain_id, token, model_sha256, block_number, block_hash, horizon_s)
SETTINGS index_granularity = 1024;

-- For analysts: the models that were trained on each chain.
CREATE VIEW IF NOT EXISTS learned_models (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  sha256 String COMMENT 'Hash of the ONNX file, zeros: the model of the release',
  name String COMMENT 'Version of the model, as verdicts show it',
  trained_until DateTime('UTC') COMMENT 'Time of the chain at which the model was trained',
  tokens UInt64 COMMENT 'Tokens it was trained on, 0: the shipped model',
  made_at DateTime64(3, 'UTC') COMMENT 'When it was stored first',
  promoted_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When it was put in force last, null: never',
  card String COMMENT 'What it was trained on and how it did, as JSON, empty: the shipped model'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, lower(hex(f.sha256)) AS sha256, f.name AS name, f.trained_until AS trained_until, f.tokens AS tokens,
  f.made_at AS made_at, f.promoted_at AS promoted_at, f.card AS card
FROM models AS f FINAL;

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
  outcome Nullable(Enum8('survived' = 0, 'rug' = 1, 'excluded' = 2)) COMMENT 'What became of the token within 7 days of its first hour, null: not known yet'
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
  predicted Float64 COMMENT 'Mean probability of a rug, 0 to 1',
  seen Float64 COMMENT 'Share of rugs, 0 to 1',
  brier Float64 COMMENT 'Mean square of probability minus outcome',
  log_loss Float64 COMMENT 'Mean of -ln of the probability of what came, nats'
) SQL SECURITY DEFINER AS
SELECT v.chain_id AS chain_id, toMonday(v.as_of) AS week, v.model AS model, v.model_sha256 AS model_sha256, count() AS tokens,
  avg(v.p) AS predicted, avg(o.rug) AS seen, avg((v.p - o.rug) * (v.p - o.rug)) AS brier, avg(-log(greatest(0.001, if(o.rug = 1, v.p, 1 - v.p)))) AS log_loss
FROM (SELECT chain_id, token, as_of, model, model_sha256, features['market_probability'] AS p FROM verdict_history FINAL
  WHERE horizon_s = 3600 AND mapContains(features, 'market_probability')) AS v
INNER JOIN (SELECT chain_id, token, toUInt8(outcome = 'rug') AS rug FROM token_outcomes FINAL WHERE outcome != 'excluded') AS o
  ON o.chain_id = v.chain_id AND o.token = v.token
GROUP BY v.chain_id, week, v.model, v.model_sha256;

-- For analysts: how features of tokens an hour old were spread, week by week of the chain.
CREATE VIEW IF NOT EXISTS feature_weeks (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  week Date COMMENT 'Monday of the week in which the tokens were an hour old',
  feature String COMMENT 'Name of the feature, units as in the model card',
  tokens UInt64 COMMENT 'Tokens with a value',
  quantiles Array(Float64) COMMENT 'The 10th, 25th, 50th, 75th and 90th percentile'
) SQL SECURITY DEFINER AS
SELECT v.chain_id AS chain_id, toMonday(v.as_of) AS week, toString(v.name) AS feature, count() AS tokens, quantiles(0.1, 0.25, 0.5, 0.75, 0.9)(v.value) AS quantiles
FROM (SELECT chain_id, as_of, name, value FROM verdict_history FINAL ARRAY JOIN mapKeys(features) AS name, mapValues(features) AS value WHERE horizon_s = 3600) AS v
GROUP BY v.chain_id, week, feature;
