-- Every verdict, by the block it was made for: what histories, outcomes and alerts compare. The document of the one in force is in
-- token_verdicts alone.
CREATE TABLE IF NOT EXISTS verdict_history (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'Contract of the token',
  block_number UInt64 COMMENT 'Last block the verdict covers',
  block_hash FixedString(32) COMMENT 'Hash of that block',
  horizon_s UInt32 COMMENT 'Age of the main pool the verdict was made at, seconds, 0: made for an event',
  as_of DateTime('UTC') COMMENT 'Time whose facts the verdict rests on',
  trigger LowCardinality(String) COMMENT 'What made it due: birth, event, request, or horizon: and an age of the main pool',
  prediction Enum8('LEGIT' = 0, 'SCAM' = 1) COMMENT 'Prediction of the verdict',
  confidence Float64 COMMENT 'Calibrated probability of the prediction, 0 to 1',
  risk_score Float64 COMMENT 'Calibrated probability of a scam in percent, 0 to 100, two decimals',
  probability Float64 COMMENT 'Calibrated probability of a scam, 0 to 1',
  model LowCardinality(String) COMMENT 'Version of the model',
  model_sha256 LowCardinality(String) COMMENT 'Hash of the model of the market, hexadecimal',
  critical_check LowCardinality(String) COMMENT 'Id of the first critical check that failed, empty: none',
  trade_tax Nullable(Float64) COMMENT 'Tax that a simulated trade measured, of the token or of the hook of its pool, 0 to 1, null: not measured',
  features Map(LowCardinality(String), Float64) COMMENT 'Observed features by name, units as in the model card' CODEC(ZSTD(1)),
  shap_values Map(LowCardinality(String), Float64) COMMENT 'Log-odds added by features, checks (check:), and what joins them (prior:, rule:)' CODEC(ZSTD(1)),
  analyzed_at DateTime64(3, 'UTC') COMMENT 'When the verdict was made',
  version UInt64 COMMENT 'Version of the row: chain position, epoch x 2^36 + block',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX block_range block_number TYPE minmax GRANULARITY 1,
  INDEX by_text concat('0x', lower(hex(token))) TYPE minmax GRANULARITY 8
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PRIMARY KEY (chain_id, token, block_number, block_hash)
ORDER BY (chain_id, token, block_number, block_hash, horizon_s)
SETTINGS index_granularity = 256;

-- The verdict in force of each token.
-- Documents of real tokens have 14 kB, and the API reads those of single tokens by key. Granules of 32 rows: 16 tokens at once
-- cost 8 to 10 ms of CPU where 16 to 64 documents are read for each, 32 ms where 256 are. One file a part instead of two a column halves that.
CREATE TABLE IF NOT EXISTS token_verdicts (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'Contract of the token',
  block_number UInt64 COMMENT 'Last block the verdict covers',
  block_hash FixedString(32) COMMENT 'Hash of that block',
  name String COMMENT 'Name of the token, made safe',
  symbol String COMMENT 'Symbol of the token, made safe',
  prediction Enum8('LEGIT' = 0, 'SCAM' = 1) COMMENT 'Prediction of the verdict',
  confidence Float64 COMMENT 'Calibrated probability of the prediction, 0 to 1',
  risk_score Float64 COMMENT 'Calibrated probability of a scam in percent, 0 to 100, two decimals',
  model LowCardinality(String) COMMENT 'Version of the model',
  creator FixedString(20) COMMENT 'Who created the token, zero: not known',
  liquidity_usd Float64 COMMENT 'Liquidity of all its pools, US dollars: both sides of reserves, of concentrated liquidity twice what a sale of all tokens takes out',
  created_at DateTime('UTC') COMMENT 'Creation of the token',
  analyzed_at DateTime64(3, 'UTC') COMMENT 'When the verdict was made',
  doc String COMMENT 'The verdict as JSON: features, contributions, checks, provenance (shared/messages/verdictDoc.ts)' CODEC(ZSTD(1)),
  holders Array(Tuple(FixedString(20), Float64)) COMMENT 'Largest holders without burn addresses and their share of all that is held, 0 to 1, largest first, at most 51' CODEC(ZSTD(1)),
  message String COMMENT 'Message about the verdict, as JSON, empty: not published' CODEC(ZSTD(1)),
  version UInt64 COMMENT 'Version of the row: chain position, epoch x 2^36 + block',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  seq UInt64 DEFAULT toUnixTimestamp64Micro(now64(6)) COMMENT 'When the row was stored, Unix microseconds, greater with every change of the token: version of all that follows from it in lists',
  previous Tuple(existed UInt8, name String, symbol String, is_scam UInt8, confidence Float64, risk_score Float64, created_at DateTime('UTC'), analyzed_at DateTime64(3, 'UTC'), failed Array(String)) COMMENT 'What the row replaced: lists move the token on from there, existed 0: it had no verdict' CODEC(ZSTD(1)),
  is_scam UInt8 MATERIALIZED prediction = 'SCAM' COMMENT '1: predicted SCAM',
  percent UInt8 MATERIALIZED floor(confidence * 100 + 0.5) COMMENT 'Confidence as shown, percent',
  risk UInt16 MATERIALIZED floor(risk_score * 100 + 0.5) COMMENT 'Risk score as shown, hundredths of a percent',
  failed Array(LowCardinality(String)) DEFAULT arraySort(arrayMap(check -> check.1, arrayFilter(check -> check.2 = 'fail', JSONExtract(doc, 'checks', 'Array(Tuple(id String, status String))')))) COMMENT 'Ids of the checks that fail, sorted',
  features Map(LowCardinality(String), Float64) DEFAULT JSONExtract(doc, 'features', 'Map(LowCardinality(String), Float64)') COMMENT 'Observed features by name, units as in the model card' CODEC(ZSTD(1)),
  locks Array(Tuple(kind String, locker String, lock_id String, asset String, position Nullable(String), market Nullable(String), owner String, amount String, share Float64, locked_at_s UInt64, locked_tx String, unlock_at_s UInt64, extended UInt64, withdrawn String, state String, belief String)) MATERIALIZED JSONExtract(doc, 'locks', 'Array(Tuple(kind String, locker String, lock_id String, asset String, position Nullable(String), market Nullable(String), owner String, amount String, share Float64, locked_at_s UInt64, locked_tx String, unlock_at_s UInt64, extended UInt64, withdrawn String, state String, belief String))') COMMENT 'What is locked of the token and its liquidity, as the document has it' CODEC(ZSTD(1)),
  summary_json String MATERIALIZED toJSONString((name, symbol, confidence, risk_score, toString(model), toUnixTimestamp(created_at), toUnixTimestamp64Milli(analyzed_at), block_number)) COMMENT 'What lists show of the token, as a JSON array: name, symbol, confidence, risk score, model, creation (Unix seconds), analysis (Unix milliseconds), block',
  INDEX block_range block_number TYPE minmax GRANULARITY 8,
  INDEX stored seq TYPE minmax GRANULARITY 8,
  INDEX by_text concat('0x', lower(hex(token))) TYPE minmax GRANULARITY 8
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token)
SETTINGS index_granularity = 32,
  min_bytes_for_wide_part = 1099511627776, min_rows_for_wide_part = 1000000000000, merge_selector_base = 2;

-- What became of each token that had a verdict: pipeline/scorer/outcome/OUTCOMES.md. The block is the last one whose facts the row rests on:
-- a reorg of it deletes the row.
CREATE TABLE IF NOT EXISTS token_outcomes (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'Contract of the token',
  market FixedString(32) COMMENT 'Pool or market that held most of its base token at judged_at: id in its manager, or contract after twelve zero bytes',
  judged_at DateTime('UTC') COMMENT 'First Sync, of a market first liquidity, plus one hour: the verdict made by then counts',
  prediction Nullable(Enum8('LEGIT' = 0, 'SCAM' = 1)) COMMENT 'Last verdict made by then, null: none',
  probability Nullable(Float64) COMMENT 'Its calibrated probability of a scam, 0 to 1, null: none',
  critical_check LowCardinality(String) COMMENT 'Id of the critical check the verdict rested on, empty: none',
  model LowCardinality(String) COMMENT 'Version of the model',
  outcome Enum8('survived' = 0, 'rug' = 1, 'excluded' = 2) COMMENT 'What became of the token within 7 days of judged_at',
  lead_s Nullable(UInt32) COMMENT 'Seconds from judged_at to the rug, null: no rug',
  left_usd Float64 COMMENT 'Liquidity at judged_at minus liquidity 7 days later, at least 0, US dollars',
  flagged_at Nullable(DateTime('UTC')) COMMENT 'Last trade that the first SCAM verdict knew, null: never flagged',
  flag_outcome Nullable(Enum8('survived' = 0, 'rug' = 1, 'excluded' = 2)) COMMENT 'What became of the token within 7 days of flagged_at, null: never flagged',
  liquidity_at_flag_usd Float64 COMMENT 'Liquidity at flagged_at, US dollars',
  liquidity_after_flag_usd Float64 COMMENT 'Liquidity 7 days after flagged_at, US dollars',
  bought_after_flag_usd Float64 COMMENT 'Paid by buyers within 7 days after flagged_at, US dollars',
  block_number UInt64 COMMENT 'Last block the row rests on',
  block_hash FixedString(32) COMMENT 'Hash of that block',
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX block_range block_number TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token)
SETTINGS index_granularity = 1024;

-- For analysts: the verdict in force of each token.
CREATE VIEW IF NOT EXISTS verdicts (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract of the token',
  name String COMMENT 'Name of the token, made safe',
  symbol String COMMENT 'Symbol of the token, made safe',
  prediction Enum8('LEGIT' = 0, 'SCAM' = 1) COMMENT 'Prediction of the verdict',
  confidence Float64 COMMENT 'Calibrated probability of the prediction, 0 to 1',
  risk_score Float64 COMMENT 'Calibrated probability of a scam in percent, 0 to 100, two decimals',
  model LowCardinality(String) COMMENT 'Version of the model',
  creator String COMMENT 'Who created the token, zero: not known',
  liquidity_usd Float64 COMMENT 'Liquidity of all its pools, US dollars: both sides of reserves, of concentrated liquidity twice what a sale of all tokens takes out',
  created_at DateTime('UTC') COMMENT 'Creation of the token',
  analyzed_at DateTime64(3, 'UTC') COMMENT 'When the verdict was made',
  block_number UInt64 COMMENT 'Last block the verdict covers',
  block_hash String COMMENT 'Hash of that block',
  doc String COMMENT 'The verdict as JSON: features, contributions, checks, provenance (shared/messages/verdictDoc.ts)'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, f.name AS name, f.symbol AS symbol, f.prediction AS prediction,
  f.confidence AS confidence, f.risk_score AS risk_score, f.model AS model, concat('0x', lower(hex(f.creator))) AS creator,
  f.liquidity_usd AS liquidity_usd, f.created_at AS created_at, f.analyzed_at AS analyzed_at,
  f.block_number AS block_number, concat('0x', lower(hex(f.block_hash))) AS block_hash, f.doc AS doc
FROM token_verdicts AS f FINAL;

-- For analysts: what is locked of each token and its liquidity, or said to be, as of its verdict.
CREATE VIEW IF NOT EXISTS locks (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract of the token',
  symbol String COMMENT 'Symbol of the token, made safe',
  kind String COMMENT 'liquidity (tokens of a pool), position (in a pool with concentrated liquidity) or supply (the token itself)',
  locker String COMMENT 'Contract that says that it locks',
  lock_id String COMMENT 'Number that it gave the lock, decimal, 0 also: it gives none',
  asset String COMMENT 'Token that is locked, or manager of the position',
  position Nullable(String) COMMENT 'Id of the position in its manager, decimal',
  market Nullable(String) COMMENT 'Pool whose liquidity it is',
  owner String COMMENT 'Who may take it out',
  amount UInt256 COMMENT 'What the locker has for it, smallest units, of a position its liquidity',
  share Float64 COMMENT 'Of the liquidity or the supply, 0 to 1',
  locked_at DateTime('UTC') COMMENT 'Time of the block it was locked in',
  locked_tx String COMMENT 'Hash of the transaction that locked it',
  unlock_at UInt64 COMMENT 'Unix time in seconds at which it unlocks',
  extended UInt64 COMMENT 'How often it was made longer',
  withdrawn UInt256 COMMENT 'What was taken out, smallest units, of a position liquidity',
  state String COMMENT 'locked, unlocked (its time is over) or withdrawn, as of the verdict',
  belief String COMMENT 'code (the code of the locker is known), behaviour (no one could open it before its time in simulations), fake (somebody could, or it holds nothing) or unknown',
  analyzed_at DateTime64(3, 'UTC') COMMENT 'When the verdict was made'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, f.symbol AS symbol, l.kind AS kind, l.locker AS locker, l.lock_id AS lock_id, l.asset AS asset,
  l.position AS position, l.market AS market, l.owner AS owner, toUInt256(l.amount) AS amount, l.share AS share, toDateTime(l.locked_at_s, 'UTC') AS locked_at,
  l.locked_tx AS locked_tx, l.unlock_at_s AS unlock_at, l.extended AS extended, toUInt256(l.withdrawn) AS withdrawn, l.state AS state,
  l.belief AS belief, f.analyzed_at AS analyzed_at
FROM (SELECT chain_id, token, symbol, locks, analyzed_at FROM token_verdicts FINAL) AS f ARRAY JOIN f.locks AS l;

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
  outcome Enum8('survived' = 0, 'rug' = 1, 'excluded' = 2) COMMENT 'What became of the token within 7 days of judged_at',
  lead_s Nullable(UInt32) COMMENT 'Seconds from judged_at to the rug, null: no rug',
  left_usd Float64 COMMENT 'Liquidity at judged_at minus liquidity 7 days later, at least 0, US dollars',
  flagged_at Nullable(DateTime('UTC')) COMMENT 'Last trade that the first SCAM verdict knew, null: never flagged',
  flag_outcome Nullable(Enum8('survived' = 0, 'rug' = 1, 'excluded' = 2)) COMMENT 'What became of the token within 7 days of flagged_at, null: never flagged',
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

-- For analysts: what each check found of each token, as of its verdict.
CREATE VIEW IF NOT EXISTS checks (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract of the token',
  symbol String COMMENT 'Symbol of the token, made safe',
  check_id String COMMENT 'Id of the check (pipeline/scorer/checks/CHECKS.md)',
  status String COMMENT 'pass, fail, unknown or not_applicable',
  severity String COMMENT 'critical, warning or info',
  reason String COMMENT 'What was found, a sentence in English',
  value String COMMENT 'What was measured, as JSON, empty: nothing, in the unit that the reason says',
  shown_by String COMMENT 'Of a power what showed it: simulation or code, else empty',
  held_by String COMMENT 'Of a power who has it: wallet, multisig, timelock, governance, contract, anyone or unknown, else empty',
  evidence String COMMENT 'What anyone can check it with, as a JSON array, empty: nothing',
  prediction Enum8('LEGIT' = 0, 'SCAM' = 1) COMMENT 'Prediction of the verdict',
  analyzed_at DateTime64(3, 'UTC') COMMENT 'When the verdict was made'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, f.symbol AS symbol, JSONExtractString(item, 'id') AS check_id,
  JSONExtractString(item, 'status') AS status, JSONExtractString(item, 'severity') AS severity, JSONExtractString(item, 'reason') AS reason,
  JSONExtractRaw(item, 'value') AS value, JSONExtractString(item, 'shown_by') AS shown_by, JSONExtractString(item, 'held_by') AS held_by,
  JSONExtractRaw(item, 'evidence') AS evidence, f.prediction AS prediction, f.analyzed_at AS analyzed_at
FROM (SELECT chain_id, token, symbol, doc, prediction, analyzed_at FROM token_verdicts FINAL) AS f
ARRAY JOIN JSONExtractArrayRaw(f.doc, 'checks') AS item;

-- For analysts: every verdict that was made, those that were replaced too.
CREATE VIEW IF NOT EXISTS past_verdicts (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract of the token',
  block_number UInt64 COMMENT 'Last block the verdict covers',
  block_hash String COMMENT 'Hash of that block',
  horizon_s UInt32 COMMENT 'Age of the main pool the verdict was made at, seconds, 0: made for an event',
  as_of DateTime('UTC') COMMENT 'Time whose facts the verdict rests on',
  trigger String COMMENT 'What made it due: birth, event, request, or horizon: and an age of the main pool',
  prediction Enum8('LEGIT' = 0, 'SCAM' = 1) COMMENT 'Prediction of the verdict',
  confidence Float64 COMMENT 'Calibrated probability of the prediction, 0 to 1',
  risk_score Float64 COMMENT 'Calibrated probability of a scam in percent, 0 to 100, two decimals',
  probability Float64 COMMENT 'Calibrated probability of a scam, 0 to 1',
  model String COMMENT 'Version of the model',
  model_sha256 String COMMENT 'Hash of the model of the market, hexadecimal',
  critical_check String COMMENT 'Id of the first critical check that failed, empty: none',
  trade_tax Nullable(Float64) COMMENT 'Tax that a simulated trade measured, of the token or of the hook of its pool, 0 to 1, null: not measured',
  features Map(LowCardinality(String), Float64) COMMENT 'Observed features by name, units as in the model card',
  shap_values Map(LowCardinality(String), Float64) COMMENT 'Log-odds added by features, checks (check:), and what joins them (prior:, rule:)',
  analyzed_at DateTime64(3, 'UTC') COMMENT 'When the verdict was made'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, f.block_number AS block_number, concat('0x', lower(hex(f.block_hash))) AS block_hash,
  f.horizon_s AS horizon_s, f.as_of AS as_of, f.trigger AS trigger, f.prediction AS prediction, f.confidence AS confidence, f.risk_score AS risk_score,
  f.probability AS probability, f.model AS model, f.model_sha256 AS model_sha256, f.critical_check AS critical_check, f.trade_tax AS trade_tax,
  f.features AS features, f.shap_values AS shap_values, f.analyzed_at AS analyzed_at
FROM verdict_history AS f FINAL;
