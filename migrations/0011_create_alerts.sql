-- Alerts by key family. A reorg withdraws what rested on an orphaned block by a tombstone.
CREATE TABLE IF NOT EXISTS alerts (
  family String,
  id UInt64,
  chain_id UInt64,
  watch_id UInt64,
  type LowCardinality(String),
  severity Enum8('info' = 1, 'warning' = 2, 'critical' = 3),
  token FixedString(20),
  token_name String,
  token_symbol String,
  details String,
  recommendation LowCardinality(String),
  block_number UInt64,
  block_hash FixedString(32),
  log_index UInt32,
  tx_hash FixedString(32),
  created_at DateTime64(3, 'UTC'),
  version UInt64,
  is_deleted UInt8 DEFAULT 0,
  INDEX block_range block_number TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (family, id)
TTL toDateTime(created_at) + INTERVAL 90 DAY
SETTINGS index_granularity = 256
