-- Alerts by key family. A reorg withdraws what rested on an orphaned block by a tombstone.
-- Those of quiet hours can be read, and nothing is ever sent for them, not even that they were withdrawn.
CREATE TABLE IF NOT EXISTS alerts (
  family String COMMENT 'Key family that owns the row',
  id UInt64 COMMENT 'Hash of chain, block hash, log index, watched item and rule',
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  watch_id UInt64 COMMENT 'Item of the watchlist (in Redis) that was touched',
  type LowCardinality(String) COMMENT 'Rule that raised it',
  severity Enum8('info' = 1, 'warning' = 2, 'critical' = 3) COMMENT 'How urgent it is',
  token FixedString(20) COMMENT 'Token it is about',
  token_name String COMMENT 'Name of that token',
  token_symbol String COMMENT 'Symbol of that token',
  details String COMMENT 'Facts of the alert as JSON',
  recommendation LowCardinality(String) COMMENT 'What to do about it',
  block_number UInt64 COMMENT 'Block of the event',
  block_hash FixedString(32) COMMENT 'Hash of that block',
  log_index UInt32 COMMENT 'Index of the log of the event',
  tx_hash FixedString(32) COMMENT 'Transaction of the event',
  created_at DateTime64(3, 'UTC') COMMENT 'When it was raised',
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: withdrawn, its block was orphaned',
  is_quiet UInt8 DEFAULT 0 COMMENT '1: raised in quiet hours: can be read, is never sent',
  INDEX block_range block_number TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (family, id)
TTL toDateTime(created_at) + INTERVAL 90 DAY
SETTINGS index_granularity = 256;

-- One row a delivery of one event to one webhook, replaced after every attempt (version = Unix milliseconds). id is dl_ and a ULID, so that
-- newest is last in the key. attempt counts attempts made; next_attempt_at is zero where none is planned. payload is the body as it was
-- signed. status: pending, delivered, failed (another attempt is planned, or was asked for by hand) or exhausted. Kept 30 days for
-- redelivery.
CREATE TABLE IF NOT EXISTS webhook_deliveries (
  family String COMMENT 'Key family that owns the row',
  webhook_id String COMMENT 'Webhook it goes to',
  id String COMMENT 'dl_ and a ULID: the newest is last in the key',
  event_id String COMMENT 'Event that is delivered',
  type LowCardinality(String) COMMENT 'Type of that event',
  attempt UInt16 COMMENT 'Number of attempts made',
  status Enum8('pending' = 1, 'delivered' = 2, 'failed' = 3, 'exhausted' = 4) COMMENT 'pending, delivered, failed (another attempt is planned or was asked for) or exhausted',
  http_status Nullable(UInt16) COMMENT 'Status of the last answer, null: none',
  error Nullable(String) COMMENT 'Why the last attempt failed, null: it did not',
  duration_ms Nullable(UInt32) COMMENT 'Duration of the last attempt, milliseconds, null: none',
  next_attempt_at DateTime64(3, 'UTC') COMMENT 'When the next attempt is due, zero: none is planned',
  payload String COMMENT 'The body as it was signed' CODEC(ZSTD(1)),
  created_at DateTime64(3, 'UTC') COMMENT 'When it was planned',
  updated_at DateTime64(3, 'UTC') COMMENT 'When the row was written',
  version UInt64 COMMENT 'Version of the row: Unix milliseconds of the change',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more'
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (family, webhook_id, id)
TTL toDateTime(created_at) + INTERVAL 30 DAY
SETTINGS index_granularity = 256;
