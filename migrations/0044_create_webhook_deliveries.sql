-- One row a delivery of one event to one webhook, replaced after every attempt (version = Unix milliseconds). id is dl_ and a ULID, so that newest is last in the key. attempt counts attempts made; next_attempt_at is zero where none is planned. payload is the body as it was signed. status: pending, delivered, failed (another attempt is planned, or was asked for by hand) or exhausted. Kept 30 days for redelivery.
CREATE TABLE IF NOT EXISTS webhook_deliveries (
  family String,
  webhook_id String,
  id String,
  event_id String,
  type LowCardinality(String),
  attempt UInt16,
  status Enum8('pending' = 1, 'delivered' = 2, 'failed' = 3, 'exhausted' = 4),
  http_status Nullable(UInt16),
  error Nullable(String),
  duration_ms Nullable(UInt32),
  next_attempt_at DateTime64(3, 'UTC'),
  payload String CODEC(ZSTD(1)),
  created_at DateTime64(3, 'UTC'),
  updated_at DateTime64(3, 'UTC'),
  version UInt64,
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (family, webhook_id, id)
TTL toDateTime(created_at) + INTERVAL 30 DAY
SETTINGS index_granularity = 256
