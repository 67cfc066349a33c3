-- The observed features of each token's verdict in force: searches filter by them without reading documents. In the order of birth, because searches look at
-- neighbours in that order most. A token whose birth was corrected stays under the former one too: read together with the birth that its place tells.
CREATE TABLE IF NOT EXISTS features_by_birth (
  chain_id UInt64,
  created_at DateTime('UTC'),
  token FixedString(20),
  features Map(LowCardinality(String), Float64) CODEC(ZSTD(1)),
  version UInt64,
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, created_at, token)
SETTINGS index_granularity = 16, min_bytes_for_wide_part = 1000000000000, merge_selector_base = 2
