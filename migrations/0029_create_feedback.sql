-- Verdicts disputed by key families, and what became of it.
CREATE TABLE IF NOT EXISTS feedback (
  family String,
  id String,
  chain_id UInt64,
  address FixedString(20),
  kind Enum8('false_positive' = 1, 'false_negative' = 2),
  status Enum8('open' = 1, 'accepted' = 2, 'rejected' = 3),
  details String CODEC(ZSTD(3)),
  contact String,
  resolution Nullable(String),
  created_at DateTime64(3, 'UTC'),
  resolved_at Nullable(DateTime64(3, 'UTC')),
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (family, id)
SETTINGS index_granularity = 256
