-- The observed features of each token's verdict in force: searches filter by them without reading documents.
CREATE TABLE IF NOT EXISTS token_features (
  chain_id UInt64,
  token FixedString(20),
  features Map(LowCardinality(String), Float64) CODEC(ZSTD(1)),
  version UInt64,
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token)
SETTINGS index_granularity = 16, min_bytes_for_wide_part = 1000000000000
