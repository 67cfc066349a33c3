-- What a key family changed of the alert settings: a JSON object with only the changed fields; what is absent follows the defaults and the presets of the sensitivity. version = Unix milliseconds of the change.
CREATE TABLE IF NOT EXISTS alert_settings (
  family String,
  settings String,
  version UInt64,
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY family
SETTINGS index_granularity = 256
