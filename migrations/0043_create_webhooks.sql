-- Webhooks of key families, written by the API; the push process writes status and disabled_reason when it disables one. version = Unix milliseconds of the change. secret and previous_secret are encrypted (AES-256-GCM, bound to the id); until previous_secret_until both sign. filters: JSON object {addresses?, min_severity?, min_confidence?}.
CREATE TABLE IF NOT EXISTS webhooks (
  family String,
  id String,
  url String,
  events Array(LowCardinality(String)),
  description Nullable(String),
  filters String,
  status Enum8('active' = 1, 'paused' = 2, 'disabled' = 3),
  disabled_reason Nullable(String),
  secret String,
  previous_secret String,
  previous_secret_until DateTime64(3, 'UTC'),
  created_at DateTime64(3, 'UTC'),
  version UInt64,
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (family, id)
SETTINGS index_granularity = 256
