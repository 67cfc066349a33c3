-- Every verdict, by the block it was made for.
CREATE TABLE IF NOT EXISTS verdict_history (
  chain_id UInt64,
  token FixedString(20),
  block_number UInt64,
  block_hash FixedString(32),
  name String,
  symbol String,
  prediction Enum8('LEGIT' = 0, 'SCAM' = 1),
  confidence Float64,
  risk_score Float64,
  model LowCardinality(String),
  creator FixedString(20),
  liquidity_usd Float64,
  created_at DateTime('UTC'),
  analyzed_at DateTime64(3, 'UTC'),
  doc String CODEC(ZSTD(1)),
  version UInt64,
  is_deleted UInt8 DEFAULT 0,
  INDEX block_range block_number TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token, block_number, block_hash)
SETTINGS index_granularity = 256
