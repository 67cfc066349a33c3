-- Which alerts a key family has read.
CREATE TABLE IF NOT EXISTS alert_reads (
  family String,
  id UInt64,
  read_at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(read_at)
ORDER BY (family, id)
TTL toDateTime(read_at) + INTERVAL 90 DAY
SETTINGS index_granularity = 256
