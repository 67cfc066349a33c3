-- What became of each token that was judged: pipeline/scorer/outcomes/OUTCOMES.md. The block is the last one whose facts the row rests on: a reorg of it buries the row.
CREATE TABLE IF NOT EXISTS token_outcomes (
  chain_id UInt64,
  token FixedString(20),
  pool FixedString(20),
  judged_at DateTime('UTC'),
  prediction Nullable(Enum8('LEGIT' = 0, 'SCAM' = 1)),
  probability Nullable(Float64),
  critical_check LowCardinality(String),
  model LowCardinality(String),
  outcome Enum8('survived' = 0, 'rug' = 1, 'excluded' = 2),
  lead_s Nullable(UInt32),
  left_usd Float64,
  flagged_at Nullable(DateTime('UTC')),
  flag_outcome Nullable(Enum8('survived' = 0, 'rug' = 1, 'excluded' = 2)),
  liquidity_at_flag_usd Float64,
  liquidity_after_flag_usd Float64,
  bought_after_flag_usd Float64,
  block_number UInt64,
  block_hash FixedString(32),
  version UInt64,
  is_deleted UInt8 DEFAULT 0,
  INDEX block_range block_number TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token)
SETTINGS index_granularity = 1024
