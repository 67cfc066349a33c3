-- Tokens by the checks that fail, with all that lists show and filter by. A check that no longer fails is a tombstone.
CREATE TABLE IF NOT EXISTS token_checks (
  chain_id UInt64,
  check_id LowCardinality(String),
  token FixedString(20),
  is_scam UInt8,
  percent UInt8,
  risk UInt16,
  created_at DateTime('UTC'),
  failed Array(LowCardinality(String)),
  entry String CODEC(ZSTD(1)),
  seq UInt64,
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(seq, is_deleted)
ORDER BY (chain_id, check_id, token)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1000000000000
