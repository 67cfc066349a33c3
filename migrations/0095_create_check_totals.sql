-- How many tokens fail each check, by what else lists filter by; sums of what was added and taken.
CREATE TABLE IF NOT EXISTS check_totals (
  chain_id UInt64,
  check_id LowCardinality(String),
  is_scam UInt8,
  level UInt8,
  percent UInt8,
  tokens Int64
)
ENGINE = SummingMergeTree(tokens)
ORDER BY (chain_id, check_id, is_scam, level, percent)
SETTINGS index_granularity = 1024
