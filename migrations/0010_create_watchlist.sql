-- Addresses watched by key families.
CREATE TABLE IF NOT EXISTS watchlist (
  family String,
  id UInt64,
  type Enum8('token' = 1, 'wallet' = 2),
  address FixedString(20),
  alerts Array(LowCardinality(String)),
  sensitivity Enum8('low' = 1, 'medium' = 2, 'high' = 3),
  created_at DateTime64(3, 'UTC'),
  version UInt64,
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (family, id)
SETTINGS index_granularity = 256
