-- Written reports of key families, as JSON.
CREATE TABLE IF NOT EXISTS reports (
  family String,
  id String,
  chain_id UInt64,
  address FixedString(20),
  language LowCardinality(String),
  generated_at DateTime64(3, 'UTC'),
  doc String CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree(generated_at)
ORDER BY (family, id)
SETTINGS index_granularity = 256
